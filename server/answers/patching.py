"""Answers about patching between two prompts."""

from pydantic import BaseModel, Field

from attention_core.pretrained.studies.patching.contrast import PromptRun, VocabularyToken
from attention_core.pretrained.studies.patching.patching import PatchedCell, Patching
from attention_core.pretrained.studies.patching.paths import PathPatching
from attention_core.pretrained.studies.patching.prompts import PromptPair
from .analyses import Candidate, PictureAnswer, Token
from .from_core import AnswerOf


class PromptPairAnswer(AnswerOf[PromptPair]):
    """Both prompts token by token, before anything is patched."""

    clean: list[Token]
    corrupt: list[Token]
    images: tuple[PictureAnswer, PictureAnswer] | None = Field(
        None, description="The clean and the corrupt image as the model sees them; null for texts."
    )


class PatchingProgress(BaseModel):
    """How far a grid of patches has come, whoever asked for it."""

    done: int = Field(description="Patched runs that have ended.")
    total: int | None = Field(description="Of so many; null while the grid has not begun.")


class VocabularyTokenAnswer(AnswerOf[VocabularyToken]):
    """A token of the vocabulary, or a class."""


class PromptRunAnswer(AnswerOf[PromptRun]):
    """The unpatched run of one prompt."""

    tokens: list[Token]
    candidates: list[Candidate]


class PatchedCellAnswer(AnswerOf[PatchedCell]):
    """One patch and what it did."""


class PatchingAnswer(AnswerOf[Patching]):
    """The effect of every patch: (patched − base) / (source − base), in logit differences."""

    model: str
    answer: VocabularyTokenAnswer
    against: VocabularyTokenAnswer
    clean: PromptRunAnswer
    corrupt: PromptRunAnswer
    strongest: list[PatchedCellAnswer]
    caveats: list[str]


class PathPatchingAnswer(AnswerOf[PathPatching]):
    """The effect of every path: (patched − base) / (source − base), in logit differences."""

    model: str
    answer: VocabularyTokenAnswer
    against: VocabularyTokenAnswer
    clean: PromptRunAnswer
    corrupt: PromptRunAnswer
    strongest: list[PatchedCellAnswer]
    caveats: list[str]
