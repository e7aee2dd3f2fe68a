"""Matrices, distributions and curves as Plotly figures, made and validated by the Python package."""

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.refusal import Sentence
from ..web.i18n import say
from .palette import Palette

MOST_NAMES = 200
"""Most tokens of an axis that are written at it."""


class Figure(BaseModel):
    """A figure for ``plotly.graph_objects.Figure(data, layout)`` or ``Plotly.newPlot(place, figure)``.

    Arrays are in Plotly's typed form, ``{dtype, bdata, shape}``, or lists of numbers.
    """

    data: list[dict[str, Any]] = Field(description="Traces.")
    layout: dict[str, Any]


Bounds = Literal["weights", "positive", "signed"]
"""The colour scale: from 0 to 1, from 0 to the largest number, or as far below 0 as above."""


@dataclass(frozen=True)
class Axis:
    """One side of a matrix."""

    title: str
    span: tuple[int, int] | None = None
    """The index of its first cell, and one past that of the last; a cell covers several where it was pooled."""
    names: Sequence[str] = ()
    """Of the indices, where they have names."""


def heat_map(
    matrix: NDArray[Any],
    palette: Palette,
    *,
    title: str,
    rows: Axis,
    cols: Axis,
    bounds: Bounds = "signed",
    square: bool = True,
) -> Figure:
    """A matrix whose first row is at the top; `square`: its cells are as wide as high.

    Masked cells (−∞) stay empty. Rows and columns that have names show them where they are few.
    """
    finite = matrix[np.isfinite(matrix)]
    largest = float(np.abs(finite).max()) if finite.size else 1.0
    scale = palette.signed if bounds == "signed" else palette.weight
    most = 1.0 if bounds == "weights" else largest or 1.0
    trace = go.Heatmap(
        z=matrix,
        **_cells("x", cols, matrix.shape[1]),
        **_cells("y", rows, matrix.shape[0]),
        zmin=-most if bounds == "signed" else 0.0,
        zmax=most,
        colorscale=[[index / (len(scale) - 1), color] for index, color in enumerate(scale)],
        hovertemplate=f"{rows.title} %{{y}}<br>{cols.title} %{{x}}<br>%{{z}}<extra></extra>",
    )
    figure = _figure([trace], palette, title)
    figure.update_xaxes(
        title=cols.title, side="top", constrain="domain", showgrid=False, **_names(cols, matrix.shape[1])
    )
    figure.update_yaxes(
        title=rows.title,
        autorange="reversed",
        scaleanchor="x" if square else None,
        constrain="domain",
        showgrid=False,
        **_names(rows, matrix.shape[0]),
    )
    return _answer(figure)


def histogram(edges: NDArray[Any], counts: NDArray[Any], palette: Palette, *, title: str, x: str) -> Figure:
    """How often numbers fall between edges."""
    edges = np.asarray(edges, dtype=np.float64)
    bars = go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=np.asarray(counts),
        width=np.diff(edges),
        marker={"color": palette.series[0], "line": {"width": 0}},
        hovertemplate="%{x}: %{y}<extra></extra>",
    )
    figure = _figure([bars], palette, title)
    figure.update_layout(bargap=0)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title=say(Sentence("count")))
    return _answer(figure)


def densities(
    distributions: Mapping[str, tuple[NDArray[Any], NDArray[Any]]], palette: Palette, *, title: str, x: str
) -> Figure:
    """Several histograms (edges and counts by name) as densities, so that those of any width compare."""
    traces = []
    for index, (name, (edges, counts)) in enumerate(distributions.items()):
        widths = np.diff(np.asarray(edges, dtype=np.float64))
        density = np.asarray(counts) / max(1, int(np.sum(counts))) / widths
        traces.append(
            go.Scatter(
                x=edges,
                y=np.append(density, density[-1:]),
                name=_plain(name),
                line={"shape": "hv", "color": palette.series[index % len(palette.series)]},
                fill="tozeroy",
            )
        )
    figure = _figure(traces, palette, title)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title=say(Sentence("density")), rangemode="tozero")
    return _answer(figure)


def curves(
    lines: Mapping[str, tuple[Sequence[float] | NDArray[Any], Sequence[float] | NDArray[Any]]],
    palette: Palette,
    *,
    title: str,
    x: str,
    y: str,
) -> Figure:
    """Curves (x and y by name) over common axes."""
    traces = [
        go.Scatter(
            x=np.asarray(across),
            y=np.asarray(up),
            name=_plain(name),
            mode="lines",
            line={"color": palette.series[index % len(palette.series)]},
        )
        for index, (name, (across, up)) in enumerate(lines.items())
    ]
    figure = _figure(traces, palette, title)
    figure.update_layout(hovermode="x unified", showlegend=len(traces) > 1)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title=y, rangemode="tozero")
    return _answer(figure)


