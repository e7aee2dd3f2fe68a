"""A text through a pretrained model, and every closer look at what its heads did."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from numpy.typing import NDArray
from pydantic import Field

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.running.analysis import (
    Analysis,
    AnalysisRequest,
    analyse,
    analyse_prepared,
    prepare,
)
from attention_core.pretrained.running.batch import analyse_together, batch_key, may_share
from attention_core.refusal import Sentence
from ...answers.analyses import (
    AnalysisAnswer,
    DistributionAnswer,
    WindowAnswer,
    analysis_answer,
    window_answer,
)
from ...answers.analysis_drawings import TOKEN_SIDES, title_of
from ...answers.answer_paths import Drawn
from ...answers.drawings import STAGES, by_head, heat, histogram
from ...answers.figures import Bounds
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, LongText, Name, PartName, RequestModel, check_characters
from ...requests.interventions import Interventions, to_core
from ...requests.turns import in_turn
from ...settings import Settings
from ...stores.computation_store import Shared
from ...stores.kept_requests import KeptRequest
from ...web.disconnects import unless_disconnected
from ...web.matrices import Encoding
from ..dependencies import AnalysisDep, Observatory, ObservatoryDep, Recipe, SettingsDep
from ..figure_routes import add_figures
from .identity import asked_again, identity, is_unchanged, name_request

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

MAX_PICTURE = 4_096
MAX_BINS = 512
SPAN = r"^[0-9]{1,9}:[0-9]{1,9}$"

Bins = Annotated[int, Query(ge=1, le=MAX_BINS)]
Stage = Literal["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]


class PostAnalysis(RequestModel):
    """What to analyse."""

    body_limit = "max_body_bytes"
    """Texts may be long."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: LongText = Field(examples=["The cat sat on the mat because it was tired."])
    text_pair: LongText | None = Field(
        None, description="A second text, separated from the first by the model's tokenizer."
    )
    target_text: LongText | None = Field(None, description="The output of an encoder–decoder model so far.")
    chat: bool = Field(
        False, description="Whether the text is a chat message, which the model's chat template puts into its frame."
    )
    system_text: LongText | None = Field(None, description="The system message before a chat message.")
    parity: bool = Field(False, description="Also compare with the library's own eager attention.")
    interventions: Interventions = Field(
        default_factory=list, description="Changes to the model's attention before it runs."
    )


@router.post("")
async def post_analysis(
    request: Request, wanted: PostAnalysis, settings: SettingsDep, observatory: ObservatoryDep
) -> AnalysisAnswer:
    """Run a model on a text: tokens, a thumbnail of every head, metrics and predictions."""
    _check_lengths(wanted, settings)
    return await unless_disconnected(request, _analyse(wanted, settings, observatory))


@router.get("/{analysis_id}")
def get_analysis(analysis_id: str, analysis: AnalysisDep) -> AnalysisAnswer:
    """An analysis that is still kept."""
    return analysis_answer(analysis_id, analysis)


def _metrics(analysis: AnalysisDep, part: PartName | None = None) -> dict[str, NDArray[np.float32]]:
    """The metrics of every head of one part of the model, the first unless named."""
    return next((each for each in analysis.parts if each.name == part), analysis.parts[0]).metrics


add_figures(
    router,
    _metrics,
    {name: by_head(name, title_of(info), "positive") for name, info in METRICS.items()},
    beside=get_analysis,
)


@router.get("/{analysis_id}/weights")
def get_weights(
    analysis: AnalysisDep,
    settings: SettingsDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    stage: Stage = "weights",
    rows: Annotated[str | None, Query(pattern=SPAN, description="Queries a:b, without b.")] = None,
    cols: Annotated[str | None, Query(pattern=SPAN, description="Keys a:b, without b.")] = None,
    max_size: Annotated[
        int | None, Query(ge=1, le=MAX_PICTURE, description="Pool to at most this many rows and columns.")
    ] = None,
    pooling: Literal["max", "mean"] = "max",
    encoding: Encoding = "base64",
) -> WindowAnswer:
    """A window of one stage of one head at full resolution, or pooled to ``max_size`` cells a side."""
    chosen = next((each for each in analysis.parts if each.name == part), analysis.parts[0])
    spans = read_span(rows) or (0, chosen.query_tokens), read_span(cols) or (0, chosen.key_tokens)
    window = analysis.window(part, layer, head, stage, *spans, max_size, pooling, max_cells=settings.max_window_cells)
    return window_answer(
        window, encoding, part=chosen.name, layer=layer, head=head, stage=stage, rows=spans[0], cols=spans[1]
    )


