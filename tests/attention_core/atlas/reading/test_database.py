"""Queries of Parquet files: names are quoted, values are bound, a path is one file."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attention_core.atlas.reading import database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    odd = tmp_path / "it's [a] *file*.parquet"
    pq.write_table(pa.table({"window": [1, 2, 3], 'a"b': ["x", "y'z", "$"]}), odd)
    pq.write_table(pa.table({"window": [9]}), tmp_path / "it's a file.parquet")
    return odd


def test_reserved_words_and_quotes_are_names(path: Path) -> None:
    assert database.rows(path, ("window", 'a"b')) == [(1, "x"), (2, "y'z"), (3, "$")]
    assert database.table(path, ("window",), 'ORDER BY "window" DESC').to_pydict() == {"window": [3, 2, 1]}


def test_values_are_not_part_of_the_query(path: Path) -> None:
    assert database.rows(path, ("window",), 'WHERE "a""b" = $text', text="y'z") == [(2,)]
    assert database.rows(path, ("window",), 'WHERE "window" = ANY($ids)', ids=[1, 3, 7]) == [(1,), (3,)]


def test_what_cannot_be_read_is_an_error(path: Path) -> None:
    with pytest.raises(duckdb.Error):
        database.rows(path, ("missing",))
    with pytest.raises(duckdb.Error):
        database.rows(path.with_name("none.parquet"), ("window",))
