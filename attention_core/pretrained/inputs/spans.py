"""Which characters of a text each token stands for, and what a token says: the one rule for every kind of tokenizer.

Spans follow each other and do not overlap; tokens that are parts of one character all have that character. What no
token has is what the tokenizer drops: blanks between words, control characters. A blank that the tokenizer put in front
of a text stands for no character.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product

from attention_core.pretrained.inputs.byte_pieces import bytes_divided

Span = tuple[int, int]
"""First character and one past the last; both the same for a token that stands for no character."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
BLANKS = BLANK + "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""How vocabularies write a blank: SentencePiece's, and those of bytes."""
CONTINUED = "##"
"""WordPiece's sign before a piece that continues a word."""
ENDINGS = ("@@", "</w>")
"""Signs of BPE behind a piece: the word goes on, the word ends."""


def is_blank(piece: str) -> bool:
    """Whether a piece of the vocabulary is blanks alone."""
    return bool(piece) and not piece.strip(BLANKS + " \t\n\r\v\f")


def without_borrowed(
    pieces: Sequence[str], offsets: Sequence[Span], numbers: Sequence[int | None], texts: Sequence[str]
) -> list[Span]:
    """The spans of a tokenizer that gives them, without the characters that are another token's.

    Where the tokenizer writes a blank that is not among the characters it read, the library gives the blank the
    characters of the token behind it. The blank has those in front instead that no token has, or none. A token of
    whole characters and of a part of another has the whole ones, the bytes of several characters have one each, and
    accents that the tokenizer drops belong to their letter. ``numbers`` says of each token which text it is from; None
    for one that was added.
    """
    spans = bytes_divided(pieces, offsets, numbers, texts)
    blanks = {piece for piece in set(pieces) if is_blank(piece)}
    borrowed = _cut_at_the_next(spans, [piece in blanks for piece in pieces], numbers, texts)
    reached = [0] * len(texts)
    for index, number in enumerate(numbers):
        if number is None:
            continue
        start, end = spans[index]
        if borrowed[index]:
            start, end = _blanks_before(texts[number], reached[number], start)
        elif start < reached[number] < end:
            start = reached[number]
        spans[index] = (start, end)
        reached[number] = max(reached[number], end)
    for number, text in enumerate(texts):
        if not text.isascii():
            own = [index for index, each in enumerate(numbers) if each == number and pieces[index] not in blanks]
            for at, span in zip(own, _with_marks([spans[place] for place in own], text), strict=True):
                spans[at] = span or spans[at]
    return spans


def _cut_at_the_next(
    spans: list[Span], are_blanks: Sequence[bool], numbers: Sequence[int | None], texts: Sequence[str]
) -> list[bool]:
    """End each span where the next begins; True for each blank whose characters are no blanks, or the next token's."""
    following = [len(text) for text in texts]
    borrowed = [False] * len(spans)
    for index in reversed(range(len(spans))):
        (start, end), number = spans[index], numbers[index]
        if number is None or start >= end:
            continue
        after, following[number] = following[number], start
        borrowed[index] = are_blanks[index] and (after < end or _is_written(texts[number][start:end]))
        if start < after < end:
            spans[index] = (start, after)
    return borrowed


def _is_written(source: str) -> bool:
    """Whether there is a letter or a sign other than those of blanks."""
    return any(unicodedata.category(sign)[0] not in "CZ" and sign not in BLANKS for sign in source)


def _blanks_before(text: str, first: int, end: int) -> Span:
    """The blanks that end here, as far back as ``first``."""
    start = end
    while start > first and text[start - 1].isspace():
        start -= 1
    return start, end


