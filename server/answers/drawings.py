"""What of an answer can be drawn, and how: each part by its path in the answer, with its title and axes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.refusal import Sentence
from ..web.i18n import say
from . import figures
from .answer_paths import PART, Drawn, to_array
from .figures import Axis, Bounds, Figure, Points
from .palette import Palette
from .token_text import shown_text

INDEX = re.compile(r"\[\??(\w+)\]")

Title = Sentence | str
"""Said in the language of the request; a string is the same in each."""


@dataclass(frozen=True)
class Drawing:
    """One figure of an answer."""

    title: Title | Callable[[Drawn], Title]
    paths: tuple[str, ...]
    """What it reads; the indices in them are parameters of the request."""
    make: Callable[[Drawn, Palette, str], Figure]
    where: tuple[str, ...] = ()
    """Parameters that its title ends with, besides the indices."""

    @property
    def axes(self) -> list[str]:
        """The names of the indices in its paths."""
        return list(dict.fromkeys(name for path in self.paths for name in INDEX.findall(path)))

    def figure(self, drawn: Drawn, palette: Palette) -> Figure:
        """The figure. Raises ApiError for what this answer lacks, SelectionError for an index beyond it."""
        title = self.title(drawn) if callable(self.title) else self.title
        values = {
            name: drawn.find(NAMED_BY[name]) if name in NAMED_BY else drawn.parameter(name)
            for name in (*self.where, *self.axes)
            if name != PART
        }
        where = [said(Sentence(INDICES[name].template, value)) for name, value in values.items() if value is not None]
        return self.make(drawn, palette, " · ".join([said(title), *where]))


@dataclass(frozen=True)
class Side:
    """The rows or the columns of a matrix."""

    title: Title
    names: Callable[[Drawn], Sequence[str]] | None = None
    span: Callable[[Drawn], tuple[int, int] | None] | None = None

    def axis(self, drawn: Drawn) -> Axis:
        """For one answer; the names are those of its span."""
        span = self.span(drawn) if self.span else None
        names = list(self.names(drawn)) if self.names else []
        return Axis(said(self.title), span, names[slice(*span)] if span else names)


def named(title: Title, path: str) -> Side:
    """A side whose tokens or words are at this path."""
    return Side(title, lambda drawn: texts(drawn.find(path) or ()))


def positioned(positions: Callable[[Drawn], Sequence[float]]) -> Side:
    """Rows or columns of positions, which are named where they are not 0, 1, 2, …"""

    def names(drawn: Drawn) -> Sequence[str]:
        found = positions(drawn)
        return [] if list(found) == list(range(len(found))) else [f"{each:g}" for each in found]

    return Side(POSITION, names)


QUERY, KEY, DIMENSION, POSITION = Sentence("query"), Sentence("key"), Sentence("dimension"), Sentence("position")
LAYER, HEAD, TOKEN, PAIR = Sentence("layer"), Sentence("head"), Sentence("token"), Sentence("pair of dimensions")
WEIGHT, SCORE, LENGTH, NATS = Sentence("weight"), Sentence("score"), Sentence("length"), Sentence("nats")
QUERIES, KEYS, DIMENSIONS, POSITIONS = Side(QUERY), Side(KEY), Side(DIMENSION), Side(POSITION)
LAYERS, HEADS, PAIRS = Side(LAYER), Side(HEAD), Side(PAIR)

INDICES = {
    "layer": Sentence("layer {index}"),
    "head": Sentence("head {index}"),
    "position": Sentence("position {index}"),
    "sequence": Sentence("sequence {index}"),
    "step": Sentence("step {index}"),
    "state": Sentence("state {index}"),
    "text": Sentence("text {index}"),
    "norm": Sentence("norm: {index}"),
    "way": Sentence("position encoding: {index}"),
    "count": Sentence("heads: {index}"),
    "query": Sentence("query {index}"),
}
"""How a title says each index."""
NAMED_BY = {"norm": "norms[norm].kind", "way": "outcomes[way].way", "count": "counts[count].num_heads"}
"""The paths of what a title says instead of a bare index."""

STAGES: dict[str, tuple[Sentence, Bounds]] = {
    "raw_scores": (Sentence("Raw scores"), "signed"),
    "scaled_scores": (Sentence("Scaled scores"), "signed"),
    "masked_scores": (Sentence("Masked scores"), "signed"),
    "weights": (Sentence("Weights"), "weights"),
    "value_weighted": (Sentence("Weights × lengths of the values"), "positive"),
    "norm_weighted": (Sentence("Contributions"), "positive"),
}
"""The title and the colour scale of each stage that has queries as rows and keys as columns."""


def heat(
    path: str,
    title: Title | Callable[[Drawn], Title],
    rows: Side = QUERIES,
    cols: Side = KEYS,
    bounds: Bounds | Callable[[Drawn], Bounds] = "signed",
    *,
    square: bool = True,
    where: tuple[str, ...] = (),
) -> Drawing:
    """A matrix as a heat map."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        return figures.heat_map(
            drawn.array(path),
            palette,
            title=said_title,
            rows=rows.axis(drawn),
            cols=cols.axis(drawn),
            bounds=bounds(drawn) if callable(bounds) else bounds,
            square=square,
        )

    return Drawing(title, (path,), make, where)


