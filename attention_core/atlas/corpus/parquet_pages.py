"""Bound what a column of a Parquet file unpacks to, from the headers of its pages, before any of it is decoded.

The footer only claims sizes; a page is unpacked into as many bytes as its own header says. A page of a few bytes may
unpack to gigabytes, and one text of a dictionary may stand in every row. So a page's size bounds each of its texts,
and with that the rows that may be decoded at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

import pyarrow.parquet as pq

from attention_core.atlas.corpus.errors import CorpusTooLargeError

PAGE_BYTES = 2**29
"""Of one page, unpacked."""
TEXT_BYTES = 16
"""Of a text of a dictionary beside its characters: its place and length."""
HEADER_BYTES = 2**24
"""Of a page's header, which may hold the smallest and the largest text."""
BLOCK = 2**12
DATA, DICTIONARY, DATA_2 = 0, 2, 3
"""Types of pages; of any other, nothing is read."""
VALUES = {DATA: 5, DICTIONARY: 7, DATA_2: 8}
"""The field of a page's header that says how many values there are."""
DEEPEST = 8
"""Of structures inside a header."""


class BrokenPageError(Exception):
    """The headers of a column's pages cannot be read, or contradict the footer."""


@dataclass(frozen=True)
class Unpacked:
    """What a column of one row group takes when it is read."""

    nbytes: int
    """Of all pages."""
    largest: int
    """Of one page, which bounds each of its texts."""


def unpacked(file: BufferedReader, chunk: pq.ColumnChunkMetaData, rows: int) -> Unpacked:
    """Sizes of a column without nesting, of which a row group has this many rows.

    Raises BrokenPageError, and CorpusTooLargeError for a page that is too large.
    """
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    if chunk.num_values != rows or chunk.total_compressed_size < 0:
        raise BrokenPageError
    seen = nbytes = largest = 0
    for kind, values, size in _pages(file, start, start + chunk.total_compressed_size):
        if kind == DICTIONARY:
            size += TEXT_BYTES * values  # noqa: PLW2901
        else:
            seen += values
        if values > (size if kind == DICTIONARY else rows):
            raise BrokenPageError
        if size > PAGE_BYTES:
            raise CorpusTooLargeError(
                "The corpus has a Parquet page of more than {limit} bytes; write it with fewer rows in each row group.",
                limit=PAGE_BYTES,
            )
        nbytes, largest = nbytes + size, max(largest, size)
        if seen >= rows:
            break
    if seen != rows:
        raise BrokenPageError
    return Unpacked(nbytes, largest)


def _pages(file: BufferedReader, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Type, number of values and unpacked bytes of the pages between two places of the file."""
    while start < end:
        header, length = _header(file, start)
        kind, size, packed = (header.get(field) for field in (1, 2, 3))
        if not isinstance(size, int) or not isinstance(packed, int) or size < 0 or packed < 0:
            raise BrokenPageError
        if kind in VALUES:
            about = header.get(VALUES[kind])
            values = about.get(1) if isinstance(about, dict) else None
            if not isinstance(values, int) or values < 0:
                raise BrokenPageError
            yield kind, values, size
        start += length + packed


def _header(file: BufferedReader, start: int) -> tuple[dict[int, Any], int]:
    """A page's header and its length in the file."""
    size = BLOCK
    while True:
        file.seek(start)
        block = file.read(size)
        try:
            fields = _Compact(block)
            return fields.structure(), fields.at
        except IndexError:  # it goes on
            if len(block) < size or size >= HEADER_BYTES:
                raise BrokenPageError from None
            size *= 8


class _Compact:
    """Thrift's compact protocol: structures as dictionaries by the numbers of their fields. Raises IndexError at the
    end of the bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """The next structure."""
        fields: dict[int, Any] = {}
        number = 0
        while first := self._byte():
            step, kind = first >> 4, first & 15
            number = number + step if step else self._whole()
            fields[number] = self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in {1, 2}:
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in {4, 5, 6}:
            return self._whole()
        if kind == 8:
            return self._skip(self._unsigned())
        if kind == 12 and depth < DEEPEST:
            return self.structure(depth + 1)
        raise BrokenPageError  # no page's header has lists, maps or floats

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise BrokenPageError
        return value | byte << shift

    def _whole(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.data):
            raise IndexError
