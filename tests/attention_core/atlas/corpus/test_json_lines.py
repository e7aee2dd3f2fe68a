"""JSONL files: objects, ids, lines that are none."""

from pathlib import Path

import pytest

from attention_core.atlas.corpus.document import CorpusBounds, Document
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.formats import read_corpus
from attention_core.atlas.corpus.json_lines import JSON_BYTES, OTHER_BYTES


def read(
    folder: Path, content: str | bytes, column: str | None = None, bounds: CorpusBounds | None = None
) -> list[tuple[str | int, str]]:
    path = folder / "a.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = list(read_corpus(path, bounds or CorpusBounds(), column))
    return [(one.id, one.text) if isinstance(one, Document) else (one.line, str(one.reason)) for one in found]


def test_objects_with_and_without_ids(tmp_path: Path) -> None:
    content = (
        '{"text": "One\\n\\u00df", "id": "a"}\r\n\n{"year": 1, "text": " Two "}\n{"id": 7, "text": "🙂", "text": "3"}'
    )
    assert read(tmp_path, content) == [("a", "One\nß"), ("3", " Two "), ("7", "3")]
    assert read(tmp_path, "\ufeff" + content) == read(tmp_path, content)
    assert read(tmp_path, content.encode("utf-16")) == read(tmp_path, content)
    assert read(tmp_path, '{"body": "One", "text": "Two"}', "body") == [("1", "One")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("text", "The line is not JSON: Expecting value at character 1."),
        ('{"text": "One"', "The line is not JSON: Expecting ',' delimiter at character 15."),
        ('{"text": "One"} {}', "The line is not JSON: Extra data at character 17."),
        ('{"text": "a\tb"}', "The line is not JSON: Invalid control character at at character 12."),
        ("[" * 100_000, "The line is JSON beyond what can be read."),
        (f'{{"text": "One", "n": {"9" * 5_000}}}', "The line is JSON beyond what can be read."),
        ('["text"]', "The line is not a JSON object."),
        ("null", "The line is not a JSON object."),
        ("{}", 'The object has no text called "text".'),
        ('{"text": 5}', 'The object has no text called "text".'),
        ('{"text": null, "body": "One"}', 'The object has no text called "text".'),
        (b'{"text": "\xe9"}', "The line is not valid UTF-8."),
        (b'{"text": "\xed\xa0\x80"}', "The line is not valid UTF-8."),
        (b'{"text": "\0"}', "The line contains a NUL character; UTF-16 is read only with a byte order mark."),
    ],
)
def test_a_line_that_is_no_document_is_reported_and_the_others_are_read(
    tmp_path: Path, line: str | bytes, reason: str
) -> None:
    line = line.encode() if isinstance(line, str) else line
    content = b'{"text": "before"}\n' + line + b'\n{"text": "after"}'
    assert read(tmp_path, content) == [("1", "before"), (2, reason), ("3", "after")]


def test_a_line_of_any_length_is_passed_over(tmp_path: Path) -> None:
    bounds = CorpusBounds(max_document_characters=100)
    longest = JSON_BYTES * 100 + OTHER_BYTES
    fits = '{"text": "' + "\\ud83d\\ude42" * 100 + '"}'
    content = fits + "\n" + '{"text": "' + "x" * longest + '"}\n' + '{"text": "after"}\n' + "x" * 3 * longest
    assert read(tmp_path, content, None, bounds) == [
        ("1", "🙂" * 100),
        (2, f"The line is longer than {longest} bytes."),
        ("3", "after"),
        (4, f"The line is longer than {longest} bytes."),
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        *((each, "1") for each in ("null", "true", "[1]", '{"$oid": "a1"}', '""', '" "', "NaN", "1e999")),
        *((each, "1") for each in (r'"\ud800"', f'"{"x" * 1_001}"', f'"{"é" * 1_001}"')),
        ("1.0", "1"),
        ("7", "7"),
        ("7.0", "7"),
        ("-2.50", "-2.5"),
        ('"7.0"', "7.0"),
        (f'"{"x" * 1_000}"', "x" * 1_000),
    ],
)
def test_an_id_that_cannot_be_used_costs_the_name_and_not_the_document(tmp_path: Path, given: str, name: str) -> None:
    assert read(tmp_path, f'{{"id": {given}, "text": "One"}}\n') == [(name, "One")]


def test_the_texts_are_in_the_only_field_of_texts(tmp_path: Path) -> None:
    other = '{"id": "a", "content": "One", "meta": {"a": 1}}\n{"content": "Two", "year": 2}\n'
    assert read(tmp_path, other) == [("a", "One"), ("2", "Two")]
    late = "".join(f'{{"content": "{line}"}}\n' for line in range(98)) + '{"text": "One"}\n'
    assert read(tmp_path, late)[-1] == ("99", "One"), "one of the first hundred has what is looked for"
    several = '{"title": "A", "body": "One"}\n{"body": "Two", "title": "B", "note": "C"}\n'
    with pytest.raises(
        CorpusError, match=r'no column called "text", but "title", "body": say which one holds the texts'
    ):
        read(tmp_path, several)
    assert read(tmp_path, several, "body") == [("1", "One"), ("2", "Two")]
    assert read(tmp_path, '{"year": 1}\n') == [(1, 'The object has no text called "text".')]
