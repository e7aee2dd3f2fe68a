"""Documents of a Parquet file: a column of texts, and perhaps one called ``id``."""

from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from attention_core import foreign_files
from attention_core.atlas.corpus.columns import ID, text_column
from attention_core.atlas.corpus.document import (
    LONGEST_ID,
    CorpusBounds,
    Document,
    Found,
    id_or_line,
    too_many_characters,
)
from attention_core.atlas.corpus.errors import CorpusError, too_many_bytes, too_many_documents
from attention_core.atlas.corpus.parquet_pages import BrokenPageError, unpacked
from attention_core.refusal import Sentence

BATCH_ROWS = 256
"""In memory at a time, at most."""
BATCH_BYTES = 2**26
"""In memory at a time: a batch has fewer rows where each may be long."""
UTF8_BYTES = 4
"""Of one character, at most."""


def read_parquet(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Found]:
    """Yield the documents of a Parquet file, with the number of their row from 1.

    The texts are in ``column``, else in ``text``, else in the only column of strings beside ``id``. What they unpack to
    is bounded before any of it is decoded.
    """
    try:
        with pq.ParquetFile(foreign_files.checked(path), buffer_size=2**20, pre_buffer=False) as file:
            fields = [field for field in file.schema_arrow if _is_text(field.type) or field.name == ID]
            text = text_column(path.name, [field.name for field in fields if _is_text(field.type)], column)
            named = [field for field in fields if field.name == ID != text]
            columns = [text] + [field.name for field in named if _is_name(field.type)]
            if file.metadata.num_rows > bounds.max_documents:
                raise too_many_documents(bounds.max_documents)
            with foreign_files.opened(path) as pages:
                groups = _row_groups(file, pages, columns, bounds.max_bytes)
            yield from _parquet_rows(file, columns, groups, bounds)
    except MemoryError:  # Arrow's is an ArrowException too
        raise
    except (pa.ArrowException, OSError, KeyError) as error:  # KeyError: two columns of one name
        raise CorpusError("{name} is not a Parquet file that can be read.", path.name) from error


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _is_name(kind: pa.DataType) -> bool:
    """Whether rows can be called by what is in such a column. Of any other, nothing is read."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    types = pa.types
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    is_bytes = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return _is_text(kind) or is_number or is_bytes


def _row_groups(file: pq.ParquetFile, pages: BufferedReader, columns: list[str], max_bytes: int) -> list[int | None]:
    """Of each row group, how many rows may be decoded at once; None if its pages are damaged.

    Raises CorpusTooLargeError, and KeyError where a name stands for more than one column.
    """
    leaves = [leaf for name in columns for leaf in _leaves(file, name)]
    if len(leaves) != len(columns):
        raise KeyError
    found: list[int | None] = []
    nbytes = 0
    for index in range(file.num_row_groups):
        group = file.metadata.row_group(index)
        try:
            sizes = [unpacked(pages, group.column(leaf), group.num_rows) for leaf in leaves]
        except BrokenPageError:
            found.append(None)
            continue
        nbytes += sizes[0].nbytes
        if nbytes > max_bytes:
            raise too_many_bytes(max_bytes)
        largest = max(size.largest for size in sizes)
        found.append(min(max(BATCH_BYTES // max(largest, 1), 1), BATCH_ROWS))
    return found


def _leaves(file: pq.ParquetFile, name: str) -> list[int]:
    """The columns that reading this name would decode; those inside it, if it has any."""
    paths = [file.schema.column(index).path for index in range(len(file.schema))]
    return [index for index, path in enumerate(paths) if path == name or path.startswith(f"{name}.")]


def _parquet_rows(
    file: pq.ParquetFile, columns: list[str], groups: Sequence[int | None], bounds: CorpusBounds
) -> Iterator[Found]:
    row = nbytes = 0
    for group, at_once in enumerate(groups):
        position = row
        row += file.metadata.row_group(group).num_rows
        try:
            if at_once is None:
                raise pa.ArrowInvalid
            for batch in file.iter_batches(at_once, row_groups=[group], columns=columns, use_threads=False):
                for values in zip(*(batch.column(name) for name in columns), strict=True):
                    position += 1
                    nbytes += sum(map(_bytes_of, values))
                    if nbytes > bounds.max_bytes:
                        raise too_many_bytes(bounds.max_bytes)
                    yield position, _from_row(values, position, bounds.max_document_characters)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError):  # a damaged page: the other row groups can still be read
            yield position + 1, Sentence("The rows from here to row {row} cannot be read.", row)


def _bytes_of(value: pa.Scalar) -> int:
    """Of a text in UTF-8, which may stand in a dictionary; 0 of a number."""
    text = value.value if isinstance(value, pa.DictionaryScalar) else value
    buffer = text.as_buffer() if isinstance(text, pa.BinaryScalar) else None
    return 0 if buffer is None else int(buffer.size)


def _from_row(values: tuple[pa.Scalar, ...], row: int, longest: int) -> Document | Sentence:
    text, *names = values
    if _bytes_of(text) > UTF8_BYTES * longest:  # not even made into a string
        return too_many_characters(longest)
    try:
        value = text.as_py()
    except UnicodeDecodeError:
        return Sentence("The text is not valid UTF-8.")
    if value is None:
        return Sentence("The row has no text.")
    return Document(id_or_line(_name(names[0]) if names else None, row), value)


def _name(value: pa.Scalar) -> object:
    if _bytes_of(value) > UTF8_BYTES * LONGEST_ID:
        return None
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return None