def searched(pieces: Sequence[str | None], text: str) -> list[Span]:
    """The spans of a tokenizer that gives none (one written in Python), searched for in order.

    ``pieces`` are those of ``bare_piece``, None for one that the vocabulary does not know. Case, width, accents and
    blanks may differ from the text's.
    """
    # Case tells pieces apart, where the tokenizer keeps it; most of those unknown are letters, some are line breaks.
    for fold, has_letters in product((_bare, _folded), (True, False)):
        search = _Search(text, fold, unknown_has_letters=has_letters)
        known = [(index, fold(piece)) for index, piece in enumerate(pieces) if piece is None or not is_blank(piece)]
        for is_known, run in groupby(known, key=lambda each: bool(each[1])):
            own = list(run)
            if is_known:
                search.place(own, is_last=own[-1][0] == known[-1][0])
            else:
                search.leave([index for index, _ in own], sum(pieces[index] is None for index, _ in own))
        search.fill(len(text))
        if search.is_straight:
            break
    spans = [search.spans.get(index) for index in range(len(pieces))]
    return list(_with_blanks(pieces, _with_marks(spans, text), text))


class _Search:
    """Finds pieces one after the other in a text whose blanks, accents, case and width are left out."""

    def __init__(self, text: str, fold: Callable[[str | None], str], *, unknown_has_letters: bool) -> None:
        self.spans: dict[int, Span] = {}
        self.is_straight = True
        """Whether every stretch of known pieces was found as it is."""
        self._text = text
        self._unknown_has_letters = unknown_has_letters
        letters = [(letter, index) for index, sign in enumerate(text) for letter in fold(sign)]
        self._letters = "".join(letter for letter, _ in letters)
        self._origins = [index for _, index in letters]
        self._reached = 0
        """Letters that are passed."""
        self._end = 0
        """Characters that are passed."""
        self._waiting: list[int] = []
        """Tokens whose characters only the next one found will tell."""
        self._unknown = 0
        """How many of these are not parts of characters."""

    def leave(self, tokens: list[int], unknown: int) -> None:
        """Pass tokens that do not say which letters they are of."""
        self._waiting += tokens
        self._unknown += unknown

    def place(self, run: list[tuple[int, str]], *, is_last: bool) -> None:
        """Place tokens that follow each other without a gap; one by one if they do not."""
        letters = "".join(each for _, each in run)
        at = self._find(letters, is_last=is_last)
        if at >= 0:
            self._reached = at
        self.is_straight &= at >= 0
        for index, own in run:
            reached = self._reached if at >= 0 else self._find(own, is_last=False)
            if reached < 0:
                self.leave([index], 1)
                continue
            start, end = self._origins[reached], self._origins[reached + len(own) - 1] + 1
            self.fill(start)
            self.spans[index] = (start, end)
            self._reached, self._end = reached + len(own), end

    def _find(self, letters: str, *, is_last: bool) -> int:
        """Where the letters are: here, at the end for the last ones of a text, or the nearest."""
        if not self._waiting and self._letters.startswith(letters, self._reached):
            return self._reached
        first = self._reached + (self._unknown if self._unknown_has_letters else 0)
        nearest = len(self._letters) - len(letters)
        if is_last and nearest >= first and self._letters.endswith(letters):
            return nearest
        return self._letters.find(letters, first)

    def fill(self, end: int) -> None:
        """Give the characters that were passed to the tokens that wait, if it is clear which to which."""
        shared = _shared(self._text, self._end, end, len(self._waiting), of_bytes=not self._unknown)
        self.spans.update(zip(self._waiting, shared, strict=False))
        self._waiting, self._unknown = [], 0


def _shared(text: str, first: int, end: int, count: int, *, of_bytes: bool) -> list[Span]:
    """Spans of so many tokens that stand for a stretch of the text; none if it can be divided in several ways."""
    places = [index for index in range(first, end) if not text[index].isspace()]
    if of_bytes:  # those that are characters by themselves say so
        places = [index for index in range(first, end) if not text[index].isascii() for _ in text[index].encode()]
    words = [[*own] for key, own in groupby(range(first, end), key=lambda index: text[index].isspace()) if not key]
    if count == len(places):
        return [(index, index + 1) for index in places]
    if count == 1 and words:
        return [(words[0][0], words[-1][-1] + 1)]
    return [(word[0], word[-1] + 1) for word in words] if count == len(words) else []


