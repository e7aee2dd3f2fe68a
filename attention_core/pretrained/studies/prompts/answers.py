"""The token expected next after each prompt of a set: its probability and rank, and their means over the prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.circuits.circuits import token_id, token_text
from attention_core.pretrained.studies.prompts.prompt_set import Prompt, PromptSet, fill
from attention_core.refusal import Sentence

FIELD = "answers"


@dataclass(frozen=True)
class ExpectedToken:
    """A token of the vocabulary that is expected next."""

    id: int
    text: str
    """With its spaces."""


@dataclass(frozen=True)
class AnswerInPrompt(ExpectedToken):
    """How the model rates the expected token after one prompt."""

    probability: float
    """By the softmax of the logits."""
    rank: int
    """1 for the most probable token of the vocabulary."""


@dataclass(frozen=True)
class Spread:
    """One number over the prompts."""

    mean: float
    """Each prompt counts once."""
    deviation: float
    """The standard deviation over the prompts, √(Σ (x − mean)² / n)."""
    least: float
    """The smallest value."""
    most: float
    """The largest value."""


@dataclass(frozen=True)
class PromptAnswers:
    """How the model rates the expected tokens."""

    answers: list[AnswerInPrompt]
    """In the order of the prompts."""
    probability: Spread
    """Of the expected tokens."""
    rank: Spread
    """Of the expected tokens."""
    best: int
    """Prompts whose expected token is the most probable one."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return 100 * len(self.answers)


def expected_tokens(
    loaded: LoadedModel,
    prompts: PromptSet,
    answers: Sequence[int | str],
    fillings: Sequence[dict[str, str]] = (),
) -> list[ExpectedToken]:
    """The token that each answer names: one for each prompt, or one for all, with slots filled as in the template.

    A word without a space before it is the next word after the prompt, with the space, if that is one token, and else
    exactly itself; after a chat message, where an answer begins, first exactly itself. Raises
    ModelUnavailableError for a model that predicts no next token, SelectionError for a wrong number of answers and for
    one that is not one token.
    """
    if loaded.images is not None or loaded.sounds is not None or not loaded.model.can_generate():
        raise ModelUnavailableError(
            "{id} predicts no next token, so no answer can be expected of it.", loaded.entry.id, field=FIELD
        )
    count = len(prompts.prompts)
    if len(answers) not in (1, count):
        raise SelectionError(
            "{given} answers for {count} prompts: give one for each, or one for all.",
            len(answers),
            count,
            field=FIELD,
            limit=count,
        )
    expected = []
    for index, prompt in enumerate(prompts.prompts):
        answer_index = index if len(answers) == count else 0
        try:
            words = fillings[index] if fillings else None
            expected.append(_expected(loaded, prompt, answers[answer_index], words, f"{FIELD}.{answer_index}"))
        except SelectionError as error:
            said = Sentence("Prompt {number}: {problem}", index + 1, error)
            raise SelectionError(said, field=f"{FIELD}.{answer_index}", limit=error.limit) from error
    return expected


def _expected(
    loaded: LoadedModel, prompt: Prompt, answer: int | str, words: dict[str, str] | None, field: str
) -> ExpectedToken:
    if isinstance(answer, int):
        chosen = check_index(field, answer, len(loaded.tokenizer))
    else:
        chosen = _next_word(loaded, prompt, fill(answer, words)[0] if words is not None else answer, field)
    return ExpectedToken(chosen, token_text(loaded, chosen))


def _next_word(loaded: LoadedModel, prompt: Prompt, word: str, field: str) -> int:
    before = prompt.text if prompt.target is None else prompt.target.text
    spaced = f" {word}"
    written = [word]
    if word[:1].isalnum() and prompt.is_chat:
        written = [word, spaced]
    elif word[:1].isalnum() and before and not before[-1].isspace():
        written = [spaced, word]
    for each in written[:-1]:
        try:
            return token_id(loaded, each, field)
        except SelectionError:
            pass
    return token_id(loaded, written[-1], field)


class AnswerRating:
    """Rates the expected token of each prompt, one analysis at a time."""

    def __init__(self, expected: Sequence[ExpectedToken]) -> None:
        self._expected = expected
        self._found: list[AnswerInPrompt] = []

    def add(self, index: int, analysis: Analysis) -> None:
        """Rate the answer to the prompt with this index, by the logits after its last token."""
        log_probabilities = analysis.log_probabilities
        if log_probabilities is None:
            raise ModelUnavailableError("{id} predicts no next token.", analysis.model.id, field=FIELD)
        wanted, logs = self._expected[index], log_probabilities[-1]
        chosen = logs[check_index(f"{FIELD}.{index}", wanted.id, len(logs))]
        rank = 1 + int((logs > chosen).sum())
        self._found.append(AnswerInPrompt(wanted.id, wanted.text, float(np.exp(np.float64(chosen))), rank))

    def result(self) -> PromptAnswers:
        """The ratings so far, with their means and spreads."""
        return PromptAnswers(
            self._found,
            _spread([each.probability for each in self._found]),
            _spread([float(each.rank) for each in self._found]),
            sum(each.rank == 1 for each in self._found),
        )


def _spread(values: Sequence[float]) -> Spread:
    numbers = np.array(values, dtype=np.float64)
    return Spread(float(numbers.mean()), float(numbers.std()), float(numbers.min()), float(numbers.max()))