def bars(
    groups: Mapping[str, NDArray[Any]], palette: Palette, *, title: str, x: str, y: str, names: Sequence[str] = ()
) -> Figure:
    """One bar a number, side by side where there are several groups; numbers that are NaN or infinite have none."""
    traces = [
        go.Bar(
            x=np.arange(len(numbers)),
            y=np.asarray(numbers),
            name=_plain(name),
            marker={"color": palette.series[index % len(palette.series)], "line": {"width": 0}},
        )
        for index, (name, numbers) in enumerate(groups.items())
    ]
    figure = _figure(traces, palette, title)
    count = max(map(len, groups.values()))
    figure.update_layout(showlegend=len(traces) > 1)
    figure.update_xaxes(title=x, **_names(Axis(x, names=names), count))
    figure.update_yaxes(title=y, rangemode="tozero")
    return _answer(figure)


@dataclass(frozen=True)
class Points:
    """Points of one kind."""

    coordinates: NDArray[Any]
    """(points, 2)"""
    names: Sequence[str] = ()
    """One a point, shown under the pointer."""


def scatter(
    groups: Mapping[str, Points], palette: Palette, *, title: str, x: str, y: str, square: bool = False
) -> Figure:
    """Points of several kinds in one plane; `square`: both axes have one scale."""
    traces = [
        go.Scatter(
            x=points.coordinates[:, 0],
            y=points.coordinates[:, 1],
            text=[_plain(each) for each in points.names] or None,
            name=_plain(name),
            mode="markers",
            marker={"color": palette.series[index % len(palette.series)]},
        )
        for index, (name, points) in enumerate(groups.items())
    ]
    figure = _figure(traces, palette, title)
    figure.update_layout(showlegend=len(traces) > 1)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title=y, scaleanchor="x" if square else None)
    return _answer(figure)


@dataclass(frozen=True)
class Stroke:
    """A straight line of a graph, from (x, y) to (x, y), and its width in pixels."""

    start: tuple[float, float]
    end: tuple[float, float]
    width: float


def graph(
    strokes: Mapping[str, Sequence[Stroke]],
    points: Points,
    palette: Palette,
    *,
    title: str,
    x: Axis,
    y: Axis,
) -> Figure:
    """Points joined by lines of several kinds; lines of one kind and width are one trace."""
    traces = []
    for (name, lines), color in zip(strokes.items(), palette.series, strict=False):
        for place, width in enumerate(sorted({line.width for line in lines}, reverse=True)):
            ends = [(line.start, line.end) for line in lines if line.width == width]
            traces.append(
                go.Scatter(
                    x=[each for start, end in ends for each in (start[0], end[0], None)],
                    y=[each for start, end in ends for each in (start[1], end[1], None)],
                    name=_plain(name),
                    legendgroup=name,
                    showlegend=place == 0,
                    mode="lines",
                    line={"color": color, "width": width},
                    hoverinfo="skip",
                )
            )
    dots = go.Scatter(
        x=points.coordinates[:, 0],
        y=points.coordinates[:, 1],
        text=[_plain(each) for each in points.names],
        mode="markers",
        marker={"color": palette.text},
        showlegend=False,
        hoverinfo="text",
    )
    figure = _figure([*traces, dots], palette, title)
    figure.update_xaxes(title=x.title, **_names(x, len(x.names)))
    figure.update_yaxes(title=y.title, **_names(y, len(y.names)))
    return _answer(figure)


def _figure(traces: list[Any], palette: Palette, title: str) -> go.Figure:
    axis = {"gridcolor": palette.line, "linecolor": palette.line, "zeroline": False}
    layout = {
        "title": {"text": _plain(title)},
        "font": {"color": palette.text},
        "paper_bgcolor": palette.page,
        "plot_bgcolor": palette.page,
        "xaxis": axis,
        "yaxis": axis,
        "template": {},
    }
    return go.Figure(traces, layout)


def _span(axis: Axis, count: int) -> tuple[int, int]:
    return (0, count) if axis.span is None else axis.span


def _cells(letter: str, axis: Axis, count: int) -> dict[str, float]:
    """The middle of an axis' first cell, and the size of each; cell i of a whole matrix is around i."""
    start, stop = _span(axis, count)
    size = (stop - start) / max(count, 1)
    return {f"{letter}0": start + (size - 1) / 2, f"d{letter}": size}


def _names(axis: Axis, count: int) -> dict[str, Any]:
    start, stop = _span(axis, count)
    if not axis.names or count != stop - start or count > MOST_NAMES:
        return {}
    return {
        "tickvals": list(range(start, stop)),
        "ticktext": [f"{index} {_plain(name)}" for index, name in enumerate(axis.names, start=start)],
    }


def _plain(text: str) -> str:
    """Text that Plotly, which reads some HTML, shows as it is."""
    return html.escape(text, quote=False)


def _answer(figure: go.Figure) -> Figure:
    return Figure.model_construct(**json.loads(figure.to_json()))
