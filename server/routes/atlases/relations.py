"""Dependency relations in an atlas: which head finds them, against the best fixed offset."""

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel

from attention_core.atlas.reading.heads import read_relations
from attention_core.refusal import Sentence
from ...answers import figures
from ...answers.answer_paths import Drawn
from ...answers.drawings import Drawing, said
from ...answers.figures import Figure
from ...answers.palette import Palette
from ...requests.bodies import BodyRoute
from ..dependencies import AtlasDep
from ..figure_routes import add_figures
from .heads import RelationByHeadAnswer

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)


class RelationsAnswer(BaseModel):
    """Every relation, those with most pairs first."""

    relations: list[RelationByHeadAnswer]


@router.get("/{atlas_id}/relations")
def get_atlas_relations(atlas: AtlasDep) -> RelationsAnswer:
    """How often each head's strongest word is the right one, by relation and direction (Clark et al. 2019, table 1).

    Self and special tokens are left out; weights on the pieces of an attended word are summed, those of an attending
    word averaged. `accuracy` is in the order of the heads in `GET …/heads`.
    """
    return RelationsAnswer.model_construct(
        relations=[RelationByHeadAnswer.of(relation) for relation in read_relations(atlas)]
    )


def _draw(drawn: Drawn, palette: Palette, title: str) -> Figure:
    relations = drawn.answer.relations
    if not relations:
        raise drawn.nothing()
    groups = {
        said(Sentence("Best head")): [each.best.accuracy if each.best else None for each in relations],
        said(Sentence("Best fixed offset")): [each.baseline_accuracy for each in relations],
    }
    arrows = {"dependent_to_head": "→", "head_to_dependent": "←"}
    return figures.bars(
        {name: np.array(numbers, dtype=np.float64) for name, numbers in groups.items()},
        palette,
        title=title,
        x=said(Sentence("relation")),
        y=said(Sentence("accuracy")),
        names=[f"{each.relation} {arrows.get(each.direction, '')}" for each in relations],
    )


add_figures(router, get_atlas_relations, {"relations": Drawing(Sentence("Relations found by one head"), (), _draw)})
