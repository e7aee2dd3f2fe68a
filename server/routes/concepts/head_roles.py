"""What heads do over the probe sentences: their roles, the best fixed offsets, and one sentence to look at."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from attention_core.atlas.head_roles import (
    DEFAULT_SENTENCES,
    FEWEST_SENTENCES,
    MARGIN,
    MOST_SENTENCES,
    STANDS_OUT,
    HeadRoles,
    RelationRole,
    RoleHead,
    head_roles,
)
from attention_core.atlas.role_example import RoleExample, RolePair, role_example
from attention_core.refusal import Sentence
from ...answers.analyses import Token
from ...answers.drawings import Side, bars, by_head, heat, named
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, Name, RequestModel
from ...requests.turns import in_turn
from ...web.disconnects import unless_disconnected
from ..dependencies import Observatory, ObservatoryDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/head_roles", tags=["head_roles"], route_class=BodyRoute)

Role = Literal["previous_token", "next_token", "sink", "induction", "relation"]
Direction = Literal["dependent_to_head", "head_to_dependent"]


class HeadRolesRequest(RequestModel):
    """Which model to measure, and on how many sentences."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    sentences: Annotated[int, Field(ge=FEWEST_SENTENCES, le=MOST_SENTENCES)] = Field(
        DEFAULT_SENTENCES, description="Of the probe corpus; one half chooses, the other measures."
    )


class RoleExampleRequest(HeadRolesRequest):
    """Which role of which head to look at, in which sentence."""

    role: Role
    relation: Name | None = Field(None, description="For the role `relation`: one of the answer's.", examples=["obj"])
    direction: Direction = "dependent_to_head"
    layer: Index | None = Field(None, description="By default that of the head that stands out most.")
    head: Index | None = None
    number: Index = Field(0, description="Which of the sentences that show this role.")


class RoleHeadAnswer(AnswerOf[RoleHead]):
    """A head and its number in a role."""


class RelationRoleAnswer(AnswerOf[RelationRole]):
    """A relation in one direction, beside the best fixed offset."""

    best: RoleHeadAnswer


class HeadRolesAnswer(AnswerOf[HeadRoles]):
    """The roles of all heads of a model."""

    model: str
    stands_out: float = Field(description="A head stands out in a role above this weight.")
    margin: float = Field(description="A head stands out in a relation from so much above the best fixed offset.")
    standing_out: dict[str, list[RoleHeadAnswer]]
    relations: list[RelationRoleAnswer]


class RolePairAnswer(AnswerOf[RolePair]):
    """Two words between which a relation holds in the sentence."""


class RoleExampleAnswer(AnswerOf[RoleExample]):
    """A sentence and one head's weights in it."""

    model: str
    tokens: list[Token]
    pairs: list[RolePairAnswer]


@router.post("")
async def post_head_roles(request: Request, wanted: HeadRolesRequest, observatory: ObservatoryDep) -> HeadRolesAnswer:
    """Measure the roles of all heads of a model, and its best head for each relation."""
    roles = await unless_disconnected(request, _roles(wanted, observatory))
    return await in_turn(_answer, wanted.model, roles)


def _answer(model: str, found: HeadRoles) -> HeadRolesAnswer:
    standing_out = {role: [RoleHeadAnswer.of(each) for each in heads] for role, heads in found.standing_out.items()}
    return HeadRolesAnswer.of(found, model=model, stands_out=STANDS_OUT, margin=MARGIN, standing_out=standing_out)


RELATIONS = Side(
    Sentence("relation"), lambda drawn: [f"{each.relation} {each.direction}" for each in drawn.answer.relations]
)

add_figures(
    router,
    post_head_roles,
    {
        "relations": bars(
            {Sentence("best head"): "relations[*].best.value", Sentence("best fixed offset"): "relations[*].baseline"},
            Sentence("The best head of each relation, and the best fixed offset"),
            Sentence("share found"),
            RELATIONS,
        ),
        **{
            role: by_head(f"values.{role}", title, "weights")
            for role, title in {
                "previous_token": Sentence("Weight on the previous token"),
                "next_token": Sentence("Weight on the next token"),
                "sink": Sentence("Weight on sinks"),
                "induction": Sentence("Weight on the token that followed last time"),
            }.items()
        },
    },
)


@router.post("/example")
async def post_head_role_example(
    request: Request, wanted: RoleExampleRequest, observatory: ObservatoryDep
) -> RoleExampleAnswer:
    """One sentence in which a role can be seen, with one head's weights."""
    example = await unless_disconnected(request, _example(wanted, observatory))
    return await in_turn(RoleExampleAnswer.of, example, model=wanted.model)


add_figures(
    router,
    post_head_role_example,
    {
        "weights": heat(
            "weights",
            Sentence("Weights of the head in the example"),
            named(Sentence("query"), "tokens"),
            named(Sentence("key"), "tokens"),
            "weights",
        )
    },
)


async def prepare(model_id: str, observatory: Observatory) -> None:
    """Measure what the page shows first of a model, so that it is at hand."""
    await _roles(HeadRolesRequest.model_validate({"model": model_id}), observatory)


async def _roles(wanted: HeadRolesRequest, observatory: Observatory) -> HeadRoles:
    loaded = await observatory.loading.get(wanted.model)
    return await observatory.study(
        f"head_roles/{loaded.identity}/{wanted.sentences}",
        lambda cancelled: head_roles(loaded, sentences=wanted.sentences, cancelled=cancelled),
    )


async def _example(wanted: RoleExampleRequest, observatory: Observatory) -> RoleExample:
    roles = await _roles(wanted, observatory)
    loaded = await observatory.loading.get(wanted.model)
    asked = wanted.model_dump(exclude={"model"})
    return await observatory.study(
        f"role_example/{loaded.identity}/{sorted(asked.items())}",
        lambda cancelled: role_example(
            loaded,
            roles,
            wanted.role,
            relation=wanted.relation,
            direction=wanted.direction,
            layer=wanted.layer,
            head=wanted.head,
            number=wanted.number,
            cancelled=cancelled,
        ),
    )
