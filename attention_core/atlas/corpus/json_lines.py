"""Documents of a JSONL file: a JSON object on each line, with the text and perhaps an ``id``."""

import json
from collections.abc import Iterator
from pathlib import Path

from attention_core.atlas.corpus.document import NO_ID, SURROGATE, CorpusBounds, Document, Found
from attention_core.atlas.corpus.lines import read_lines
from attention_core.refusal import Sentence

JSON_BYTES = 12
"""Bytes of JSON that one character may take: a pair of escapes."""
OTHER_BYTES = 2**16
"""Bytes of a line beside its text."""


def read_jsonl(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Found]:
    """Yield the documents of a JSONL file; without an ``id``, a document is called by its line."""
    longest = JSON_BYTES * bounds.max_document_characters + OTHER_BYTES
    for number, line in read_lines(path, bounds.max_bytes, longest):
        if isinstance(line, Sentence):
            yield number, line
        elif line and not line.isspace():
            yield number, _from_json(line, number, column or "text")


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
    name = record.get("id", number)
    if isinstance(name, bool) or not isinstance(name, str | int) or SURROGATE.search(str(name)):
        return NO_ID
    return Document(str(name), text)
