"""Documents of a CSV file: a column of texts, and perhaps one called ``id``."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from attention_core.atlas.corpus.columns import ID, text_column
from attention_core.atlas.corpus.document import CorpusBounds, Document, Found, id_or_line
from attention_core.atlas.corpus.lines import Line, read_lines
from attention_core.refusal import Sentence

DELIMITERS = ",;\t"
SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)
BYTES = 4
"""Of one character in UTF-8, at most."""
OTHER_CHARACTERS = 2**16
"""Characters of a record beside its text."""


def read_csv(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Found]:
    """Yield the documents of a CSV file (RFC 4180: fields in quotes may have line breaks, quotes are doubled in them).

    The first row names the columns; commas part them, or semicolons or tabs where it has no comma, or what a line
    ``sep=;`` before it says, as Excel reads and writes it. The texts are in ``column``, else in ``text``, else in the
    only column beside ``id``. A record with a wrong quote is reported by its first line, and reading goes on in the
    line after that.
    """
    longest = bounds.max_document_characters + OTHER_CHARACTERS
    csv.field_size_limit(max(2 * longest, csv.field_size_limit()))
    lines = _Lines(read_lines(path, bounds.max_bytes, BYTES * longest), longest)
    first = lines.peek()
    if said := SEPARATOR.fullmatch(first):
        lines.drop()
    delimiter = said[1] if said else next((sign for sign in DELIMITERS if sign in first), DELIMITERS[0])
    records = _records(lines, csv.reader(lines, delimiter=delimiter, strict=True))
    header: list[str] = []
    for line, record in records:
        if isinstance(record, Sentence):
            yield line, record
        elif not header:
            header = [name.strip() for name in record]
            text = header.index(text_column(path.name, header, column))
            name = header.index(ID) if ID in header and header[text] != ID else None
        elif len(record) != len(header):
            yield line, Sentence("The record has {count} fields, the first row {columns}.", len(record), len(header))
        else:
            yield line, Document(id_or_line(None if name is None else record[name], line), record[text])


def _records(lines: "_Lines", reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str] | Sentence]]:
    """The records with the line where each begins, or why one cannot be read; blank lines are none."""
    while True:
        lines.begin()
        try:
            if record := next(reader):
                yield lines.first, record
        except StopIteration:
            return
        except _BrokenRecordError as error:
            yield lines.first, error.reason
            lines.go_back()
        except csv.Error as error:
            yield lines.first, Sentence("The record is not CSV: {problem}.", str(error))
            lines.go_back()


class _BrokenRecordError(Exception):
    """A record that cannot be read to its end."""

    def __init__(self, reason: Sentence) -> None:
        self.reason = reason


class _Lines:
    """Lines for a CSV reader, with those of the record that is being read kept, so that they can be read again."""

    def __init__(self, lines: Iterator[Line], longest: int) -> None:
        self.lines = lines
        self.longest = longest
        self.record: list[Line] = []
        self.again: deque[Line] = deque()
        self.size = 0
        self.read = self.read_again = 0
        """Characters so far. What is read again is bounded by what is read, whatever the quotes in a file are."""

    def peek(self) -> str:
        """The first line."""
        self.again.extend(islice(self.lines, 1))
        return str(self.again[0][1]) if self.again else ""

    def drop(self) -> None:
        """Pass over the line that was peeked at."""
        self.again.popleft()

    @property
    def first(self) -> int:
        """The line where the record begins."""
        return self.record[0][0]

    def begin(self) -> None:
        """Forget the record before."""
        self.record, self.size = [], 0

    def go_back(self) -> None:
        """Return to the second line of a record that turned out to be none."""
        if self.read_again + self.size <= self.read + self.longest:
            self.again.extendleft(reversed(self.record[1:]))
            self.read_again += self.size

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        is_new = not self.again
        line = next(self.lines) if is_new else self.again.popleft()
        self.record.append(line)
        text = line[1]
        if isinstance(text, Sentence):
            raise _BrokenRecordError(text if len(self.record) == 1 else Sentence("The record has a broken line."))
        self.size += len(text) + 1
        self.read += (len(text) + 1) * is_new
        if self.size > self.longest:
            raise _BrokenRecordError(Sentence("The record has more than {limit} characters.", limit=self.longest))
        return text + "\n"
