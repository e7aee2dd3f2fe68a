"""Cut documents into windows of few tokens, at word boundaries.

A window's tokens are those of its own text: analysing that text gives the same tokens, so that a cell of the atlas can
be opened in the Explorer.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from attention_core.atlas.corpus.document import Document, Word
from attention_core.atlas.texts.tokeniser import Tokeniser, Tokens

WINDOWS_BITS = 20
"""A window's id is ``document << 20 | number``: documents of the corpus and windows of a document, both from 0."""
RUN = re.compile(r"\S+")
SPARE = 32
"""One in so many tokens of a window is left free at first: a text cut out may have more tokens than it had."""


@dataclass(frozen=True, eq=False)
class Window:
    """A piece of a document and its tokens."""

    id: int
    document_id: str
    start: int
    """First character in the document."""
    text: str
    tokens: Tokens
    """Spans are characters of ``text``."""
    words: tuple[Word, ...] | None
    """The words of the document that lie within, with their spans and heads in the document."""
    first_word: int
    """Index in the document of the first of them."""

    @property
    def document(self) -> int:
        """Ordinal of the document in the corpus."""
        return self.id >> WINDOWS_BITS

    @property
    def end(self) -> int:
        """One past the last character in the document."""
        return self.start + len(self.text)


def cut_windows(
    tokeniser: Tokeniser,
    documents: Sequence[Document],
    first_document: int,
    window_tokens: int,
    left_out: Callable[[str], None] = lambda _text: None,
) -> list[Window]:
    """All windows of consecutive documents, in order; ``first_document`` is the ordinal of the first of them.

    A window has at most ``window_tokens`` tokens, special ones included. It is cut before a word, and inside a word
    only if that alone has too many tokens. Pieces without any token of their own are left out. ``left_out`` is called
    with each character that alone has more tokens than a window.
    """
    whole = tokeniser([document.text for document in documents])
    spans = [_spans(tokeniser, *each, window_tokens) for each in zip(documents, whole, strict=True)]
    pieces = [
        (number, start, end)
        for number, (document_spans, tokens) in enumerate(zip(spans, whole, strict=True))
        if len(tokens) > window_tokens
        for start, end in document_spans
    ]
    cut = dict(zip(pieces, tokeniser([documents[n].text[start:end] for n, start, end in pieces]), strict=True))
    windows = []
    for number, (document, tokens) in enumerate(zip(documents, whole, strict=True)):
        count = 0
        for start, end in spans[number]:
            for offset, text, tokenised in _fitting(
                tokeniser, document.text[start:end], cut.get((number, start, end), tokens), window_tokens, left_out
            ):
                if tokenised.special.all():
                    continue
                words, first = _words_within(document.words, start + offset, start + offset + len(text))
                window_id = (first_document + number) << WINDOWS_BITS | count
                windows.append(Window(window_id, document.id, start + offset, text, tokenised, words, first))
                count += 1
    return windows


def _spans(tokeniser: Tokeniser, document: Document, tokens: Tokens, window_tokens: int) -> list[tuple[int, int]]:
    """Character spans of the windows; the whole document if it fits."""
    if len(tokens) <= window_tokens:
        return [(0, len(document.text))]
    words = None if document.words is None else [(word.start, word.end) for word in document.words]
    return list(_cuts(document.text, tokens, window_tokens - tokeniser.added, words))


def _cuts(
    text: str, tokens: Tokens, room: int, word_spans: Sequence[tuple[int, int]] | None = None
) -> Iterator[tuple[int, int]]:
    """Consecutive spans of at most about ``room`` tokens, without the spaces around them."""
    starts, ends = _filled_spans(tokens)
    before = _tokens_before_words(text, starts, ends, word_spans)
    most = max(1, room - max(1, room // SPARE))
    first, count = 0, len(starts)
    while first < count:
        last = count
        if first + most < count:
            index = int(np.searchsorted(before, first + most, side="right")) - 1
            last = (
                int(before[index])
                if index >= 0 and before[index] > first
                else _between_characters(starts, ends, first, most)
            )
        start, end = int(starts[first]), int(ends[last - 1])
        piece = text[start:end]
        left = len(piece) - len(piece.lstrip())
        if piece.strip():
            yield start + left, start + left + len(piece.strip())
        first = last


def _filled_spans(tokens: Tokens) -> tuple[Int[np.ndarray, " N"], Int[np.ndarray, " N"]]:
    """Starts and ends of all tokens but those added; one that stands for no character is at the last end."""
    inside = (tokens.starts >= 0) | ~tokens.special
    starts, ends = tokens.starts[inside], np.maximum.accumulate(tokens.ends[inside])
    before = np.concatenate([[0], ends[:-1]])
    nowhere = starts < 0
    return np.where(nowhere, before, starts), np.where(nowhere, np.maximum(before, ends), ends)


def _tokens_before_words(
    text: str, starts: np.ndarray, ends: np.ndarray, word_spans: Sequence[tuple[int, int]] | None
) -> Int[np.ndarray, " words"]:
    """Tokens with which a word begins: they reach into it, and not into the word before."""
    spans = np.array(list(word_spans) if word_spans else [run.span() for run in RUN.finditer(text)]).reshape(-1, 2)
    before = np.concatenate([[0], spans[:-1, 1]])
    owners = np.searchsorted(ends, spans[:, 0], side="right")
    inside = owners < len(starts)
    owners, words, before = owners[inside], spans[inside, 0], before[inside]
    return np.unique(owners[(starts[owners] <= words) & (starts[owners] >= before)])


def _between_characters(starts: np.ndarray, ends: np.ndarray, first: int, most: int) -> int:
    """Where a word of too many tokens is cut: as late as possible, or else behind its first character."""
    for last in (*range(first + most, first, -1), *range(first + most + 1, len(starts))):
        if starts[last] >= ends[last - 1]:
            return last
    return len(starts)


def _fitting(
    tokeniser: Tokeniser, text: str, tokens: Tokens, window_tokens: int, left_out: Callable[[str], None]
) -> Iterator[tuple[int, str, Tokens]]:
    """The text where it fits, else pieces of it: its start, the text and its tokens."""
    room = window_tokens - tokeniser.added
    if len(tokens) <= window_tokens:
        yield 0, text, tokens
        return
    spans = list(_cuts(text, tokens, room))
    if spans == [(0, len(text))]:  # a single character of more tokens than a window has
        left_out(text)
        return
    for start, end in spans:
        piece = text[start:end]
        for offset, shorter, tokenised in _fitting(tokeniser, piece, tokeniser([piece])[0], window_tokens, left_out):
            yield start + offset, shorter, tokenised


def _words_within(words: tuple[Word, ...] | None, start: int, end: int) -> tuple[tuple[Word, ...] | None, int]:
    if words is None:
        return None, 0
    inside = [number for number, word in enumerate(words) if start <= word.start and word.end <= end]
    return (words[inside[0] : inside[-1] + 1], inside[0]) if inside else ((), 0)
