"""Atlases in answers: their facts, their measures, and windows of the corpus."""

from collections.abc import Mapping

from pydantic import BaseModel, Field, SerializeAsAny

from attention_core.atlas.measures import MEASURES
from attention_core.atlas.reading.atlas import Atlas, AtlasFacts
from attention_core.atlas.reading.windows import Window
from .from_core import AnswerOf, FromCore


class AtlasFactsAnswer(AnswerOf[AtlasFacts]):
    """What was scanned, and how."""


class MeasureAnswer(FromCore):
    """A measure of a head over a corpus."""

    name: str
    title: str
    definition: str
    source: str
    unit: str


class WindowTokenAnswer(BaseModel):
    """One token of a window."""

    text: str
    start: int = Field(description="Its first character in the window's text.")
    end: int = Field(description="One past its last character.")
    special: bool = Field(description="Whether the tokenizer added it.")
    token: str = Field("", description="As the vocabulary spells it; empty in atlases of format 1.")
    word: int | None = Field(
        None, description="Which word of the text it belongs to; null for special tokens, and in atlases of format 1."
    )


class CorpusWindowAnswer(AnswerOf[Window]):
    """A piece of a document that the model was given."""

    tokens: SerializeAsAny[list[WindowTokenAnswer]]  # given as mappings


def measures_of(names: tuple[str, ...] | list[str]) -> list[MeasureAnswer]:
    """The known ones of these measures, described."""
    return [MeasureAnswer.of(MEASURES[name], name=name) for name in names if name in MEASURES]


def facts_of(atlas: Atlas) -> AtlasFactsAnswer:
    """The facts of an atlas."""
    return AtlasFactsAnswer.of(atlas.facts)


def windows_of(windows: Mapping[str, Window]) -> dict[str, CorpusWindowAnswer]:
    """Windows with their tokens as they are: there may be tens of thousands.

    In tuples, which are serialised in one call rather than looked through for long lists (``server.web.rendering``).
    """
    return {
        name: CorpusWindowAnswer.model_construct(
            document=window.document,
            text=window.text,
            tokens=tuple(window.tokens),  # type: ignore[arg-type] # mappings, which are serialised as they are
        )
        for name, window in windows.items()
    }