def _stage_bounds(drawn: Drawn) -> Bounds:
    return STAGES[drawn.given["stage"]][1]


def _stage_title(drawn: Drawn) -> Sentence:
    return STAGES[drawn.given["stage"]][0]


add_figures(
    router,
    get_weights,
    {"weights": heat("matrix", _stage_title, *TOKEN_SIDES, _stage_bounds, where=("layer", "head"))},
)


@router.get("/{analysis_id}/distribution")
def get_distribution(
    analysis: AnalysisDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    stage: Stage = "weights",
    bins: Bins = 64,
) -> DistributionAnswer:
    """How the cells of one stage of one head are distributed, and the entropy of each query's weights."""
    return DistributionAnswer.of(analysis.distribution(part, layer, head, stage, bins))


add_figures(
    router,
    get_distribution,
    {"distribution": histogram(_stage_title, where=("layer", "head"))},
)


async def _analyse(wanted: PostAnalysis, settings: Settings, observatory: Observatory) -> AnalysisAnswer:
    loaded = await observatory.loading.get(wanted.model)
    analysis_id, analysis = await analysis_of(wanted, loaded, settings, observatory)
    return await in_turn(analysis_answer, analysis_id, analysis)


async def analysis_of(
    wanted: PostAnalysis, loaded: LoadedModel, settings: Settings, observatory: Observatory
) -> tuple[str, Analysis]:
    """The analysis and its id: kept, under way, or computed now."""
    named = await in_turn(name_request, wanted, loaded)
    analysis_id = identity(named)
    analysis = await _compute(analysis_id, wanted, loaded, settings, observatory)
    await observatory.requests.keep(analysis_id, KeptRequest("text", named))
    return analysis_id, analysis


def recipe(settings: Settings) -> Recipe:
    """Analyses the text of a kept request."""

    async def again(analysis_id: str, kept: KeptRequest, observatory: Observatory) -> Analysis | None:
        wanted = asked_again(PostAnalysis, kept)
        loaded = await observatory.loading.get(wanted.model)
        if not await in_turn(is_unchanged, kept, wanted, loaded):
            return None
        return await _compute(analysis_id, wanted, loaded, settings, observatory)

    return again


async def _compute(
    analysis_id: str, wanted: PostAnalysis, loaded: LoadedModel, settings: Settings, observatory: Observatory
) -> Analysis:
    texts = (wanted.text, wanted.text_pair, wanted.target_text)
    changes = to_core(wanted.interventions)
    chat = Chat(wanted.system_text) if wanted.chat else None
    request = AnalysisRequest(*texts, wanted.parity, changes, chat)
    store = observatory.analyses
    known = store.holds(analysis_id) or store.is_under_way(analysis_id)
    if settings.batch == 1 or known or not may_share(request):
        return await store.get_or_compute(
            analysis_id,
            lambda cancelled: analyse(loaded, request, max_tokens=settings.max_tokens, cancelled=cancelled),
        )
    text = await in_turn(prepare, loaded, request, max_tokens=settings.max_tokens)
    key = batch_key(text)
    return await store.get_or_compute(
        analysis_id,
        lambda cancelled: analyse_prepared(text, cancelled),
        shared=None if key is None else Shared(key, text, analyse_together),
    )


def _check_lengths(wanted: PostAnalysis, settings: Settings) -> None:
    for field in ("text", "text_pair", "target_text", "system_text"):
        check_characters(settings, field, getattr(wanted, field))


def read_span(text: str | None) -> tuple[int, int] | None:
    """``a:b`` as two numbers."""
    if text is None:
        return None
    start, stop = text.split(":")
    return int(start), int(stop)
