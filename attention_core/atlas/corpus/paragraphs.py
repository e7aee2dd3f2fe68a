"""Documents of a plain text file: its paragraphs, which blank lines separate."""

from collections.abc import Iterator
from pathlib import Path

from attention_core.atlas.corpus.document import CorpusBounds, Document, Found
from attention_core.atlas.corpus.lines import read_pieces
from attention_core.refusal import Sentence

SHORTEST_PIECE = 16
"""Bytes that are read at a time at least, so that a character is never longer."""


def read_text(path: Path, bounds: CorpusBounds, _column: str | None = None) -> Iterator[Found]:
    """Yield the paragraphs of a text file; the id is the line where one begins.

    A paragraph that is too long is cut, at white space if there is any near; the id of each further part ends in
    ``:2``, ``:3`` …. A line that cannot be read ends a paragraph.
    """
    paragraph = _Paragraph(bounds.max_document_characters)
    for number, piece, line_ends in read_pieces(path, bounds.max_bytes, max(paragraph.longest, SHORTEST_PIECE)):
        if isinstance(piece, Sentence):
            yield from paragraph.take(ended=True)
            yield number, piece
            continue
        paragraph.add(number, piece, line_ends)
        if paragraph.is_ended or paragraph.size > paragraph.longest:
            yield from paragraph.take(ended=paragraph.is_ended)
    yield from paragraph.take(ended=True)


class _Paragraph:
    """The lines of a paragraph as they are read, of which at most ``longest`` characters are kept."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self.pieces: list[str] = []
        self.size = 0
        self.line = 0
        self.cuts = 0
        self.begun = self.inside_a_line = self.is_ended = False
        self.blank = True
        """Whether the line has been blank so far."""

    def add(self, number: int, piece: str, line_ends: bool) -> None:
        """Add a line, or a piece of one; a blank line ends the paragraph."""
        self.blank = (self.blank or not self.inside_a_line) and (not piece or piece.isspace())
        self.is_ended = line_ends and self.blank
        if not self.blank and not self.begun:
            self.line, self.begun = number, True
        self.pieces.append(piece + "\n" if line_ends else piece)
        self.size += len(self.pieces[-1])
        self.inside_a_line = not line_ends

    def take(self, ended: bool) -> Iterator[Found]:
        """Yield what is too long for one document, and the rest if the paragraph has ended."""
        text = "".join(self.pieces)
        while len(text) > self.longest or (ended and text):
            end = self._cut(text)
            part, text = text[:end].strip(), text[end:].lstrip()
            if part:
                self.cuts += 1
                yield self.line, Document(f"{self.line}:{self.cuts}" if self.cuts > 1 else str(self.line), part)
        self.pieces = [text] if text else []
        self.size = len(text)
        if ended:
            self.cuts, self.begun, self.inside_a_line = 0, False, False

    def _cut(self, text: str) -> int:
        """Where to cut so that the first part has at most ``longest`` characters."""
        if len(text) <= self.longest:
            return len(text)
        latest, earliest = self.longest, self.longest // 2
        return next((position for position in range(latest, earliest, -1) if text[position].isspace()), latest)
