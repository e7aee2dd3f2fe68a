"""CSV files: columns, quotes, ragged and broken records."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core.atlas.corpus.document import CorpusBounds, Document, Skipped
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.formats import read_corpus

BOUNDS = CorpusBounds()


def read(
    folder: Path, content: str | bytes, column: str | None = None, bounds: CorpusBounds = BOUNDS
) -> list[tuple[str | int, str]]:
    """``(id, text)`` of a document, ``(line, reason)`` of what was skipped."""
    path = folder / "a.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = list(read_corpus(path, bounds, column))
    return [(one.id, one.text) if isinstance(one, Document) else (one.line, str(one.reason)) for one in found]


def test_quotes_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    content = 'id,text,year\r\na,"One, ""two"",\nthree",2001\r\n\r\nb,Four,2002\r\n,Five,2003'
    assert read(tmp_path, content) == [("a", 'One, "two",\nthree'), ("b", "Four"), ("6", "Five")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    content = ("\ufeff" if encoding == "utf-16-le" else "") + "text\nWörter 日本\n"
    assert read(tmp_path, content.encode(encoding)) == [("2", "Wörter 日本")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_first_row_says_what_parts_the_fields(tmp_path: Path, delimiter: str) -> None:
    assert read(tmp_path, f'id{delimiter}text\n7{delimiter}"One{delimiter} two"\n') == [("7", f"One{delimiter} two")]


@pytest.mark.parametrize("said", ["sep=;", '"sep=;"', "SEP=;", "\ufeffsep=;"])
def test_excel_s_first_line_says_what_parts_the_fields(tmp_path: Path, said: str) -> None:
    assert read(tmp_path, f"{said}\r\nid;text\r\n1;One, two.\r\n;Three\r\n") == [("1", "One, two."), ("4", "Three")]
    assert read(tmp_path, "sep=;\n") == []
    assert read(tmp_path, "sep=x\nOne\n", "sep=x") == [("2", "One")], "a letter parts nothing"


def test_lines_may_end_in_carriage_returns_alone(tmp_path: Path) -> None:
    assert read(tmp_path, "id,text\r1,One\r,Two\r") == [("1", "One"), ("3", "Two")]


def test_the_column_is_chosen_by_name_or_because_it_is_the_only_one(tmp_path: Path) -> None:
    assert read(tmp_path, "body,id\nOne,a\n") == [("a", "One")]
    assert read(tmp_path, "title,body\nOne,Two\n", "body") == [("2", "Two")]
    assert read(tmp_path, "id,text\nOne,Two\n", "id") == [("2", "One")]
    with pytest.raises(CorpusError, match=r'^a\.csv has no column called "text", but "title", "body": say which'):
        read(tmp_path, "title,body\nOne,Two\n")
    with pytest.raises(CorpusError, match=r'^a\.csv has no column of texts called "x", but "title", "body"\.$'):
        read(tmp_path, "title,body\nOne,Two\n", "x")


def test_records_with_more_or_fewer_fields_are_reported(tmp_path: Path) -> None:
    assert read(tmp_path, "id,text\na,One\nb\nc,Three,3\nd,Four\n") == [
        ("a", "One"),
        (3, "The record has 1 fields, the first row 2."),
        (4, "The record has 3 fields, the first row 2."),
        ("d", "Four"),
    ]


def test_after_a_wrong_quote_the_next_line_is_read(tmp_path: Path) -> None:
    content = 'id,text\na,"One" two\nb,Two\nc,"never closed\nd,Four\ne,"Five\nsix"\nf,Seven\n'
    found = read(tmp_path, content)
    assert found[:2] == [(2, "The record is not CSV: ',' expected after '\"'."), ("b", "Two")]
    # “never closed … e,” is taken for one field, which “Five” must not follow
    assert found[2:4] == [(4, "The record is not CSV: ',' expected after '\"'."), ("d", "Four")]
    assert found[4:] == [("e", "Five\nsix"), ("f", "Seven")]
    assert read(tmp_path, 'text\n"One\nTwo\n') == [(2, "The record is not CSV: unexpected end of data."), ("3", "Two")]


def test_a_broken_line_costs_its_record_alone(tmp_path: Path) -> None:
    content = b'text\nOne\n\xff\n"Two\n\xfe"\nThree\n"Four\n\0"\n'
    assert read(tmp_path, content) == [
        ("2", "One"),
        (3, "The line is not valid UTF-8."),
        (4, "The record has a broken line."),
        (5, "The line is not valid UTF-8."),
        ("6", "Three"),
        (7, "The record has a broken line."),
        (8, "The line contains a NUL character; UTF-16 is read only with a byte order mark."),
    ]


def test_fields_may_be_as_long_as_documents(tmp_path: Path) -> None:
    bounds = CorpusBounds(max_document_characters=200_000)
    assert len(read(tmp_path, f"text\n{'x' * 200_000}\n", None, bounds)[0][1]) == 200_000
    assert read(tmp_path, f"text\n{'x' * 200_001}\nOne\n", None, bounds) == [
        (2, "The document has more than 200000 characters (max_document_characters)."),
        ("3", "One"),
    ]
    assert read(tmp_path, f"text\n{'x' * 300_000}\nOne\n", None, bounds) == [
        (2, "The record has more than 265536 characters."),
        ("3", "One"),
    ]
    assert read(tmp_path, f"text\n{'x' * 2_000_000}\nOne\n", None, bounds) == [
        (2, "The line is longer than 1062144 bytes."),
        ("3", "One"),
    ]


@pytest.mark.full
def test_a_quote_in_every_line_that_none_closes_is_read_in_linear_time(tmp_path: Path) -> None:
    """Each line closes the quote of the line before and opens the next: all of them are one endless record."""
    found = read(tmp_path, "a,b\n" + 'x","\n' * 100_000, "b", CorpusBounds(max_document_characters=1_000))
    assert {type(where) for where, _ in found} == {int}
    assert len(found) < 100


@pytest.mark.full
@given(
    rows=st.lists(st.lists(st.text(st.characters(exclude_characters="\r\0", codec="utf-8")), min_size=2, max_size=2))
)
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_what_pythons_writer_writes_is_read(tmp_path: Path, rows: list[list[str]]) -> None:
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows([["text", "x"], *rows])
    texts = [text for text, _ in rows if text.strip()]
    assert [text for where, text in read(tmp_path, content.getvalue()) if isinstance(where, str)] == texts


@pytest.mark.full
@given(content=st.one_of(st.binary(), st.text('a",;\n\r\0').map(str.encode)))
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_any_bytes_are_read_or_reported(tmp_path: Path, content: bytes) -> None:
    try:
        found = read(tmp_path, b"text\n" + content)
    except CorpusError as refusal:
        pytest.fail(str(refusal))
    lines = (b"text\n" + content).count(b"\n") + 1
    assert all(2 <= int(where) <= lines for where, _ in found)
    path = tmp_path / "b.csv"
    path.write_bytes(content)
    try:
        assert all(isinstance(one, Document | Skipped) for one in read_corpus(path, BOUNDS, "a"))
    except CorpusError as refusal:
        assert "no column" in str(refusal)  # noqa: PT017
