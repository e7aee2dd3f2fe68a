"""Documents of a Parquet file: a column of texts, and perhaps one called ``id``."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from attention_core.atlas.corpus.columns import ID, text_column
from attention_core.atlas.corpus.document import SURROGATE, CorpusBounds, Document, Found
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.lines import too_many_bytes
from attention_core.refusal import Sentence

BATCH = 256
"""Rows in memory at a time."""


def read_parquet(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Found]:
    """Yield the documents of a Parquet file, with the number of their row from 1.

    The texts are in ``column``, else in ``text``, else in the only column of strings beside ``id``.
    """
    try:
        with pq.ParquetFile(path, buffer_size=2**20, pre_buffer=False) as file:
            fields = [field for field in file.schema_arrow if _is_text(field.type) or field.name == ID]
            text = text_column(path.name, [field.name for field in fields if _is_text(field.type)], column)
            if _unpacked_bytes(file, text) > bounds.max_bytes:
                raise too_many_bytes(bounds.max_bytes)
            columns = [text] + [field.name for field in fields if field.name == ID != text]
            yield from _parquet_rows(file, columns)
    except (pa.ArrowException, OSError, KeyError) as error:  # KeyError: two columns of one name
        raise CorpusError("{name} is not a Parquet file that can be read.", path.name) from error


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _unpacked_bytes(file: pq.ParquetFile, column: str) -> int:
    groups = [file.metadata.row_group(group) for group in range(file.num_row_groups)]
    chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema == column)


def _parquet_rows(file: pq.ParquetFile, columns: list[str]) -> Iterator[Found]:
    row = 0
    for group in range(file.num_row_groups):
        first = row
        row += file.metadata.row_group(group).num_rows
        at = first
        try:
            for batch in file.iter_batches(BATCH, row_groups=[group], columns=columns):
                for values in zip(*(batch.column(name) for name in columns), strict=True):
                    at += 1
                    yield at, _from_row(values, at)
        except (pa.ArrowException, OSError):  # a damaged page: the other row groups can still be read
            yield at + 1, Sentence("The rows from here to row {row} cannot be read.", row)


def _from_row(values: tuple[pa.Scalar, ...], row: int) -> Document | Sentence:
    try:
        text, *rest = (value.as_py() for value in values)
    except UnicodeDecodeError:
        return Sentence("The text is not valid UTF-8.")
    if text is None:
        return Sentence("The row has no text.")
    name = rest[0] if rest and rest[0] is not None else row
    if isinstance(name, bool) or not isinstance(name, str | int) or SURROGATE.search(str(name)):
        return Sentence('The "id" is neither a text nor a whole number.')
    return Document(str(name), text)
