"""An analysis as a file: JSON, CSV, NPZ, or an HTML file that works from disk."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from attention_core.pretrained.running.analysis import Analysis
from ...answers.analyses import analysis_answer, window_answer
from ...pages.analysis_file import offline_file
from ...pages.export_files import ExportSelection, csv_lines, npz_chunks
from ...pages.pages import Pages
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...requests.turns import turn_by_turn
from ...settings import Settings
from ...web.errors import ApiError
from ..dependencies import AnalysisDep, ObservatoryDep, SettingsDep
from .analyses import SPAN, Stage
from .head_scores import HeadScoresAnswer, scores_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

Format = Literal["json", "csv", "npz", "html"]
MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8; header=present",
    "npz": "application/x-npz",
    "html": "text/html; charset=utf-8",
}
FILES: dict[str, dict[str, dict[str, str]]] = {
    media_type: {"schema": {"type": "object"} if name == "json" else {"type": "string", "format": "binary"}}
    for name, media_type in MEDIA_TYPES.items()
}


async def _head_scores(
    analysis: AnalysisDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    measures: Annotated[
        Literal["random"] | None,
        Query(description="random: an HTML file also has the model's answer of /api/head_scores."),
    ] = None,
) -> HeadScoresAnswer | None:
    return None if measures is None else await scores_of(analysis.model.id, settings, observatory)


@router.get("/{analysis_id}/export", response_class=Response, responses={200: {"content": FILES}})
def get_export(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    settings: SettingsDep,
    response: Response,
    scores: Annotated[HeadScoresAnswer | None, Depends(_head_scores)],
    format: Annotated[Format, Query(description="npz: all heads or the chosen ones; csv: one head.")],  # noqa: A002
    lang: Annotated[str | None, Query(description="Language of an HTML file; by Accept-Language unless given.")] = None,
    part: PartName | None = None,
    layer: Annotated[Index | None, Query(description="All unless given (npz).")] = None,
    head: Annotated[Index | None, Query(description="All unless given (npz).")] = None,
    stage: Stage = "weights",
    rows: Annotated[str | None, Query(pattern=SPAN, description="Queries a:b, without b.")] = None,
    cols: Annotated[str | None, Query(pattern=SPAN, description="Keys a:b, without b.")] = None,
    query: Annotated[int | None, Query(ge=0, description="The query that an HTML file opens on.")] = None,
    key: Annotated[int | None, Query(ge=0, description="The key that an HTML file opens on.")] = None,
    numbering: Annotated[int, Query(ge=0, le=1, description="The number that an HTML file counts from.")] = 0,
) -> Response:
    """An analysis as a file.

    `json` holds the whole answer and, where a layer and a head are given, that head's `window`. `csv` holds one head
    with its tokens, in UTF-8 with a byte order mark; weights that the mask forbids are left empty. `npz` holds a stage
    (layers, heads, queries, keys), `tokens`, `overview`, the `mask` of each layer, if there is one, and everything else
    as `metadata`; with the weights it can be sent to `POST /api/tensors` again. `html` is a page that needs no network:
    it opens on the chosen head (the first, if none is given) and holds a thumbnail of every head, and its numbers where
    those of all heads together are few (`OBSERVATORY_MAX_OFFLINE_CELLS`).
    """
    chosen = _choose(analysis, part, layer, head, stage, rows, cols)
    headers = {
        **response.headers,
        "Content-Disposition": f'attachment; filename="{_file_name(chosen, layer, head, format)}.{format}"',
    }
    if format == "html":
        page = _html(
            request,
            analysis_id,
            chosen,
            {"query": query, "key": key, "numbering": numbering, "lang": lang},
            settings,
            scores,
        )
        return Response(page, media_type=MEDIA_TYPES[format], headers=headers | {"Vary": "Accept-Language"})
    if format == "json":
        whole = _json(analysis_id, chosen, settings, has_window=layer is not None and head is not None)
        return Response(whole, media_type=MEDIA_TYPES[format], headers=headers)
    _check_heads(format, layer, head)
    _check_cells(chosen, settings, layer, head)
    content = csv_lines(chosen) if format == "csv" else npz_chunks(chosen, analysis_answer(analysis_id, analysis))
    return StreamingResponse(turn_by_turn(content), media_type=MEDIA_TYPES[format], headers=headers)


def _choose(
    analysis: Analysis,
    part: str | None,
    layer: int | None,
    head: int | None,
    stage: str,
    rows: str | None,
    cols: str | None,
) -> ExportSelection:
    """Check the selection by looking at one row and one column of it. Raises SelectionError."""
    exported = next((each for each in analysis.parts if each.name == part), analysis.parts[0])
    row_span = (0, exported.query_tokens) if rows is None else _span(rows)
    col_span = (0, exported.key_tokens) if cols is None else _span(cols)
    place = (part, 0 if layer is None else layer, 0 if head is None else head, stage)
    analysis.window(*place, (0, 1), col_span)
    analysis.window(*place, row_span, (0, 1))
    layers = range(exported.layers) if layer is None else (layer,)
    heads = range(exported.heads) if head is None else (head,)
    return ExportSelection(analysis, exported, layers, heads, stage, row_span, col_span)


def _check_heads(format_: Format, layer: int | None, head: int | None) -> None:
    for name, index in (("layer", layer), ("head", head)):
        if format_ == "csv" and index is None:
            raise ApiError(422, "invalid_request", "{field}: a CSV file holds one head; choose one.", field=name)


def _check_cells(chosen: ExportSelection, settings: Settings, layer: int | None, head: int | None) -> None:
    layers, heads, height, width = chosen.shape
    cells, limit = layers * heads * height * width, settings.max_export_cells
    if cells > limit:
        field = "layer" if layer is None else "head" if head is None else "rows"
        raise ApiError(
            422,
            "too_large",
            "{layers} layers × {heads} heads × {height} queries × {width} keys are {cells} cells; a file holds "
            "at most {limit} (OBSERVATORY_MAX_EXPORT_CELLS). Choose a layer, a head, or rows and cols.",
            layers,
            heads,
            height,
            width,
            cells,
            field=field,
            limit=limit,
        )


def _json(analysis_id: str, chosen: ExportSelection, settings: Settings, *, has_window: bool) -> bytes:
    content = analysis_answer(analysis_id, chosen.analysis).model_dump(mode="json")
    content["window"] = None
    if has_window:
        layer, head = chosen.layers[0], chosen.heads[0]
        window = chosen.analysis.window(
            chosen.part.name, layer, head, chosen.stage, chosen.rows, chosen.cols, max_cells=settings.max_window_cells
        )
        content["window"] = window_answer(
            window, "json", part=chosen.part.name, layer=layer, head=head, stage=chosen.stage, rows=chosen.rows,
            cols=chosen.cols,
        ).__dict__  # fmt: skip
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _html(
    request: Request,
    analysis_id: str,
    chosen: ExportSelection,
    view: Mapping[str, int | str | None],
    settings: Settings,
    scores: HeadScoresAnswer | None,
) -> str:
    for name, count in (("query", chosen.part.query_tokens), ("key", chosen.part.key_tokens)):
        index = view[name]
        if isinstance(index, int) and index >= count:
            raise ApiError(
                422,
                "out_of_range",
                "{name} must be at most {most}, not {given}",
                name,
                count - 1,
                index,
                field=name,
                limit=count - 1,
            )
    pages: Pages = request.app.state.pages
    return offline_file(pages, request, analysis_id, chosen, view, settings.max_offline_cells, scores)


def _file_name(chosen: ExportSelection, layer: int | None, head: int | None, format_: Format) -> str:
    """Model, part, layer, head, stage, window, and whether the model was changed.

    ASCII letters, digits, dots and hyphens only, so that the header is one line.
    """
    model = chosen.analysis.model.id.rpartition("/")[2]
    places = [f"layer{layer}" if layer is not None else "", f"head{head}" if head is not None else ""]
    part = chosen.part
    window = [
        f"{name}{first}-{end}"
        for name, (first, end), count in (
            ("queries", chosen.rows, part.query_tokens),
            ("keys", chosen.cols, part.key_tokens),
        )
        if (first, end) != (0, count) and format_ != "html"  # which holds the whole head
    ]
    changed = "changed" if chosen.analysis.interventions else ""
    named = "-".join(filter(None, [model[:60], part.name, *places, chosen.stage, *window, changed]))
    return re.sub(r"[^A-Za-z0-9.]+", "-", named).strip("-.")


def _span(text: str) -> tuple[int, int]:
    start, stop = text.split(":")
    return int(start), int(stop)
