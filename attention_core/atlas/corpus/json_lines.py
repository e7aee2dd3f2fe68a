"""Documents of a JSONL file: a JSON object on each line, with the text and perhaps an ``id``."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from attention_core.atlas.corpus.columns import ID, TEXT, text_column
from attention_core.atlas.corpus.document import CorpusBounds, Document, Found, id_or_line
from attention_core.atlas.corpus.lines import Line, read_lines
from attention_core.refusal import Sentence

JSON_BYTES = 12
"""Bytes of JSON that one character may take: a pair of escapes."""
OTHER_BYTES = 2**16
"""Bytes of a line beside its text."""
FIRST_LINES = 100
"""By these it is told which field holds the texts …"""
FIRST_CHARACTERS = 2**20
"""… or by fewer, with no more than so many characters and a line."""


def read_jsonl(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Found]:
    """Yield the documents of a JSONL file; without an ``id``, a document is called by its line.

    The texts are in ``column``, else in ``text``, else in the only field beside ``id`` that is a text in each of the
    first objects. Raises ``CorpusError`` that names these fields where there are several.
    """
    longest = JSON_BYTES * bounds.max_document_characters + OTHER_BYTES
    lines = read_lines(path, bounds.max_bytes, longest)
    first = list(_first(lines)) if column is None else []
    column = column or _text_name(path.name, first)
    for number, line in chain(first, lines):
        if isinstance(line, Sentence):
            yield number, line
        elif line and not line.isspace():
            yield number, _from_json(line, number, column)


def _first(lines: Iterator[Line]) -> Iterator[Line]:
    """The first lines: a hundred, or fewer that are long."""
    size = 0
    for line in islice(lines, FIRST_LINES):
        yield line
        size += len(line[1]) if isinstance(line[1], str) else 0
        if size > FIRST_CHARACTERS:
            return


def _text_name(file: str, lines: Iterable[Line]) -> str:
    """The field that holds the texts; ``text`` where the first lines do not say."""
    records = [record for _, line in lines if isinstance(record := _json(line), dict)]
    named = [[name for name, value in record.items() if isinstance(value, str) and name != ID] for record in records]
    common = [name for name in (named or [[]])[0] if all(name in names for names in named)]
    if any(TEXT in names for names in named) or not common:
        return TEXT
    return text_column(file, common, None)


def _json(line: str | Sentence) -> object:
    try:
        return None if isinstance(line, Sentence) else json.loads(line)
    except (ValueError, RecursionError):
        return None


def _from_json(line: str, number: int, column: str) -> Document | Sentence:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        return Sentence("The line is not JSON: {problem} at character {character}.", error.msg, error.colno)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list in a list in a list …
        return Sentence("The line is JSON beyond what can be read.")
    if not isinstance(record, dict):
        return Sentence("The line is not a JSON object.")
    if not isinstance(text := record.get(column), str):
        return Sentence('The object has no text called "{column}".', column)
    return Document(id_or_line(record.get(ID), number), text)
