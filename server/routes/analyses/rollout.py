"""Attention chained over layers: rollout and flow."""

from fastapi import APIRouter, Request
from pydantic import Field

from attention_core.pretrained.studies.flow.attention_flow import MAX_TOKENS, AttentionFlow, attention_flow
from attention_core.pretrained.studies.flow.rollout import (
    MAX_SQUARE_TOKENS,
    Rollout,
    RolloutByLayer,
    rollout,
    rollout_by_layer,
)
from attention_core.refusal import Sentence
from ...answers.analysis_drawings import ROLLED, TOKEN_COLUMNS
from ...answers.drawings import LAYERS, bars, heat
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...requests.turns import in_turn
from ...web.disconnects import unless_disconnected
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class RolloutAnswer(AnswerOf[Rollout]):
    """Rows: tokens after ``layer``; columns: the input tokens of the first layer."""

    matrix: EncodedArray | Matrix
    shape: tuple[int, int]
    encoding: Encoding


class RolloutLayersAnswer(AnswerOf[RolloutByLayer]):
    """Rows: layers; columns: the input tokens of the first layer."""

    rollout: EncodedArray | Matrix
    mean_weights: EncodedArray | Matrix
    shape: tuple[int, int]
    encoding: Encoding
    max_whole_tokens: int = Field(description="Longest text whose whole rollout is computed.")
    max_flow_tokens: int = Field(description="Longest text whose attention flow is computed.")


class FlowAnswer(AnswerOf[AttentionFlow]):
    """From one token after ``layer`` to each input token of the first layer."""


@router.get("/{analysis_id}/rollout")
async def get_rollout(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    part: PartName | None = None,
    layer: Index | None = None,
    query: Index | None = None,
    encoding: Encoding = "base64",
) -> RolloutAnswer:
    """Attention rollout (Abnar & Zuidema 2020): the product of ½ mean weights + ½ identity over layers.

    Of one query at any length, of all queries of a short text.
    """
    study = observatory.study(
        f"rollout/{analysis_id}/{part}/{layer}/{query}",
        lambda cancelled: rollout(analysis, part=part, layer=layer, query=query, cancelled=cancelled),
    )
    rolled_out = await unless_disconnected(request, study)
    return await in_turn(
        lambda: RolloutAnswer.of(
            rolled_out, matrix=encode(rolled_out.matrix, encoding), shape=rolled_out.matrix.shape, encoding=encoding
        )
    )


add_figures(
    router,
    get_rollout,
    {"rollout": heat("matrix", Sentence("Rollout"), ROLLED, TOKEN_COLUMNS, "weights", where=("layer",))},
)


@router.get("/{analysis_id}/rollout/layers")
async def get_rollout_layers(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    query: Index,
    part: PartName | None = None,
    encoding: Encoding = "base64",
) -> RolloutLayersAnswer:
    """Attention rollout of one query after every layer, and the mean weights of each layer, at any length."""
    study = observatory.study(
        f"rollout-layers/{analysis_id}/{part}/{query}",
        lambda cancelled: rollout_by_layer(analysis, query, part=part, cancelled=cancelled),
    )
    layers = await unless_disconnected(request, study)
    return await in_turn(
        lambda: RolloutLayersAnswer.of(
            layers,
            rollout=encode(layers.rollout, encoding),
            mean_weights=encode(layers.mean_weights, encoding),
            shape=layers.rollout.shape,
            encoding=encoding,
            max_whole_tokens=MAX_SQUARE_TOKENS,
            max_flow_tokens=MAX_TOKENS,
        )
    )


add_figures(
    router,
    get_rollout_layers,
    {
        "rollout": heat(
            "rollout", Sentence("Rollout"), LAYERS, TOKEN_COLUMNS, "weights", square=False, where=("query",)
        ),
        "mean_weights": heat(
            "mean_weights", Sentence("Mean weights"), LAYERS, TOKEN_COLUMNS, "weights", square=False, where=("query",)
        ),
    },
)


@router.get("/{analysis_id}/flow")
async def get_flow(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    query: Index,
    part: PartName | None = None,
    layer: Index | None = None,
) -> FlowAnswer:
    """Attention flow (Abnar & Zuidema 2020): the most that can flow from one token to each, by maximal flow."""
    study = observatory.study(
        f"flow/{analysis_id}/{part}/{layer}/{query}",
        lambda cancelled: attention_flow(analysis, query, part=part, layer=layer, cancelled=cancelled),
    )
    flows = await unless_disconnected(request, study)
    return await in_turn(FlowAnswer.of, flows)


add_figures(
    router,
    get_flow,
    {"flow": bars("flows", Sentence("Attention flow"), Sentence("flow"), TOKEN_COLUMNS, ("layer", "query"))},
)
