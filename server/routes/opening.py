"""The Explorer's page. What it opens with stands in it, as far as that is at hand; nothing is computed for it."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.running.analysis import Analysis
from ..answers.analyses import DistributionAnswer, analysis_answer, window_answer
from ..pages.explorer_page import (
    DEFAULT_TEXT,
    Chip,
    ModelChoice,
    Opening,
    View,
    answers_json,
    chips,
    explorer_context,
    opening_query,
    read_view,
)
from ..pages.pages import Pages
from ..pages.site import EXPLORER
from ..requests.bodies import BodyRoute
from ..requests.turns import in_turn
from ..settings import Settings
from .analyses.analyses import PostAnalysis, analysis_of
from .analyses.identity import identify
from .dependencies import Observatory, ObservatoryDep
from .system.models import ModelList, list_models

router = APIRouter(include_in_schema=False, route_class=BodyRoute)

TILE = 256
"""Most tokens of an analysis that is sent with the page: its matrices are one tile each."""
BINS = 64


@router.api_route("/", methods=["GET", "HEAD"])
async def explorer(request: Request, observatory: ObservatoryDep) -> Response:
    """Every head of a real model on a text of one's own."""
    return await _page(request, observatory, bare=False)


@router.api_route("/embed/explorer", methods=["GET", "HEAD"])
@router.api_route("/embed/", methods=["GET", "HEAD"])
async def embedded(request: Request, observatory: ObservatoryDep) -> Response:
    """The same without navigation, for a frame."""
    return await _page(request, observatory, bare=True)


async def prepare(model_id: str, observatory: Observatory, settings: Settings) -> None:
    """Analyse the text that the page opens with, so that it is at hand."""
    loaded = await observatory.loading.get(model_id)
    await analysis_of(PostAnalysis(model=model_id, text=DEFAULT_TEXT), loaded, settings, observatory)


async def _page(request: Request, observatory: Observatory, *, bare: bool) -> Response:
    pages: Pages = request.app.state.pages
    view = read_view(request.query_params)
    listed = await list_models(observatory)
    model = view.model or listed.default or ""
    wanted = _wanted(view, model)
    analysis_id = None if wanted is None else await in_turn(_identity, wanted, observatory)
    analysis = None if analysis_id is None else observatory.analyses.get(analysis_id)

    def render() -> Response:
        opening = _opening(view, model, listed, wanted, analysis_id, analysis)
        context = explorer_context(pages.context(request, EXPLORER, bare=bare), opening)
        return pages.answer(request, context.current.template, context)

    return await in_turn(render)


def _wanted(view: View, model: str) -> PostAnalysis | None:
    """The analysis that the page will ask for; None if it is not of a text, or would be refused."""
    if not view.is_plain:
        return None
    try:
        return PostAnalysis(model=model, text=view.text, text_pair=view.pair or None, target_text=view.target or None)
    except ValidationError:
        return None


def _identity(wanted: PostAnalysis, observatory: Observatory) -> str | None:
    try:
        loaded = observatory.catalog.at_hand(wanted.model)
    except ModelUnavailableError:  # its folder has gone
        return None
    return None if loaded is None else identify(wanted, loaded)


def _is_decoder(listed: ModelList, model: str) -> bool:
    return any(each.kind == "decoder" for each in listed.models if each.id == model)


def _opening(
    view: View,
    model: str,
    listed: ModelList,
    wanted: PostAnalysis | None,
    analysis_id: str | None,
    analysis: Analysis | None,
) -> Opening:
    choices = tuple(ModelChoice(each.id, each.title, each.available, each.layers, each.heads) for each in listed.models)
    chosen = next((each for each in choices if each.id == model), None)
    answers: list[tuple[str, Any]] = [("/api/models", listed.model_dump(mode="json"))]
    tokens: tuple[Chip, ...] = ()
    if wanted and analysis_id and analysis and len(analysis.tokens) <= TILE:
        answers += _answers(view, wanted, analysis_id, analysis)
        if analysis.target_tokens is None:
            shown, causal = analysis.tokens, analysis.parts[0].causal
            query = opening_query(shown, causal=causal, predictions=analysis.predictions)
            tokens = chips(shown, view, query)
    return Opening(
        text=view.text,
        pair=view.pair,
        example="pronoun" if (view.text, view.pair) == (DEFAULT_TEXT, "") else "",
        model=model,
        models=choices,
        view=view.view,
        stage=view.stage,
        layer=view.layer,
        head=view.head,
        numbering=view.numbering,
        layers=(chosen and chosen.layers) or Opening.layers,
        heads=(chosen and chosen.heads) or Opening.heads,
        predicts=bool(analysis.predictions) if analysis else _is_decoder(listed, model),
        tokens=tokens,
        answers_json=answers_json(answers),
    )


def _answers(view: View, wanted: PostAnalysis, analysis_id: str, analysis: Analysis) -> Iterator[tuple[str, Any]]:
    """The analysis, and of the chosen head the matrix and its distribution, each with the request for it."""
    asked = wanted.model_dump(include={"model", "text", "text_pair", "target_text"}, exclude_none=True)
    body = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
    yield f"/api/analyses {body}", analysis_answer(analysis_id, analysis).model_dump(mode="json")
    part = analysis.parts[0]
    layer, head = min(view.layer, part.layers - 1), min(view.head, part.heads - 1)
    stage = view.stage if view.stage in part.stages else "weights"
    rows, cols = (0, part.query_tokens), (0, part.key_tokens)
    place = {"part": part.name, "layer": layer, "head": head, "stage": stage}
    spans = {"rows": f"0:{rows[1]}", "cols": f"0:{cols[1]}", "max_size": TILE}
    window = analysis.window(part.name, layer, head, stage, rows, cols, TILE, max_cells=TILE * TILE)
    answer = window_answer(window, "base64", part=part.name, layer=layer, head=head, stage=stage, rows=rows, cols=cols)
    path = f"/api/analyses/{analysis_id}"
    yield f"{path}/weights?{urlencode(place | spans)}", answer.model_dump(mode="json")
    distribution = DistributionAnswer.of(analysis.distribution(part.name, layer, head, stage, BINS))
    yield f"{path}/distribution?{urlencode(place)}", distribution.model_dump(mode="json")