def vectors(path: str, title: Title, rows: Side = POSITIONS, cols: Side = DIMENSIONS) -> Drawing:
    """A matrix with one vector a row."""
    return heat(path, title, rows, cols, square=False)


def by_head(path: str, title: Title | Callable[[Drawn], Title], bounds: Bounds = "signed") -> Drawing:
    """One number for each head of each layer."""
    return heat(path, title, LAYERS, HEADS, bounds)


def stages(path: str, *names: str, rows: Side = QUERIES, cols: Side = KEYS) -> dict[str, Drawing]:
    """Stages of attention by their names; ``{}`` in the path is the name."""
    return {name: heat(path.format(name), STAGES[name][0], rows, cols, STAGES[name][1]) for name in names}


def curves(
    lines: Mapping[Title, str] | str,
    title: Title | Callable[[Drawn], Title],
    x: Title,
    y: Title,
    across: str | None = None,
) -> Drawing:
    """Curves, each from the path of its numbers, over those at ``across`` in ascending order, else over their index."""
    paths = {y: lines} if isinstance(lines, str) else lines

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        places = None if across is None else drawn.array(across)
        drawable = {said(name): _line(drawn.array(path), places) for name, path in paths.items()}
        return figures.curves(drawable, palette, title=said_title, x=said(x), y=said(y))

    return Drawing(title, (*paths.values(), *([across] if across else [])), make)


def curve_family(
    of: str,
    name: str,
    numbers: str,
    title: Title,
    x: Title,
    y: Title,
    across: Callable[[Drawn], Sequence[float]] | None = None,
) -> Drawing:
    """A curve for each of the list ``of``, from its fields ``name`` and ``numbers``."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        places = None if across is None else to_array(across(drawn))
        drawable = {
            str(getattr(each, name)): _line(to_array(getattr(each, numbers)), places) for each in drawn.value(of)
        }
        return figures.curves(drawable, palette, title=said_title, x=said(x), y=said(y))

    return Drawing(title, (of,), make)


def bars(
    groups: Mapping[Title, str] | str, title: Title, y: Title, x: Side = KEYS, where: tuple[str, ...] = ()
) -> Drawing:
    """One bar for each number at the path, or side by side at those of several groups."""
    paths = {y: groups} if isinstance(groups, str) else groups

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        axis = x.axis(drawn)
        drawable = {said(name): drawn.array(path) for name, path in paths.items()}
        return figures.bars(drawable, palette, title=said_title, x=axis.title, y=said(y), names=axis.names)

    return Drawing(title, tuple(paths.values()), make, where)


def densities(groups: Mapping[Title, str], title: Title, x: Title) -> Drawing:
    """Histograms that have their edges and counts at the paths, as densities."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        drawable = {said(name): _histogram(drawn.value(path)) for name, path in groups.items()}
        return figures.densities(drawable, palette, title=said_title, x=said(x))

    return Drawing(title, tuple(groups.values()), make)


def density_family(of: str, name: str, summary: str, title: Title, x: Title, label: str = "{}") -> Drawing:
    """A histogram for each of the list ``of``, from its fields ``name`` and ``summary``, as densities."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        drawable = {label.format(getattr(each, name)): _histogram(getattr(each, summary)) for each in drawn.value(of)}
        return figures.densities(drawable, palette, title=said_title, x=said(x))

    return Drawing(title, (of,), make)


def histogram(title: Callable[[Drawn], Title], where: tuple[str, ...]) -> Drawing:
    """The distribution that an answer is."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        return figures.histogram(*_histogram(drawn.answer), palette, title=said_title, x=said(title(drawn)))

    return Drawing(title, (), make, where)


def scatter(
    groups: Mapping[Title, str],
    title: Title,
    x: Title = "x",
    y: Title = "y",
    names: Mapping[Title, Callable[[Drawn], Sequence[str]]] | None = None,
    where: tuple[str, ...] = (),
) -> Drawing:
    """Points in a plane, from the paths of their (points, 2) coordinates."""

    def make(drawn: Drawn, palette: Palette, said_title: str) -> Figure:
        drawable = {
            said(name): Points(drawn.array(path), names[name](drawn) if names else ()) for name, path in groups.items()
        }
        return figures.scatter(drawable, palette, title=said_title, x=said(x), y=said(y), square=True)

    return Drawing(title, tuple(groups.values()), make, where)


def said(title: Title) -> str:
    """In the language of the request."""
    return say(title) if isinstance(title, Sentence) else title


def texts(tokens: Sequence[Any]) -> list[str]:
    """The texts of tokens with what is invisible in them, or words as they are."""
    return [each if isinstance(each, str) else _shown(each) for each in tokens]


def _shown(token: Any) -> str:
    is_placed = getattr(token, "start", None) is not None
    return shown_text(token.text, getattr(token, "token", ""), is_placed=is_placed)


def _line(numbers: NDArray[Any], across: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[Any]]:
    if across is None:
        return np.arange(len(numbers)), numbers
    order = across.argsort(kind="stable")
    return across[order], numbers[order]


def _histogram(summary: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    return to_array(summary.edges), to_array(summary.counts)
