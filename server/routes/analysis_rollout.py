"""How attention chains over layers: rollout and flow."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from attention_core.pretrained.attention_flow import attention_flow
from attention_core.pretrained.rollout import rollout
from server.answers import Encoding
from server.dependencies import AnalysisDep, ObservatoryDep
from server.matrices import EncodedArray, Matrix, encode_base64, to_json_numbers

router = APIRouter(prefix="/api/analyses", tags=["analyses"])

PartName = Literal["encoder", "decoder", "cross"]


class RolloutAnswer(BaseModel):
    """Rows: tokens after ``layer``; columns: the tokens that go into the first layer."""

    matrix: EncodedArray | Matrix
    shape: tuple[int, int]
    part: str
    layer: int = Field(description="The last layer that counts.")
    query: int | None = Field(description="The one token whose row it is; null for all.")
    encoding: Encoding


class FlowAnswer(BaseModel):
    """From one token after ``layer`` down to each token that goes into the first layer."""

    flows: list[float]
    part: str
    layer: int
    query: int


@router.get("/{analysis_id}/rollout")
async def get_rollout(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    part: PartName | None = None,
    layer: int | None = None,
    query: int | None = None,
    encoding: Encoding = "base64",
) -> RolloutAnswer:
    """Attention rollout (Abnar & Zuidema 2020): the product of ½ mean weights + ½ identity over layers.

    Of one query at any length, of all queries of a short text.
    """
    found = await observatory.study(
        f"rollout/{analysis_id}/{part}/{layer}/{query}",
        lambda cancelled: rollout(analysis, part=part, layer=layer, query=query, cancelled=cancelled),
    )
    return RolloutAnswer.model_construct(
        matrix=encode_base64(found.matrix, "f4") if encoding == "base64" else to_json_numbers(found.matrix),
        shape=found.matrix.shape,
        part=found.part,
        layer=found.layer,
        query=found.query,
        encoding=encoding,
    )


@router.get("/{analysis_id}/flow")
async def get_flow(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    query: int,
    part: PartName | None = None,
    layer: int | None = None,
) -> FlowAnswer:
    """Attention flow (Abnar & Zuidema 2020): the most that can flow from one token to each, by maximal flow."""
    found = await observatory.study(
        f"flow/{analysis_id}/{part}/{layer}/{query}",
        lambda cancelled: attention_flow(analysis, query, part=part, layer=layer, cancelled=cancelled),
    )
    return FlowAnswer(flows=found.flows.tolist(), part=found.part, layer=found.layer, query=found.query)
