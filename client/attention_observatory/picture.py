"""A picture of one head as SVG: what stands in a notebook's file, and in pages made of it, where no widget runs."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from attention_observatory.studies import Studies

LARGEST = 48
"""Rows and columns of cells. A longer text is pooled: a cell is the largest of what it stands for."""
CELL, SMALL, CHARACTER, LINE = 16, 9, 7.2, 20
"""Pixels: a cell with a token beside it, a pooled one, a character, a line."""
LONGEST = 14
"""Characters of a token."""
WEIGHTS = ("#f8f7f1", "#cfe0bd", "#8fcca4", "#3db6a2", "#09969f", "#077494", "#00538b")
"""Colours from 0 to 1, those of the Explorer on paper."""
BELOW, ABOVE = "#b5442f", "#005f9e"
"""Colours of the lowest and the highest score."""


def picture(analysis: Studies, selection: Mapping[str, Any], name: str) -> str:
    """The matrix of one head as the selection has it, labelled with its tokens; ``name`` is the drawing's id."""
    part = selection.get("part") or analysis.answer["parts"][0]["name"]
    layer, head = selection.get("layer") or 0, selection.get("head") or 0
    window: Any = {"part": part, "layer": layer, "head": head, "stage": selection.get("stage") or "weights"}
    spans: Any = {axis: f"{span[0]}:{span[1]}" for axis in ("rows", "cols") if (span := selection.get(axis))}
    answer = analysis.api.get_weights(analysis.id, **window, **spans, max_size=LARGEST, encoding="json")
    matrix: Any = answer["matrix"]
    sides = zip(labels_of(analysis, part), (answer["rows"], answer["cols"]), strict=True)
    rows, columns = ([] if answer["pooled"] else labels[first:end] for labels, (first, end) in sides)
    title = f"{analysis.answer['model']['title']}, layer {layer}, head {head}, {answer['stage'].replace('_', ' ')}"
    return _drawn(matrix, rows, columns, title, name, is_shares=answer["stage"] == "weights")


def labels_of(analysis: Studies, part: str) -> tuple[list[str], list[str]]:
    """Index and text of each query and each key."""
    source, target = analysis.tokens, analysis.target_tokens or analysis.tokens
    sides = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
    queries, keys = ([f"{index} {text}" for index, text in enumerate(side)] for side in sides[part])
    return queries, keys


def _drawn(
    matrix: Sequence[Sequence[Any]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    name: str,
    *,
    is_shares: bool,
) -> str:
    cell = CELL if rows else SMALL
    left = 12 + max((CHARACTER * len(_short(label)) for label in rows), default=0)
    top = 2 * LINE + max((CHARACTER * len(_short(label)) for label in columns), default=0)
    numbers = [[float(value) for value in row] for row in matrix]
    finite = [abs(value) for row in numbers for value in row if abs(value) != float("inf")]
    most = 1.0 if is_shares else max([*finite, 1e-30])
    width = max(left + cell * len(numbers[0]) + 12, 12 + CHARACTER * len(title))
    marks = [f'<text x="12" y="{LINE - 4}" font-weight="bold">{html.escape(title)}</text>']
    marks += [f'<text x="12" y="{2 * LINE - 6}" fill="#565a66">query ↓ → key</text>']
    for row, label in enumerate(rows):
        y = top + cell * (row + 0.72)
        marks.append(f'<text x="{left - 6:.0f}" y="{y:.0f}" text-anchor="end">{html.escape(_short(label))}</text>')
    for column, label in enumerate(columns):
        x = left + cell * (column + 0.72)
        turned = f'transform="translate({x:.0f} {top - 6:.0f}) rotate(-90)"'
        marks.append(f"<text {turned}>{html.escape(_short(label))}</text>")
    for row, values in enumerate(numbers):
        for column, value in enumerate(values):
            place = f'x="{left + cell * column:.0f}" y="{top + cell * row:.0f}" width="{cell}" height="{cell}"'
            marks.append(f'<rect {place} fill="{_colour(value / most, is_shares=is_shares)}"/>')
    height = top + cell * len(numbers) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="sans-serif" font-size="12" fill="#1d1f27">'
        f'<title>{html.escape(title)}</title><rect width="100%" height="100%" fill="#fbfaf6"/>{"".join(marks)}</svg>'
    )


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _colour(value: float, *, is_shares: bool) -> str:
    """Of a weight from 0 to 1, or of a score from −1 to 1; −∞ is masked and has the paper's colour."""
    if value in {float("-inf"), float("inf")}:
        return "#e9e6dc"
    if not is_shares:
        return _between("#fbfaf6", ABOVE if value > 0 else BELOW, min(abs(value), 1.0))
    place = min(max(value, 0.0), 1.0) * (len(WEIGHTS) - 1)
    low = min(int(place), len(WEIGHTS) - 2)
    return _between(WEIGHTS[low], WEIGHTS[low + 1], place - low)


def _between(low: str, high: str, share: float) -> str:
    channels = ((int(low[start : start + 2], 16), int(high[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(first + (last - first) * share):02x}" for first, last in channels)
