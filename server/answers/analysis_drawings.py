"""Drawings over the tokens and heads of an analysis."""

from collections.abc import Callable
from typing import Literal

from attention_core.pretrained.recording.metrics import MetricInfo
from ..web.i18n import say_text
from .answer_paths import Drawn
from .drawings import KEY, QUERY, Side, texts


def _tokens(drawn: Drawn, side: Literal["query_side", "key_side"]) -> list[str]:
    analysis = drawn.given["analysis"]
    name = drawn.parameter("part")
    part = next((each for each in analysis.parts if each.name == name), analysis.parts[0])
    targets = analysis.target_tokens
    return texts(analysis.tokens if getattr(part, side) == "source" or targets is None else targets)


def _rolled_span(drawn: Drawn) -> tuple[int, int] | None:
    query = drawn.given["query"]
    return None if query is None else (query, query + 1)


TOKEN_SIDES = (
    Side(QUERY, lambda drawn: _tokens(drawn, "query_side"), lambda drawn: getattr(drawn.answer, "rows", None)),
    Side(KEY, lambda drawn: _tokens(drawn, "key_side"), lambda drawn: getattr(drawn.answer, "cols", None)),
)
"""Queries and keys with their tokens; those of the window that an answer has."""
TOKEN_COLUMNS = Side(KEY, lambda drawn: _tokens(drawn, "key_side"))
"""All tokens of the text that is attended to."""
ROLLED = Side(QUERY, lambda drawn: _tokens(drawn, "query_side"), _rolled_span)
"""All queries, or the one that was asked for."""


def title_of(info: MetricInfo) -> Callable[[Drawn], str]:
    """The title of a number of each head."""
    return lambda _: say_text(info.title)
