"""The colours of the design tokens, for charts that are made on the server."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Theme = Literal["paper", "night"]

TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")
BOTH = re.compile(r"light-dark\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*([^,()]+(?:\([^()]*\))?)\s*\)")
NAMED = re.compile(r"var\(--([\w-]+)\)")
STOPS, SERIES = 9, 8


@dataclass(frozen=True)
class Palette:
    """Colours in one theme, as ``#rrggbb``."""

    weight: tuple[str, ...]
    """Weights from 0 to 1, in equal steps."""
    signed: tuple[str, ...]
    """Signed numbers; 0 is in the middle."""
    series: tuple[str, ...]
    page: str
    text: str
    line: str


@lru_cache(maxsize=4)
def read_palette(css: str, theme: Theme) -> Palette:
    """The palette of a theme in ``tokens.css``. Raises KeyError for a token that is not there.

    A token's first value counts; later ones are for contrast themes and print.
    """
    tokens: dict[str, str] = {}
    for name, value in TOKEN.findall(css):
        tokens.setdefault(name, value)

    def color(name: str) -> str:
        value = tokens[name].strip()
        if both := BOTH.fullmatch(value):
            value = both[1 if theme == "paper" else 2].strip()
        named = NAMED.fullmatch(value)
        return color(named[1]) if named else value

    return Palette(
        weight=tuple(color(f"weight-{stop}") for stop in range(STOPS)),
        signed=tuple(color(f"signed-{stop}") for stop in range(STOPS)),
        series=tuple(color(f"series-{index}") for index in range(SERIES)),
        page=color("color-page"),
        text=color("color-text"),
        line=color("color-line"),
    )
