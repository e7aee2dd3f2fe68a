"""Fields of a page's state: default, allowed values, name in the address.

The kinds and their rules are those of ``static/js/base/fields.js``; ``tests/field_cases.json`` holds both to the same.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
WITH_PREFIX = re.compile(r"0(x[\da-f]+|o[0-7]+|b[01]+)", re.IGNORECASE | re.ASCII)
BETWEEN_NUMBERS = re.compile(r"[,_;\s]+")
PLAIN_DIGITS = re.compile(r"\d{1,9}", re.ASCII)
MOST_COUNTED = 999_999


@dataclass(frozen=True)
class Field:
    """One value of a page's state."""

    start: Any
    parse: Callable[[str], Any]
    """The value that an address gives; None for an invalid one."""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    longest: int | None = None
    """Characters of a text, counted as JavaScript counts them."""
    is_translated: bool = False
    """Whether it starts in the reader's language."""
    name: str | None = None
    """In the address, where that differs from the state's."""


def number(start: float, least: float, most: float) -> Field:
    """A number between two bounds."""
    return Field(start, lambda given: _within(given, least, most), least, most)


def whole(start: int, least: int, most: int) -> Field:
    """A whole number between two bounds, however it is written."""

    def parse(given: str) -> float | None:
        found = _within(given, least, most)
        return None if found is None or found % 1 else found

    return Field(start, parse, least, most)


def count(start: int | None, least: int = 0, most: int = MOST_COUNTED) -> Field:
    """A whole number in plain digits, which may be absent."""

    def parse(given: str) -> float | None:
        return _within(given, least, most) if PLAIN_DIGITS.fullmatch(given) else None

    return Field(start, parse, least, most)


def choice(choices: Sequence[Any], start: Any = None) -> Field:
    """One of some values, the first by default; all are texts here."""
    texts = tuple(map(str, choices))
    first = texts[0] if start is None else str(start)
    return Field(first, lambda given: given if given in texts else None, choices=texts)


def flag(start: bool = False) -> Field:
    """Yes or no, written as 1 or 0."""
    return Field(start, {"1": True, "0": False}.get)


def text(start: str = "", longest: int | None = None) -> Field:
    """Any text up to a length."""
    return Field(start, lambda given: given if longest is None or _length(given) <= longest else None, longest=longest)


def example(start: str, longest: int) -> Field:
    """A text that begins with an example in the reader's language; ``start`` is the English one."""
    return Field(start, text("", longest).parse, longest=longest, is_translated=True)


def numbers(start: Sequence[float], bounds: Mapping[str, float]) -> Field:
    """A list of numbers."""
    least, most = bounds["least"], bounds["most"]

    def parse(given: str) -> list[float] | None:
        found = [_within(part, least, most) for part in BETWEEN_NUMBERS.split(given)]
        values = [one for one in found if one is not None]
        is_valid = len(values) == len(found) and bounds.get("fewest", 1) <= len(found) <= bounds["count"]
        return values if is_valid else None

    return Field(list(start), parse, least, most)


KINDS: dict[str, Callable[..., Field]] = {
    kind.__name__: kind for kind in (number, whole, count, choice, flag, text, example, numbers)
}


def _within(given: str, least: float, most: float) -> float | None:
    plain = given.strip().replace("−", "-", 1)
    if WITH_PREFIX.fullmatch(plain):
        value = float(int(plain, 0))
    elif NUMBER.fullmatch(plain):
        value = float(plain)
    else:
        return None
    return value if least <= value <= most else None


def _length(given: str) -> int:
    return len(given.encode("utf-16-le")) // 2
