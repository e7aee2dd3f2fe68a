"""Answers about a set of prompts."""

from pydantic import BaseModel, Field

from attention_core.pretrained.studies.prompts.alignment import AlignedPosition, AlignmentRule
from attention_core.pretrained.studies.prompts.answers import AnswerInPrompt, ExpectedToken, PromptAnswers, Spread
from attention_core.pretrained.studies.prompts.averages import AlignedWeights, MeasureSummary
from ..web.matrices import EncodedArray, Encoding, Matrix
from .analyses import MetricInfo
from .answer_paths import Drawn
from .from_core import AnswerOf, FromCore


class ExpectedTokenAnswer(AnswerOf[ExpectedToken]):
    """A token of the vocabulary that is expected next."""


class PromptLine(BaseModel):
    """One prompt of a set."""

    text: str
    tokens: list[str] = Field(description="The texts of its tokens, special ones included.")
    target_text: str | None = Field(description="What the decoder of an encoder–decoder model is given.")
    target_tokens: list[str] | None = Field(description="The texts of the decoder's tokens, special ones included.")
    answer: ExpectedTokenAnswer | None = Field(description="The token that is expected next; null where none is.")
    analysis: str = Field(description="The id that `POST /api/analyses` with this text gives it.")


class PromptsAnswer(BaseModel):
    """A set of prompts, tokenised; all further views are requested by its id."""

    id: str = Field(description="The same for the same request; post it again once it has expired.")
    model: str
    prompts: list[PromptLine]
    parts: list[str] = Field(
        description="What can be averaged of the model; the decoder and its cross-attention need target texts."
    )
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
    """The measures of every head of one part of the model, averaged over the prompts, each counted once."""

    id: str
    part: str
    measures: dict[str, MeasureSummaryAnswer] = Field(description="By name, those that some prompt has.")
    metric_info: dict[str, MetricInfo] = Field(description="By name, also of those that no prompt has.")
    undefined: dict[str, str] = Field(description="By name, those that no prompt has: why.")


class PromptValuesAnswer(FromCore):
    """The measures of one head in each prompt."""

    part: str
    layer: int
    head: int
    values: dict[str, list[float | None]] = Field(description="By name, in the order of the prompts; null: undefined.")


class AnswerInPromptAnswer(AnswerOf[AnswerInPrompt]):
    """How the model rates the expected token after one prompt."""


class SpreadAnswer(AnswerOf[Spread]):
    """One number over the prompts."""


class PromptAnswersAnswer(AnswerOf[PromptAnswers]):
    """How the model rates the expected tokens."""


class AlignedPositionAnswer(AnswerOf[AlignedPosition]):
    """A position that several prompts have."""


class PromptWeightsAnswer(AnswerOf[AlignedWeights]):
    """One head's weights, averaged over the prompts that have both positions."""

    part: str
    align: AlignmentRule
    layer: int
    head: int
    positions: list[AlignedPositionAnswer] = Field(description="Of the queries: rows.")
    key_positions: list[AlignedPositionAnswer] = Field(
        description="Of the keys: columns; the same but in cross-attention."
    )
    prompts: int = Field(description="Prompts of the set.")
    mean: EncodedArray | Matrix
    deviation: EncodedArray | Matrix
    counts: EncodedArray | Matrix
    allowed: EncodedArray | Matrix
    shape: tuple[int, int]
    encoding: Encoding


class PromptCellAnswer(AnswerOf[MeasureSummary]):
    """The weight from one aligned query to one aligned key in every head."""

    part: str
    align: AlignmentRule
    query: int
    key: int
    above: MeasureSummaryAnswer = Field(
        description="That weight minus the mean of what the other queries give the same key: near 0 where a head "
        "attends to the key whatever the query."
    )
    values: list[float | None] | None = Field(
        description="Of the head that was asked for, in the order of the prompts; null where one lacks a position."
    )


def query_names(drawn: Drawn) -> list[str]:
    """What the rows are called."""
    return _names(drawn.answer.positions)


def key_names(drawn: Drawn) -> list[str]:
    """What the columns are called."""
    return _names(drawn.answer.key_positions)


def _names(positions: list[AlignedPosition]) -> list[str]:
    """What a position is called: its slot, its token if it is always the same, else its number."""
    return [
        f"{{{each.slot}}}" if each.slot else each.texts[0] if each.variants == 1 else str(each.offset)
        for each in positions
    ]
