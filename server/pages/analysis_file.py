"""Export an analysis as one interactive HTML file that works offline.

It holds the whole answer (tokens, a small picture of every head, metrics, predictions) and matrices: of every head
where all together are few enough, else of the chosen head alone. Numbers are float32, as the API gives them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from pydantic import BaseModel

from attention_core.pretrained.running.analysis import Analysis, Part
from attention_core.pretrained.studies.query_key_plane import query_key_plane
from server.answers.analyses import analysis_answer, window_answer
from server.answers.query_key_plane import QueryKeyPlaneAnswer
from server.pages.export_files import ExportSelection
from server.pages.pages import Pages
from server.pages.single_file import single_file
from server.web.i18n import Language

SIDE = 1_024
"""Most cells a side of the chosen head's matrix; a longer text is pooled to it."""
STAGES_CELLS = 2**18
"""Of a matrix of which every stage goes into the file."""
SHOWN_STAGES = ("raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted")
"""What the file's page can show."""


@dataclass(frozen=True)
class OfflineContext:
    """The template context of the file."""

    lang: str
    title: str
    data_json: Markup
    """``{analysis, chosen, windows, isComplete, scores}``, safe inside ``<script type="application/json">``."""
    messages_json: Markup


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
    language: Language,
    analysis_id: str,
    chosen: ExportSelection,
    cell: tuple[int | None, int | None],
    numbering: int,
    most_cells: int,
    scores: BaseModel | None = None,
) -> str:
    """The file in the reader's language, opened at a query and a key; ``numbering`` is the first index, 0 or 1.

    Matrices of all heads are in it where they have ``most_cells`` together or fewer. ``scores`` are what
    ``/api/head_scores`` answers for the model.
    """
    analysis = chosen.analysis
    is_complete = sum(map(_cells, analysis.parts)) <= most_cells
    data = {
        "analysis": analysis_answer(analysis_id, analysis).model_dump(mode="json", exclude={"image"}),
        "chosen": {
            "part": chosen.part.name,
            "layer": chosen.layers[0],
            "head": chosen.heads[0],
            "stage": chosen.stage,
            "rows": chosen.rows,
            "cols": chosen.cols,
            "query": cell[0],
            "key": cell[1],
            "numbering": numbering,
        },
        "windows": list(_windows(analysis, matrices(chosen, is_complete=is_complete))),
        "isComplete": is_complete,
        "plane": _plane(chosen, cell),
        "scores": None if scores is None else scores.model_dump(mode="json"),
    }
    context = OfflineContext(
        lang=language.code,
        title=analysis.model.title,
        data_json=htmlsafe_json_dumps(data, ensure_ascii=False, allow_nan=False),
        messages_json=htmlsafe_json_dumps(language.script_messages, ensure_ascii=False),
    )
    return single_file(pages.fill("explorer/saved_page.html", context), pages.assets)


def _plane(chosen: ExportSelection, cell: tuple[int | None, int | None]) -> dict[str, Any] | None:
    """The query-key plane of the chosen head; None where weights were uploaded without vectors."""
    if "raw_scores" not in chosen.part.stages:
        return None
    query, key = cell
    plane = query_key_plane(
        chosen.analysis,
        chosen.layers[0],
        chosen.heads[0],
        part=chosen.part.name,
        max_tokens=SIDE,
        query=query,
        key=key,
    )
    return QueryKeyPlaneAnswer.of(plane).model_dump(mode="json")


def matrices(chosen: ExportSelection, *, is_complete: bool) -> list[Matrix]:
    """The matrices to embed, the chosen head's first; each once."""
    part, layer, head = chosen.part, chosen.layers[0], chosen.heads[0]
    rows, cols = (0, part.query_tokens), (0, part.key_tokens)
    others = [stage for stage in SHOWN_STAGES if stage in part.stages] if rows[1] * cols[1] <= STAGES_CELLS else []
    wanted = [Matrix(part.name, layer, head, stage, rows, cols) for stage in (chosen.stage, *others)]
    if max(rows[1], cols[1]) > SIDE:
        wanted.append(Matrix(part.name, layer, head, chosen.stage, chosen.rows, chosen.cols))
    if is_complete:
        wanted += [matrix for each in chosen.analysis.parts for matrix in _heads(each)]
    return list(dict.fromkeys(wanted))


def _heads(part: Part) -> Iterator[Matrix]:
    """The weights of every head."""
    for layer in range(part.layers):
        for head in range(part.heads):
            yield Matrix(part.name, layer, head, "weights", (0, part.query_tokens), (0, part.key_tokens))


def _cells(part: Part) -> int:
    return part.layers * part.heads * part.query_tokens * part.key_tokens


def _windows(analysis: Analysis, wanted: Iterable[Matrix]) -> Iterator[dict[str, Any]]:
    """Each window as ``GET /api/analyses/{id}/weights`` returns it."""
    for each in wanted:
        window = analysis.window(
            each.part, each.layer, each.head, each.stage, each.rows, each.cols, SIDE, max_cells=SIDE * SIDE
        )
        yield window_answer(window, "base64", **vars(each)).model_dump(mode="json")
