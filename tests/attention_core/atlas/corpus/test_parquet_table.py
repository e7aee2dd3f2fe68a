"""Parquet files: columns, types, broken texts and broken files."""

from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attention_core.atlas.corpus.document import CorpusBounds, Document
from attention_core.atlas.corpus.errors import CorpusError, CorpusTooLargeError
from attention_core.atlas.corpus.formats import read_corpus

BOUNDS = CorpusBounds()


def read(path: Path, column: str | None = None, bounds: CorpusBounds = BOUNDS) -> list[tuple[str | int, str]]:
    found = list(read_corpus(path, bounds, column))
    return [(one.id, one.text) if isinstance(one, Document) else (one.line, str(one.reason)) for one in found]


def write(folder: Path, table: pa.Table | dict[str, Any], **options: Any) -> Path:
    path = folder / "a.parquet"
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), path, **options)
    return path


def test_texts_and_ids_of_every_row_group(tmp_path: Path) -> None:
    texts = [f"Text {index}" for index in range(1_000)]
    path = write(tmp_path, {"n": range(1_000), "id": range(1_000), "text": texts}, row_group_size=300)
    assert read(path) == [(str(index), text) for index, text in enumerate(texts)]
    path = write(tmp_path, {"text": ["One", None, "", "Four"], "id": ["a", "b", "c", None]})
    assert read(path) == [("a", "One"), (2, "The row has no text."), (3, "The document is empty."), ("4", "Four")]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_every_kind_of_strings_is_text(tmp_path: Path, kind: pa.DataType) -> None:
    path = write(tmp_path, pa.table({"body": pa.array(["Wörter", "Wörter", "日本"], pa.string()).cast(kind)}))
    assert read(path) == [("1", "Wörter"), ("2", "Wörter"), ("3", "日本")]


def test_the_column_is_chosen_by_name_or_because_it_is_the_only_one(tmp_path: Path) -> None:
    path = write(tmp_path, {"title": ["One"], "body": ["Two"], "year": [2001]})
    assert read(path, "body") == [("1", "Two")]
    with pytest.raises(CorpusError, match=r'^a\.parquet has no column called "text", but "title", "body": say which'):
        read(path)
    with pytest.raises(CorpusError, match=r'^a\.parquet has no column of texts called "year", but "title", "body"\.$'):
        read(path, "year")
    with pytest.raises(CorpusError, match=r"^a\.parquet has no column of texts\.$"):
        read(write(tmp_path, {"year": [2001], "text": [1]}))
    assert read(write(tmp_path, {"id": [True, False], "body": ["One", "Two"]})) == [("1", "One"), ("2", "Two")]
    assert read(write(tmp_path, {"id": ["One"], "year": [1]}), "id") == [("1", "One")]


def test_a_text_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"\xc3\x28ok")]
    )
    path = write(tmp_path, pa.table({"text": broken}))
    assert read(path) == [(1, "The text is not valid UTF-8."), ("2", "ok")]


def test_files_that_are_no_parquet_are_refused(tmp_path: Path) -> None:
    whole = write(tmp_path, {"text": ["One"] * 50}).read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    without_footer = whole[: -8 - footer] + bytes(footer) + whole[-8:]
    for broken in (b"", b"PAR1", b"text\nOne\n", whole[:-20], whole[:40], without_footer):
        (tmp_path / "b.parquet").write_bytes(broken)
        with pytest.raises(CorpusError, match=r"^b\.parquet is not a Parquet file that can be read\.$"):
            read(tmp_path / "b.parquet")
    twice = write(tmp_path, pa.table([["One"], ["Two"]], names=["text", "text"]))
    with pytest.raises(CorpusError, match=r"^a\.parquet is not a Parquet file that can be read\.$"):
        read(twice)


def test_a_damaged_row_group_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    texts = [f"Text {index}" for index in range(30)]
    path = write(tmp_path, {"text": texts}, row_group_size=10, use_dictionary=False, compression="none")
    content = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content[start : start + 8] = b"\xff" * 8
    path.write_bytes(content)
    assert read(path) == [
        *((str(row), f"Text {row - 1}") for row in range(1, 11)),
        (11, "The rows from here to row 20 cannot be read."),
        *((str(row), f"Text {row - 1}") for row in range(21, 31)),
    ]


