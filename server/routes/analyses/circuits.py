"""Circuits of a decoder from its weights alone: QK and OV of one head, and composition of heads."""

from typing import Annotated

from fastapi import APIRouter, Query

from attention_core.pretrained.studies.circuits.circuits import (
    MAX_TOKENS_LISTED,
    CircuitPair,
    CircuitRow,
    CircuitToken,
    HeadCircuits,
    head_circuits,
)
from attention_core.pretrained.studies.circuits.composition import MAX_LISTED, ComposedPair, Composition, composition
from attention_core.refusal import Sentence
from ...answers.answer_paths import Drawn
from ...answers.drawings import Side, by_head, heat, scatter
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, Name, check_cells
from ...requests.turns import in_turn
from ...web.i18n import say
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/circuits", tags=["circuits"], route_class=BodyRoute)

ModelName = Annotated[Name, Query(description="An id of /api/models, of a decoder.")]


class CircuitTokenAnswer(AnswerOf[CircuitToken]):
    """A token of the vocabulary and its number in a row of a circuit."""


class CircuitRowAnswer(AnswerOf[CircuitRow]):
    """One token's row of a circuit."""

    highest: list[CircuitTokenAnswer]
    lowest: list[CircuitTokenAnswer]


class CircuitPairAnswer(AnswerOf[CircuitPair]):
    """Two tokens, and their number in a circuit."""


class CircuitsAnswer(AnswerOf[HeadCircuits]):
    """The circuits of one head."""

    model: str
    attends_to: CircuitRowAnswer | None
    writes: CircuitRowAnswer | None
    attention_pairs: list[CircuitPairAnswer]
    writing_pairs: list[CircuitPairAnswer]
    treatment: list[str]


class ComposedPairAnswer(AnswerOf[ComposedPair]):
    """A head that writes, and a head of a later layer that reads it."""


class CompositionAnswer(AnswerOf[Composition]):
    """Composition scores of all pairs of heads of different layers."""

    model: str
    query: Matrix | EncodedArray
    key: Matrix | EncodedArray
    value: Matrix | EncodedArray
    strongest: list[ComposedPairAnswer]


@router.get("")
async def get_circuits(
    observatory: ObservatoryDep,
    model: ModelName,
    layer: Index,
    head: Index,
    token: Annotated[Name | None, Query(description="A text of exactly one token, with its space: “ cat”.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_TOKENS_LISTED, description="Tokens and pairs in each list.")] = 10,
) -> CircuitsAnswer:
    """What a head would attend to and write, token by token (Elhage et al. 2021), with its copying score."""
    loaded = await observatory.loading.get(model)
    found: HeadCircuits = await observatory.study(
        f"circuits/{loaded.identity}/{layer}/{head}/{limit}/{token}",
        lambda cancelled: head_circuits(loaded, layer, head, token=token, limit=limit, cancelled=cancelled),
    )
    return await in_turn(CircuitsAnswer.of, found, model=model, treatment=[say(each) for each in found.treatment])


add_figures(
    router,
    get_circuits,
    {
        "eigenvalues": scatter(
            {Sentence("eigenvalues"): "eigenvalues"},
            Sentence("Eigenvalues of the OV circuit"),
            Sentence("real part"),
            Sentence("imaginary part"),
            where=("layer", "head"),
        )
    },
)


@router.get("/composition")
async def get_circuit_composition(
    settings: SettingsDep,
    observatory: ObservatoryDep,
    model: ModelName,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED, description="Pairs of each kind in `strongest`.")] = 20,
    encoding: Annotated[Encoding, Query(description="Of the matrices.")] = "json",
) -> CompositionAnswer:
    """Q-, K- and V-composition of all pairs of heads (Elhage et al. 2021), and the copying score of every head."""
    loaded = await observatory.loading.get(model)
    if loaded.parts:
        heads = loaded.parts[0].layers * loaded.parts[0].heads
        check_cells(settings, "model", heads, heads)
    found: Composition = await observatory.study(
        f"composition/{loaded.identity}/{limit}",
        lambda cancelled: composition(loaded, limit=limit, cancelled=cancelled),
    )

    def answer() -> CompositionAnswer:
        matrices = {name: encode(getattr(found, name), encoding) for name in ("query", "key", "value")}
        return CompositionAnswer.of(found, model=model, **matrices)

    return await in_turn(answer)


def _heads(drawn: Drawn) -> list[str]:
    count = int(drawn.answer.heads)
    return [f"{layer}.{head}" for layer in range(drawn.answer.layers) for head in range(count)]


WRITING, READING = Side(Sentence("head that writes"), _heads), Side(Sentence("head that reads"), _heads)

add_figures(
    router,
    get_circuit_composition,
    {
        "key": heat("key", Sentence("K-composition"), WRITING, READING, "positive"),
        "query": heat("query", Sentence("Q-composition"), WRITING, READING, "positive"),
        "value": heat("value", Sentence("V-composition"), WRITING, READING, "positive"),
        "copying": by_head("copying", Sentence("Copying score of each head")),
    },
)
