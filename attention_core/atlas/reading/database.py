"""Query Parquet files with DuckDB, embedded and read-only.

One database in memory, which holds nothing, and a cursor of it for each query; a file is read where a query names it.
"""

import atexit
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

THREADS = 1
"""Of a query: a portrait reads a few row groups, and requests are beside one another."""


def rows(path: Path, columns: Sequence[str], rest: str = "", **values: Any) -> list[tuple[Any, ...]]:
    """The rows of a Parquet file: these columns, then SQL; ``$name`` in it is one of the values.

    Raises duckdb.Error for a file that cannot be read or lacks a column.
    """
    with _query(path, columns, rest, values) as result:
        return result.fetchall()


def table(path: Path, columns: Sequence[str], rest: str = "", **values: Any) -> pa.Table:
    """The same as an Arrow table."""
    with _query(path, columns, rest, values) as result:
        return result.to_arrow_table()


@contextmanager
def _query(path: Path, columns: Sequence[str], rest: str, values: dict[str, Any]) -> Iterator[Any]:
    named = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    query = f"SELECT {named} FROM read_parquet($path) {rest}"  # noqa: S608 - names are quoted, values are bound
    with _database().cursor() as cursor:
        yield cursor.sql(query, params={"path": _literal(path), **values})


@cache
def _database() -> Any:
    config: dict[str, Any] = {"threads": THREADS, "parquet_metadata_cache": True, "autoinstall_known_extensions": False}
    database = duckdb.connect(":memory:", config=config)
    atexit.register(database.close)
    return database


def _literal(path: Path) -> str:
    """The path as a pattern that matches it alone."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
