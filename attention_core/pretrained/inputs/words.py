"""Find words in a text and map them to tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.recording.selection import check_index


@dataclass(frozen=True)
class WordChoice:
    """One word of one text, given by its spelling or by one of its tokens."""

    text: str
    word: str | None = None
    """Case-insensitive; matches whole words by Unicode's word boundaries if there are any, else any substring."""
    occurrence: int = 0
    """Which occurrence, counted from 0."""
    token: int | None = None
    """Index of a token, instead of ``word``."""


def find_word(choice: WordChoice) -> tuple[int, int]:
    """Start of the word in its text, and its end (exclusive).

    Raises SelectionError for a word that does not occur, or not often enough.
    """
    word = (choice.word or "").strip()
    if not word:
        raise SelectionError("The word is empty: give a word that occurs in the text.", field="word")
    pattern = regex.escape(word)
    spans = [
        places
        for each in (rf"(?w)\b{pattern}\b", pattern)
        if (places := [match.span() for match in regex.finditer(each, choice.text, regex.IGNORECASE)])
    ]
    if not spans:
        raise SelectionError("The word does not occur in the text.", field="word")
    return spans[0][check_index("occurrence", choice.occurrence, len(spans[0]))]


def word_tokens(choice: WordChoice, tokens: list[Token]) -> list[int]:
    """Indices of the word's tokens, or of the one chosen token.

    Raises SelectionError like ``find_word``, for a token out of range, and unless exactly one of word and token is
    given.
    """
    if (choice.word is None) == (choice.token is None):
        raise SelectionError("{name} must be given, or {other}, and not both", "word", "token", field="word")
    if choice.token is not None:
        return [check_index("token", choice.token, len(tokens))]
    start, end = find_word(choice)
    spans = [
        token.index
        for token in tokens
        if token.start is not None and token.end is not None and token.start < end and start < token.end
    ]
    if not spans:
        raise SelectionError("word is not among the model's input tokens", field="word")
    return spans


def continues_word(token: Token, before: Token | None) -> bool:
    """Whether a token is of the same word as the one before it."""
    return before is not None and token.word is not None and token.word == before.word


def spans_of(tokens: Sequence[Token], *, hide_special: bool, words: bool) -> list[range]:
    """The range of tokens that each displayed token covers: one, or with ``words`` a whole word."""
    spans: list[range] = []
    for index, token in enumerate(tokens):
        if hide_special and token.special:
            continue
        if words and spans and spans[-1].stop == index and continues_word(token, tokens[index - 1]):
            spans[-1] = range(spans[-1].start, index + 1)
        else:
            spans.append(range(index, index + 1))
    return spans
