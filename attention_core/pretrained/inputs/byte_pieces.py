"""Give each unknown character of a text its own bytes among the pieces of a vocabulary."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

BYTE = re.compile("<0x([0-9A-F]{2})>")
"""How SentencePiece spells a byte of a character that its vocabulary lacks."""
FEWEST_TO_DIVIDE = 2
FORMS: tuple[Literal["NFKC", "NFKD"] | None, ...] = (None, "NFKC", "NFKD")
"""How a tokenizer may have normalised the characters before."""


def bytes_divided(
    pieces: Sequence[str], offsets: Sequence[tuple[int, int]], numbers: Sequence[int | None], texts: Sequence[str]
) -> list[tuple[int, int]]:
    """The spans, where the bytes of several unknown characters, which have them all, have one each."""
    spans = list(offsets)
    matches = [BYTE.fullmatch(piece) for piece in pieces]
    for (number, (start, end), is_byte), run in groupby(
        range(len(spans)), key=lambda index: (numbers[index], spans[index], matches[index] is not None)
    ):
        if number is None or not is_byte or end - start < FEWEST_TO_DIVIDE:
            continue
        own = list(run)
        counts = _bytes_of_each(texts[number][start:end], bytes(int(pieces[index][3:5], 16) for index in own))
        places = [start + index for index, count in enumerate(counts) for _ in range(count)]
        for index, place in zip(own, places, strict=False):
            spans[index] = (place, place + 1)
    return spans


def _bytes_of_each(source: str, written: bytes) -> list[int]:
    """How many of the bytes each character was written with, normalised or not; nothing if that is not clear."""
    for form in FORMS:
        signs = [(unicodedata.normalize(form, sign) if form else sign).encode() for sign in source]
        if b"".join(signs) == written:
            return [len(sign) for sign in signs]
    signs = [sign.encode() for sign in written.decode(errors="ignore")]
    return [len(sign) for sign in signs] if len(signs) == len(source) and b"".join(signs) == written else []