def _with_marks(spans: Sequence[Span | None], text: str) -> list[Span | None]:
    """Accents and voicing signs of its last letter belong to a token, unless they are tokens themselves."""
    starts = {span[0] for span in spans if span is not None}
    return [span and (span[0], _past_marks(text, span[1], starts)) for span in spans]


def _past_marks(text: str, end: int, starts: set[int]) -> int:
    while end < len(text) and end not in starts and _is_mark(text[end]):
        end += 1
    return end


def _is_mark(sign: str) -> bool:
    """Whether it belongs to the letter in front: an accent, a vowel sign, a voicing sign of any width."""
    return unicodedata.category(sign)[0] == "M" or (not sign.isspace() and not _folded(sign))


def _with_blanks(pieces: Sequence[str | None], spans: Sequence[Span | None], text: str) -> Iterator[Span]:
    """Tokens of blanks alone have the blanks between their neighbours: one each, and the last of them the rest."""
    reached = 0
    for index, (piece, span) in enumerate(zip(pieces, spans, strict=True)):
        if span is None and piece is not None and is_blank(piece):
            following = next((other[0] for other in spans[index:] if other is not None), len(text))
            is_more = index + 1 < len(pieces) and is_blank(pieces[index + 1] or "")
            blanks = following if not is_more else min(following, reached + len(piece))
            span = (reached, blanks) if text[reached:blanks].isspace() else None  # noqa: PLW2901
        span = (reached, reached) if span is None else span  # noqa: PLW2901
        reached = max(reached, span[1])
        yield span


def _bare(text: str | None) -> str:
    return "".join((text or "").split())


def _folded(text: str | None) -> str:
    """The letters alone, whatever a tokenizer does with case, width, accents and blanks."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text or "").casefold())
    return "".join(sign for sign in plain if not (sign.isspace() or unicodedata.combining(sign)))


def bare_piece(piece: str, decoded: str) -> str:
    """What a piece of a vocabulary says, without the vocabulary's signs; nothing if it is a part of a character."""
    if not decoded or REPLACEMENT in decoded:
        return " " if is_blank(piece) else ""
    bare = decoded.replace(BLANK, " ")
    if bare.isspace():
        return " " * len(bare)
    return _without_signs(piece, bare.strip())


def token_text(piece: str, decoded: str, text: str, span: Span, reached: int, *, is_special: bool) -> str:
    """What a token says in a text, of which the tokens before it have the first ``reached`` characters.

    The piece decoded by itself, without signs of the vocabulary and with the blank in front if the text has it there;
    of a piece that is only a part of a character, that character.
    """
    source = text[slice(*span)]
    if not is_special and is_blank(piece) and not (source and decoded == source):
        return "".join(" " if sign in BLANKS else sign for sign in piece)[: len(source) or None]
    if not decoded or REPLACEMENT in decoded:
        return source or piece
    if is_special or (source.startswith(piece) and decoded.startswith(piece)):  # no sign, or one that the text has
        return decoded
    bare = decoded.replace(BLANK, " ") if piece.startswith(BLANK) else decoded
    if piece.startswith(BLANK) or (piece.startswith(tuple(BLANKS)) and bare.startswith(" ")):
        signs = len(piece) - len(piece.lstrip(BLANKS))
        blanks = _leading_blanks(source) or text[reached : span[0]][-1:].isspace()
        return " " * min(blanks, signs) + bare.lstrip(" ")
    return _without_signs(piece, bare)


def _leading_blanks(source: str) -> int:
    return next((count for count, sign in enumerate(source) if not (sign.isspace() or sign == BLANK)), len(source))


def _without_signs(piece: str, bare: str) -> str:
    """Without the signs of a word that goes on or ends."""
    if piece.startswith(CONTINUED):
        bare = bare.removeprefix(CONTINUED) or bare
    for ending in ENDINGS:
        if piece.endswith(ending):
            bare = bare.removesuffix(ending) or bare
    return bare
