"""Answers about a set of prompts."""

from pydantic import BaseModel, Field

from attention_core.pretrained.studies.prompts.alignment import AlignedPosition, AlignmentRule
from attention_core.pretrained.studies.prompts.averages import AlignedWeights, MeasureSummary
from server.answers.analyses import MetricInfo
from server.answers.answer_paths import Drawn
from server.answers.from_core import AnswerOf, FromCore
from server.web.matrices import EncodedArray, Encoding, Matrix


class PromptLine(BaseModel):
    """One prompt of a set."""

    text: str
    tokens: list[str] = Field(description="The texts of its tokens, special ones included.")
    analysis: str = Field(description="The id that `POST /api/analyses` with this text gives it.")


class PromptsAnswer(BaseModel):
    """A set of prompts, tokenised; all further views are requested by its id."""

    id: str = Field(description="The same for the same request; post it again once it has expired.")
    model: str
    prompts: list[PromptLine]
    aligns: list[AlignmentRule] = Field(
        description="How positions can be aligned. start: counted from the start; end: from the end; slots: each slot "
        "of the template and each token of its fixed text is one position."
    )
    longest: int = Field(description="Tokens of the longest prompt.")
    shortest: int = Field(description="Tokens of the shortest prompt.")


class PromptsProgress(BaseModel):
    """How far the analyses of a set have come, whoever asked for them."""

    done: int = Field(description="Prompts whose analyses are at hand.")
    total: int


class MeasureSummaryAnswer(AnswerOf[MeasureSummary]):
    """One measure of every head over the prompts."""


class PromptMeasuresAnswer(FromCore):
    """The measures of every head of the model's first part, averaged over the prompts, each counted once."""

    id: str
    part: str
    measures: dict[str, MeasureSummaryAnswer] = Field(description="By name, those that some prompt has.")
    metric_info: dict[str, MetricInfo]


class PromptValuesAnswer(FromCore):
    """The measures of one head in each prompt."""

    layer: int
    head: int
    values: dict[str, list[float | None]] = Field(description="By name, in the order of the prompts; null: undefined.")


class AlignedPositionAnswer(AnswerOf[AlignedPosition]):
    """A position that several prompts have."""


class PromptWeightsAnswer(AnswerOf[AlignedWeights]):
    """One head's weights, averaged over the prompts that have both positions."""

    align: AlignmentRule
    layer: int
    head: int
    positions: list[AlignedPositionAnswer] = Field(description="Rows and columns.")
    prompts: int = Field(description="Prompts of the set.")
    mean: EncodedArray | Matrix
    deviation: EncodedArray | Matrix
    counts: EncodedArray | Matrix
    shape: tuple[int, int]
    encoding: Encoding


class PromptCellAnswer(AnswerOf[MeasureSummary]):
    """The weight from one aligned query to one aligned key in every head."""

    align: AlignmentRule
    query: int
    key: int
    values: list[float | None] | None = Field(
        description="Of the head that was asked for, in the order of the prompts; null where one lacks a position."
    )


def position_names(drawn: Drawn) -> list[str]:
    """What a position is called: its slot, its token if it is always the same, else its number."""
    return [
        f"{{{each.slot}}}" if each.slot else each.texts[0] if each.variants == 1 else str(each.offset)
        for each in drawn.answer.positions
    ]
