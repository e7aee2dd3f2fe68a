"""Matrices, distributions and curves as Plotly figures, made and validated by the Python package."""

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from server.answers.palette import Palette

UNSIGNED = frozenset({"weights", "value_weighted", "norm_weighted", "rollout"})
"""Stages without negative numbers."""
MOST_NAMES = 200
"""Most tokens of an axis that are written at it."""


class Figure(BaseModel):
    """A figure for ``plotly.graph_objects.Figure(data, layout)`` or ``Plotly.newPlot(place, figure)``.

    Arrays are in Plotly's typed form, ``{dtype, bdata, shape}``, or lists of numbers.
    """

    data: list[dict[str, Any]] = Field(description="Traces.")
    layout: dict[str, Any]


def heat_map(
    matrix: NDArray[Any],
    palette: Palette,
    *,
    title: str,
    stage: str,
    rows: tuple[int, int],
    cols: tuple[int, int],
    queries: Sequence[str],
    keys: Sequence[str],
) -> Figure:
    """A matrix whose rows are queries from above. Each cell covers one token, or several where it was pooled.

    Masked cells (−∞) stay empty. The tokens of rows and columns are named where they are few.
    """
    finite = matrix[np.isfinite(matrix)]
    largest = float(np.abs(finite).max()) if finite.size else 1.0
    is_signed = stage not in UNSIGNED
    scale = palette.signed if is_signed else palette.weight
    most = 1.0 if stage in {"weights", "rollout"} else largest or 1.0
    trace = go.Heatmap(
        z=matrix,
        **_cells("x", cols, matrix.shape[1]),
        **_cells("y", rows, matrix.shape[0]),
        zmin=-most if is_signed else 0.0,
        zmax=most,
        colorscale=[[index / (len(scale) - 1), color] for index, color in enumerate(scale)],
        hovertemplate="query %{y}<br>key %{x}<br>%{z}<extra></extra>",
    )
    figure = _figure([trace], palette, title)
    figure.update_xaxes(
        title="key", side="top", constrain="domain", showgrid=False, **_names(keys, cols, matrix.shape[1])
    )
    figure.update_yaxes(
        title="query",
        autorange="reversed",
        scaleanchor="x",
        constrain="domain",
        showgrid=False,
        **_names(queries, rows, matrix.shape[0]),
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
    figure.update_yaxes(title="count")
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
                name=html.escape(name, quote=False),
                line={"shape": "hv", "color": palette.series[index % len(palette.series)]},
                fill="tozeroy",
            )
        )
    figure = _figure(traces, palette, title)
    figure.update_xaxes(title=x)
    figure.update_yaxes(title="density", rangemode="tozero")
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
            name=html.escape(name, quote=False),
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


def _figure(traces: list[Any], palette: Palette, title: str) -> go.Figure:
    axis = {"gridcolor": palette.line, "linecolor": palette.line, "zeroline": False}
    layout = {
        "title": {"text": html.escape(title, quote=False)},
        "font": {"color": palette.text},
        "paper_bgcolor": palette.page,
        "plot_bgcolor": palette.page,
        "xaxis": axis,
        "yaxis": axis,
        "template": {},
    }
    return go.Figure(traces, layout)


def _cells(axis: str, span: tuple[int, int], count: int) -> dict[str, float]:
    """The middle of an axis' first cell, and the size of each; cell i of a whole matrix is around i."""
    size = (span[1] - span[0]) / max(count, 1)
    return {f"{axis}0": span[0] + (size - 1) / 2, f"d{axis}": size}


def _names(tokens: Sequence[str], span: tuple[int, int], count: int) -> dict[str, Any]:
    if count != span[1] - span[0] or count > MOST_NAMES:
        return {}
    return {
        "tickvals": list(range(*span)),
        "ticktext": [f"{index} {html.escape(token, quote=False)}" for index, token in enumerate(tokens, start=span[0])],
    }


def _answer(figure: go.Figure) -> Figure:
    return Figure.model_construct(**json.loads(figure.to_json()))
