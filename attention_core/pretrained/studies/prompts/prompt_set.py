"""Several texts for one model: each tokenised, made from a template's slots or given as they are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attention_core.pretrained.errors import (
    AnalysisError,
    EmptyTextError,
    InvalidTextError,
    SelectionError,
    TextTooLongError,
)
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.refusal import Sentence

SLOT = re.compile(r"\{([A-Za-z]\w*)\}")
"""A slot of a template, such as ``{A}``."""
BYTES_PER_TOKEN = 200
"""Roughly what a token takes in memory."""


@dataclass(frozen=True)
class Segment:
    """A stretch of a prompt: the word in a slot, or the fixed text between slots."""

    slot: str | None
    """The slot's name; null for fixed text."""
    start: int
    """First character."""
    end: int
    """One past the last character."""


@dataclass(frozen=True)
class Prompt:
    """One text with its tokens."""

    text: str
    tokens: list[Token]
    segments: tuple[Segment, ...] = ()
    """Of a prompt made from a template: fixed text and slots in turn, fixed text first and last, perhaps empty."""


@dataclass(frozen=True)
class PromptSet:
    """Prompts for one model."""

    prompts: list[Prompt]
    template: str | None = None
    tokens: int = field(init=False)
    """Of all prompts together."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", sum(len(prompt.tokens) for prompt in self.prompts))

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return self.tokens * BYTES_PER_TOKEN + sum(2 * len(prompt.text) for prompt in self.prompts)


def fill(template: str, words: Mapping[str, str]) -> tuple[str, tuple[Segment, ...]]:
    """The template with a word in each slot, and where its segments are.

    Raises SelectionError for a slot without a word.
    """
    text, segments, at = "", [], 0
    for slot in SLOT.finditer(template):
        if slot[1] not in words:
            raise SelectionError("The slot {slot} has no word.", slot[0], field=slot[1])
        fixed = template[at : slot.start()]
        segments.append(Segment(None, len(text), len(text) + len(fixed)))
        text += fixed
        segments.append(Segment(slot[1], len(text), len(text) + len(words[slot[1]])))
        text += words[slot[1]]
        at = slot.end()
    segments.append(Segment(None, len(text), len(text) + len(template) - at))
    return text + template[at:], tuple(segments)


def prompt_set(
    loaded: LoadedModel,
    texts: Sequence[str] = (),
    *,
    template: str | None = None,
    fillings: Sequence[Mapping[str, str]] = (),
    max_tokens: int | None = None,
    max_set_tokens: int | None = None,
) -> PromptSet:
    """Tokenise the texts, or the template with each of the fillings.

    ``max_tokens`` bounds one prompt, ``max_set_tokens`` all together. Raises the errors of ``tokenise`` and ``fill``,
    whose sentence and field name the prompt, and SelectionError for too many tokens.
    """
    prompts: list[Prompt] = []
    total, count = 0, len(texts) if template is None else len(fillings)
    for index in range(count):
        name = f"prompts.{index}" if template is None else f"fillings.{index}"
        prompt = _numbered(loaded, texts, template, fillings, index, name, max_tokens)
        total += len(prompt.tokens)
        if max_set_tokens is not None and total > max_set_tokens:
            raise SetTooLargeError(
                "The prompts up to number {number} have {count} tokens; this server accepts at most {limit} in a set "
                "(OBSERVATORY_MAX_SET_TOKENS).",
                index + 1,
                total,
                field=name,
                limit=max_set_tokens,
            )
        prompts.append(prompt)
    return PromptSet(prompts, template)


class SetTooLargeError(AnalysisError):
    """More tokens in all prompts together than the operator allows."""

    code = "too_large"
    default_field = "prompts"


def _numbered(
    loaded: LoadedModel,
    texts: Sequence[str],
    template: str | None,
    fillings: Sequence[Mapping[str, str]],
    index: int,
    name: str,
    max_tokens: int | None,
) -> Prompt:
    """One prompt; errors say which."""
    try:
        text, segments = (texts[index], ()) if template is None else fill(template, fillings[index])
        return Prompt(text, tokenise(loaded, text, max_tokens=max_tokens)[1], segments)
    except (TextTooLongError, EmptyTextError, InvalidTextError, SelectionError) as error:
        said = Sentence("Prompt {number}: {problem}", index + 1, error)
        raise type(error)(said, field=name, limit=error.limit) from error
