"""Export an analysis as one HTML file that works offline: the Explorer with recorded API answers.

It holds the whole analysis (tokens, a thumbnail of every head, metrics, predictions) and matrices: those of all heads
if they are small enough together, else only the chosen head's. The chosen head's numbers are float32, as in the API;
the weights of others have fewer bits, with which the page writes the same digits (``packing.fewer_bits``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fastapi import Request
from numpy.typing import NDArray
from pydantic import BaseModel

from attention_core.pretrained.recording.windows import STAGES
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.studies.query_key_plane import query_key_plane
from ..answers.analyses import analysis_answer, window_answer
from ..answers.query_key_plane import QueryKeyPlaneAnswer
from .explorer_page import Opening, explorer_context
from .export_files import ExportSelection
from .packing import fewer_bits, matrix_of, shades
from .pages import Pages
from .single_file import single_file
from .site import EXPLORER

SIDE = 1_024
"""Largest number of cells per side of the chosen head's matrix; longer texts are pooled."""
STAGES_CELLS = 2**18
"""Largest number of cells of a matrix whose stages all go into the file."""


@dataclass(frozen=True)
class Matrix:
    """One matrix in the file."""

    part: str
    layer: int
    head: int
    stage: str
    rows: tuple[int, int]
    cols: tuple[int, int]


def offline_file(
    pages: Pages,
    request: Request,
    analysis_id: str,
    chosen: ExportSelection,
    view: Mapping[str, int | str | None],
    most_cells: int,
    scores: BaseModel | None = None,
) -> str:
    """The Explorer as a file in the reader's language; ``view`` holds further address parameters: query, key …

    It holds the matrices of all heads if they have at most ``most_cells`` together. ``scores`` is the answer of
    ``/api/head_scores`` for the model.
    """
    search = _search(analysis_id, chosen, {**view, "measures": None if scores is None else "random"})
    records = [{"request": path, "answer": answer} for path, answer in _answers(analysis_id, chosen, view, most_cells)]
    if scores is not None:
        model = {"model": chosen.analysis.model.id}
        records.append({"request": f"/api/head_scores?{urlencode(model)}", "answer": scores.model_dump(mode="json")})
    page = pages.context(request, EXPLORER, offline=True, search=search, records=records)
    layer, head = chosen.layers[0], chosen.heads[0]
    opening = Opening(
        layer=layer,
        head=head,
        stage=chosen.stage,
        layers=chosen.part.layers,
        heads=chosen.part.heads,
        predicts=bool(chosen.analysis.predictions),
    )
    context = explorer_context(page, opening)
    return single_file(pages.fill(context.current.template, context), pages.assets)


def _search(analysis_id: str, chosen: ExportSelection, view: Mapping[str, int | str | None]) -> str:
    """The query string of the same view in the live page."""
    asked = chosen.analysis.request
    whole = (0, chosen.part.query_tokens), (0, chosen.part.key_tokens)
    wanted = {
        "model": chosen.analysis.model.id if asked else analysis_id,
        "text": " ".join(token.text for token in chosen.analysis.tokens) if asked is None else asked.text,
        "pair": asked.text_pair if asked else None,
        "target": asked.target_text if asked else None,
        "picture": analysis_id if chosen.analysis.picture else None,
        "part": None if chosen.part is chosen.analysis.parts[0] else chosen.part.name,
        "layer": chosen.layers[0],
        "head": chosen.heads[0],
        "stage": chosen.stage,
        "rows": None if chosen.rows == whole[0] else f"{chosen.rows[0]}:{chosen.rows[1]}",
        "cols": None if chosen.cols == whole[1] else f"{chosen.cols[0]}:{chosen.cols[1]}",
        **view,
    }
    return urlencode({name: value for name, value in wanted.items() if value is not None})


def _answers(
    analysis_id: str, chosen: ExportSelection, view: Mapping[str, int | str | None], most_cells: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The API's answers about the analysis, each with its request path."""
    analysis = chosen.analysis
    path = f"/api/analyses/{analysis_id}"
    is_complete = sum(map(_cells, analysis.parts)) <= most_cells
    whole: dict[Matrix, NDArray[np.float32]] = {}
    for each in matrices(chosen, is_complete=is_complete):
        window = analysis.window(
            each.part, each.layer, each.head, each.stage, each.rows, each.cols, SIDE, max_cells=SIDE * SIDE
        )
        spans = {name: f"{first}:{end}" for name, (first, end) in (("rows", each.rows), ("cols", each.cols))}
        is_chosen = (each.part, each.layer, each.head) == (chosen.part.name, chosen.layers[0], chosen.heads[0])
        answer = window_answer(window, "base64", **vars(each)).model_dump(mode="json", exclude={"matrix"})
        whole[each] = window if is_chosen else fewer_bits(window)
        answer["matrix"] = matrix_of(whole[each])
        yield f"{path}/weights?{urlencode({**vars(each), **spans, 'max_size': SIDE})}", answer
    answer = analysis_answer(analysis_id, analysis).model_dump(mode="json")
    yield path, _without_thumbnails(answer, analysis.parts, whole)
    if "raw_scores" in chosen.part.stages:  # else only weights were uploaded
        layer, head = chosen.layers[0], chosen.heads[0]
        query, key = (index if isinstance(index := view.get(name), int) else None for name in ("query", "key"))
        plane = query_key_plane(analysis, layer, head, part=chosen.part.name, max_tokens=SIDE, query=query, key=key)
        place = {"part": chosen.part.name, "layer": layer, "head": head, "max_tokens": SIDE}
        yield f"{path}/query_key_plane?{urlencode(place)}", QueryKeyPlaneAnswer.of(plane).model_dump(mode="json")


def matrices(chosen: ExportSelection, *, is_complete: bool) -> list[Matrix]:
    """The matrices to embed, the chosen head's first; each once."""
    part, layer, head = chosen.part, chosen.layers[0], chosen.heads[0]
    rows, cols = (0, part.query_tokens), (0, part.key_tokens)
    others = [stage for stage in STAGES if stage in part.stages] if rows[1] * cols[1] <= STAGES_CELLS else []
    wanted = [Matrix(part.name, layer, head, stage, rows, cols) for stage in (chosen.stage, *others)]
    if max(rows[1], cols[1]) > SIDE:
        wanted.append(Matrix(part.name, layer, head, chosen.stage, chosen.rows, chosen.cols))
    if is_complete:
        wanted += [matrix for each in chosen.analysis.parts for matrix in _heads(each)]
    return list(dict.fromkeys(wanted))


def _without_thumbnails(
    answer: dict[str, Any], parts: Sequence[Part], whole: Mapping[Matrix, NDArray[np.float32]]
) -> dict[str, Any]:
    """The answer without thumbnails of parts of which the file has every weight: the page makes the same of these."""
    for part, holder in zip(parts, (answer, *answer["parts"][1:]), strict=True):
        weights = [whole[each] for each in _heads(part) if each in whole]
        size = sum(matrix.size for matrix in weights)
        if size == part.overview.size and np.array_equal(
            shades(np.concatenate([matrix.reshape(-1) for matrix in weights])), part.overview.reshape(-1)
        ):
            holder["overview"]["bdata"] = ""
    return answer


def _heads(part: Part) -> Iterator[Matrix]:
    """The weights of every head."""
    for layer in range(part.layers):
        for head in range(part.heads):
            yield Matrix(part.name, layer, head, "weights", (0, part.query_tokens), (0, part.key_tokens))


def _cells(part: Part) -> int:
    return part.layers * part.heads * part.query_tokens * part.key_tokens
