"""Gradient × attention: how much each weight contributes to one output."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from numpy.typing import NDArray
from pydantic import Field

from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.studies.outputs.attribution import Attribution, PartAttribution, attribution
from attention_core.refusal import Sentence
from ...answers.analysis_drawings import TOKEN_SIDES
from ...answers.drawings import by_head, heat
from ...answers.from_core import AnswerOf, FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index
from ...requests.turns import in_turn
from ...web.errors import ApiError
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures
from .reruns import model_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class PartAttributionAnswer(FromCore):
    """One part of the model."""

    name: str
    heads: Matrix = Field(description="[layers][heads] The sum over all weights of a head.")


class AttributionAnswer(AnswerOf[Attribution]):
    """Weight × gradient of one output. Rows of ``matrix`` are queries, columns are keys."""

    token_text: str | None
    against_text: str | None
    parts: list[PartAttributionAnswer]
    matrix: EncodedArray | Matrix | None = Field(description="Of one head, if layer and head are given.")
    part: str | None
    layer: int | None
    head: int | None
    shape: tuple[int, int] | None
    encoding: Encoding


@router.get("/{analysis_id}/attribution")
async def get_attribution(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    target: Annotated[
        Literal["logit", "embedding", "component"] | None,
        Query(description="By default the logit, or the embedding of a model that predicts no token."),
    ] = None,
    position: Annotated[Index | None, Query(description="The last, or the first masked one, unless given.")] = None,
    token: Annotated[Index | None, Query(description="Of the logit; the model's own best unless given.")] = None,
    against: Annotated[Index | None, Query(description="A token whose logit is subtracted.")] = None,
    component: Annotated[Index | None, Query(description="Of the last hidden state.")] = None,
    part: Literal["encoder", "decoder", "cross"] | None = None,
    layer: Index | None = None,
    head: Index | None = None,
    encoding: Encoding = "base64",
) -> AttributionAnswer:
    """Gradient × attention of one output: the sum for every head, and the matrix of one head."""
    loaded = await model_of(analysis, observatory)
    attributed: Attribution = await observatory.study(
        f"attribution/{analysis_id}/{target}/{position}/{token}/{against}/{component}",
        lambda cancelled: attribution(
            loaded,
            analysis,
            target=target,
            position=position,
            token=token,
            against=against,
            component=component,
            cancelled=cancelled,
        ),
    )
    return await in_turn(_answer, loaded, attributed, part, layer, head, encoding)


def _answer(
    loaded: LoadedModel, found: Attribution, part: str | None, layer: int | None, head: int | None, encoding: Encoding
) -> AttributionAnswer:
    chosen = _chosen(found, part)
    matrix = _matrix(chosen, layer, head)
    return AttributionAnswer.of(
        found,
        token_text=_text(loaded, found.token_id),
        against_text=_text(loaded, found.against_id),
        matrix=None if matrix is None else encode(matrix, encoding),
        part=None if matrix is None else chosen.name,
        layer=layer,
        head=head,
        shape=None if matrix is None else matrix.shape,
        encoding=encoding,
    )


add_figures(
    router,
    get_attribution,
    {
        "heads": by_head("parts[part].heads", Sentence("Weight × gradient, summed over each head")),
        "matrix": heat("matrix", Sentence("Weight × gradient"), *TOKEN_SIDES, where=("layer", "head")),
    },
)


def _text(loaded: LoadedModel, token: int | None) -> str | None:
    return None if token is None else vocabulary_text(loaded.answers, token)


def _chosen(found: Attribution, part: str | None) -> PartAttribution:
    names = [each.name for each in found.parts]
    if part is not None and part not in names:
        raise ApiError(
            422,
            "out_of_range",
            "{name} must be one of {choices}, not {given}",
            "part",
            ", ".join(names),
            repr(part),
            field="part",
        )
    return found.parts[0 if part is None else names.index(part)]


def _matrix(part: PartAttribution, layer: int | None, head: int | None) -> NDArray[np.float32] | None:
    """Of one head, if layer and head are given."""
    if layer is None and head is None:
        return None
    if layer is None or head is None:
        missing = "layer" if layer is None else "head"
        raise ApiError(422, "invalid_request", "layer and head must be given together, or neither.", field=missing)
    layers, heads = part.shares.shape[:2]
    return part.shares[check_index("layer", layer, layers), check_index("head", head, heads)]
