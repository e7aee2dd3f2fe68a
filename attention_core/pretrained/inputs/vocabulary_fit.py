"""How well a model's vocabulary fits a text: what of it is unknown, in pieces of characters, or spelt out."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

from attention_core.pretrained.inputs.spans import is_blank
from attention_core.pretrained.inputs.tokens import Token
from attention_core.refusal import Sentence

SOME, MOST, NEARLY_ALL = 0.1, 0.5, 0.8
"""Shares from which it is said."""
FEWEST = 8
"""A few letters or bytes tell nothing about a script."""


def misfit(tokens: Sequence[Token], unknown: int | None) -> Sentence | None:
    """What a vocabulary lacks for a text; None where it has words for it.

    ``unknown`` is the id of the token for what the vocabulary does not know, None if there is none.
    """
    ordinary = [token for token in tokens if not token.special and not is_blank(token.text)]
    if not ordinary:
        return None
    total, missed = len(ordinary), [token for token in ordinary if token.id == unknown]
    share = _share_of(missed, ordinary)
    # However few: a sentence without spaces may be a single token.
    if share >= MOST or (share >= SOME and total >= FEWEST):
        return Sentence(
            "{share} % of the text is unknown to this model's vocabulary: {count} of {total} tokens are {unknown}.",
            share=round(100 * share),
            count=len(missed),
            total=total,
            unknown=missed[0].token,
        )
    known = [token for token in ordinary if token.id != unknown]
    return None if total < FEWEST else _spelt_out(known, ordinary)


def _spelt_out(known: Sequence[Token], ordinary: Sequence[Token]) -> Sentence | None:
    """Whether characters are divided into bytes, or words into letters."""
    share = _share_in_pieces(ordinary)
    if share >= MOST:
        return Sentence(
            "{share} % of the characters have no token of their own: this model's vocabulary hardly knows this script.",
            share=round(100 * share),
        )
    if share >= SOME:
        return Sentence(
            "{share} % of the characters have no token of their own: this model's vocabulary knows only part of this "
            "script.",
            share=round(100 * share),
        )
    letters = sum(map(_is_letter, known))
    if letters >= NEARLY_ALL * len(ordinary):
        return Sentence(
            "{count} of {total} tokens are single characters: this model's vocabulary hardly has words of this script.",
            count=letters,
            total=len(ordinary),
        )
    return None


def _share_of(some: Sequence[Token], tokens: Sequence[Token]) -> float:
    """The share of the characters; of the tokens, if it is not known of which characters some of them are."""
    if any(token.start is None for token in some):
        return len(some) / len(tokens)
    return len(_characters(some)) / max(1, len(_characters(tokens)))


def _share_in_pieces(tokens: Sequence[Token]) -> float:
    """The share of the characters of which there are several tokens, such as bytes."""
    counts = _characters(tokens)
    return sum(count > 1 for count in counts.values()) / max(1, len(counts))


def _characters(tokens: Sequence[Token]) -> Counter[tuple[int, int]]:
    """Text and place of every character, with the number of its tokens."""
    return Counter(
        (token.segment, position) for token in tokens for position in range(token.start or 0, token.end or 0)
    )


def _is_letter(token: Token) -> bool:
    """Whether it is a single letter; an ideograph stands for a word or so by itself."""
    letter = token.text.strip()
    is_one = (token.end or 0) - (token.start or 0) == len(letter) == 1
    return (
        is_one and letter.isalpha() and not unicodedata.name(letter, "").startswith(("CJK ", "KANGXI", "IDEOGRAPHIC"))
    )
