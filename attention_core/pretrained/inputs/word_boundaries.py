"""Words of a text by Unicode's default word boundaries (UAX #29), and which tokens make one up.

The boundaries are those of the characters of the input, so every tokenizer has the same words: “can't”, “3.14” and
“सुन्दर” are one each, punctuation marks and emoji one by one. Where words are not written apart and only a dictionary
could tell them (Chinese, Japanese, Thai, Lao, Khmer, Burmese), each character with its marks has boundaries, so a token
is a word by itself. A blank that is a token by itself goes with the word behind it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import regex

from attention_core.pretrained.inputs.spans import CONTINUED, Span, is_blank

IGNORED = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
"""Marks, joiners and the like, which belong to what they follow (WB4)."""


def _of(*properties: str) -> str:
    """A character with one of these values of Word_Break, and what belongs to it."""
    return "(?:[" + "".join(rf"\p{{WB={name}}}" for name in properties) + f"]{IGNORED})"


LETTER, DIGIT, KATAKANA = _of("ALetter", "Hebrew_Letter"), _of("Numeric"), _of("Katakana")
BETWEEN_LETTERS = _of("MidLetter", "MidNumLet", "Single_Quote")
BETWEEN_DIGITS = _of("MidNum", "MidNumLet", "Single_Quote")
CONNECTOR = _of("ExtendNumLet")
BEHIND_HEBREW = rf"(?<=\p{{WB=Hebrew_Letter}}{IGNORED})"
HEBREW_MARK = f"{BEHIND_HEBREW}{_of('Double_Quote')}(?={_of('Hebrew_Letter')})"
LETTERS = f"{LETTER}(?:(?:{BETWEEN_LETTERS}|{HEBREW_MARK})?{LETTER})*+"
DIGITS = f"{DIGIT}(?:{BETWEEN_DIGITS}?{DIGIT})*+"
RUN = f"(?:(?:{LETTERS}|{DIGITS})++|{KATAKANA}++)"
SEGMENT = regex.compile(
    rf"""(?s)(?:\r\n|[\r\n\p{{WB=Newline}}]
    |{CONNECTOR}*+{RUN}(?:{CONNECTOR}++{RUN})*+(?:{BEHIND_HEBREW}{_of("Single_Quote")}|{CONNECTOR}*+)
    |{CONNECTOR}++
    |{_of("Regional_Indicator")}{_of("Regional_Indicator")}
    |\p{{WB=WSegSpace}}++{IGNORED}
    |.{IGNORED})
    (?:(?<=\u200d)\p{{Extended_Pictographic}}{IGNORED})*+""",
    regex.VERBOSE,
)
"""What has no boundary inside it: a line break, a word, a flag, blanks, or a single character with its marks."""
NO_WORD = -1


@runtime_checkable
class TextToken(Protocol):
    """What is asked of a token."""

    @property
    def text(self) -> str:
        """What it says."""

    @property
    def token(self) -> str:
        """As the vocabulary spells it."""

    @property
    def start(self) -> int | None:
        """First character in its text."""

    @property
    def end(self) -> int | None:
        """One past the last."""

    @property
    def special(self) -> bool:
        """Whether it has a role."""

    @property
    def segment(self) -> int:
        """The number of its text."""


class WordOfToken(NamedTuple):
    """What is to be said of a token's word."""

    number: int | None
    """Counted through all texts; None for a special token."""
    text: str | None
    """Of the first of several tokens of a word, what the word says."""


def word_spans(text: str) -> list[Span]:
    """What lies between two boundaries, without blanks."""
    return [match.span() for match in SEGMENT.finditer(text) if not match.group().isspace()]


def words_of(tokens: Sequence[TextToken], texts: Sequence[str]) -> list[WordOfToken]:
    """The word of each token; ``texts`` by segment, none where tokens came without a text."""
    words = [_word_of_characters(text) for text in texts]
    numbers: list[int | None] = []
    count = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        if not token.special and (before is None or not _continues(token, before, words)):
            count += 1
        numbers.append(None if token.special else count - 1)
    found = [WordOfToken(number, None) for number in numbers]
    for own in _runs(numbers):
        placed = [token for token in tokens[own.start : own.stop] if token.start is not None]
        if len(own) > 1 and placed:
            source = texts[placed[0].segment][placed[0].start : placed[-1].end]
            found[own.start] = WordOfToken(numbers[own.start], _said(tokens[own.start], source))
    return found


def _word_of_characters(text: str) -> list[int]:
    """For each character the number of its word; NO_WORD for blanks."""
    words = [NO_WORD] * len(text)
    for number, (start, end) in enumerate(word_spans(text)):
        words[start:end] = [number] * (end - start)
    return words


def _continues(token: TextToken, before: TextToken, words: Sequence[Sequence[int]]) -> bool:
    """Whether a token begins in the word, or in the character, in which the one before it ends."""
    if before.special or token.segment != before.segment:
        return False
    if token.start is None:  # it stands for no character, or there is no text: its vocabulary has a sign for it
        return token.token.startswith(CONTINUED) and token.token != CONTINUED
    own = words[token.segment]
    first = next((each for each in own[token.start : token.end] if each != NO_WORD), None)
    if first is not None and own[token.start] == first and _is_its_blank(before, token.start):
        return True
    if before.start is None or before.end is None:
        return False
    last = next((each for each in reversed(own[before.start : before.end]) if each != NO_WORD), None)
    return token.start < before.end or (first is not None and first == last)


def _is_its_blank(before: TextToken, start: int) -> bool:
    """Whether a token is the one blank in front of a word that begins here."""
    return is_blank(before.token) and len(before.token) == 1 and before.end in {None, start}


def _runs(numbers: Sequence[int | None]) -> Iterator[range]:
    """Indices of equal numbers that follow each other."""
    start = 0
    for index in range(1, len(numbers) + 1):
        if index == len(numbers) or numbers[index] != numbers[start]:
            if numbers[start] is not None:
                yield range(start, index)
            start = index


def _said(first: TextToken, source: str) -> str:
    """The characters of a word, with the blank in front only if its first token says it."""
    blanks = len(first.text) - len(first.text.lstrip())
    return first.text[:blanks] + source.strip()