def test_texts_that_unpack_to_more_than_the_file_may_have_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["x" * 10_000 + str(row) for row in range(100)]}, use_dictionary=False)
    assert path.stat().st_size < 200_000
    assert len(read(path, None, CorpusBounds(max_bytes=1_100_000))) == 100
    with pytest.raises(CorpusTooLargeError, match=r"more than 1000000 bytes \(max_corpus_bytes\)"):
        read(path, None, CorpusBounds(max_bytes=1_000_000))


def dictionary(texts: list[str], indices: list[int]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(texts))


LONG = "x" * (12 * 2**20)
BOMBS = {
    "one text of a dictionary in every row": ({"text": dictionary([LONG], [0] * 20_000)}, {}),
    "one id of a dictionary in every row": ({"text": ["a"] * 20_000, "id": dictionary([LONG], [0] * 20_000)}, {}),
    "one id of bytes in every row": (
        {"text": ["a"] * 20, "id": pa.array([LONG.encode()] * 20)},
        {},
    ),
    "prefixes of the text before": (
        {"text": ["x" * 2**20] * 2_000},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
    ),
    "pages": ({"text": [LONG[: 2**20]] * 100}, {"use_dictionary": False}),
    "a page": ({"text": ["x" * (2**26 + 1)]}, {"use_dictionary": False}),
    "empty rows": ({"text": pa.nulls(3_000_000, pa.string())}, {}),
    "an empty text in every row": ({"text": dictionary([""], [0] * 3_000_000)}, {}),
    "a list as id": ({"text": ["a"], "id": pa.array([[0] * 20_000_000], pa.list_(pa.int8()))}, {}),
    "a list of a column's name": (
        {"text.a": ["a"], "text": pa.array([{"a": [0] * 20_000_000}], pa.struct([("a", pa.list_(pa.int8()))]))},
        {},
    ),
}


@pytest.mark.full("pages", "prefixes of the text before")
@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_is_decoded_beyond_the_bounds(tmp_path: Path, name: str) -> None:
    columns, options = BOMBS[name]
    path = write(tmp_path, columns, compression="brotli", store_schema=False, write_statistics=False, **options)
    assert path.stat().st_size < 40_000
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)  # which knows of nothing else that was made in this process
    pa.set_memory_pool(pool)
    try:
        with suppress(CorpusError):
            list(read_corpus(path, CorpusBounds(max_bytes=2**26, max_documents=200_000)))
    finally:
        pa.set_memory_pool(usual)
    assert pool.max_memory() < 2**28


def test_pages_may_not_say_otherwise_than_the_footer(tmp_path: Path) -> None:
    """A column of 100 rows whose page says that it has 33: whatever it holds, its row group is left out."""
    path = write(tmp_path, {"text": [f"{row:02}" for row in range(100)]}, use_dictionary=False, compression="none")
    content = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(0).column(0).data_page_offset
    at = content.index(bytes([0x15, 200, 1]), start)  # the first field of the page's header of its kind: 100, zigzag
    content[at + 1 : at + 3] = bytes([194, 0])  # 33
    path.write_bytes(content)
    assert read(path) == [(1, "The rows from here to row 100 cannot be read.")]


def test_long_texts_and_ids_are_passed_over_without_being_made(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["é" * 1_001, "x" * 5_000, "One"], "id": ["a", "b", "c" * 4_001]})
    too_long = "The document has more than 1000 characters (max_document_characters)."
    assert read(path, None, CorpusBounds(max_document_characters=1_000)) == [
        (1, too_long),
        (2, too_long),
        ("3", "One"),
    ]


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (pa.array([7.0, 1.5, None, float("nan")]), ["7", "1.5", "3", "4"]),
        (pa.array([Decimal("7.00"), Decimal("1.50"), None, Decimal("-1.00")]), ["7", "1.50", "3", "-1"]),
        (pa.array(["née".encode(), b"\xff\x00", b"", None]), ["née", "ff00", "3", "4"]),
        (pa.array([b"\xff\x00", b"ab", b"cd", None], pa.binary(2)), ["ff00", "ab", "cd", "4"]),
        (pa.array([[1], [2], [3], None]), ["1", "2", "3", "4"]),
        (pa.array([date(2026, 11, 28)] * 4), ["1", "2", "3", "4"]),
        (pa.nulls(4), ["1", "2", "3", "4"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_ids_of_every_kind_name_the_document_or_cost_its_name(tmp_path: Path, ids: pa.Array, names: list[str]) -> None:
    texts = ["One", "Two", "Three", "Four"]
    assert read(write(tmp_path, {"id": ids, "text": texts})) == list(zip(names, texts, strict=True))
