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
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.tokens import Token, tokenise, tokenise_target
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
    target: "Prompt | None" = None
    """What the decoder of an encoder–decoder model is given; None where it is given nothing."""
    is_chat: bool = False
    """Whether it is a message in the model's chat template, whose tokens stand before and after it."""


@dataclass(frozen=True)
class PromptSet:
    """Prompts for one model."""

    prompts: list[Prompt]
    template: str | None = None
    tokens: int = field(init=False)
    """Of all prompts together."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", sum(map(_tokens_of, self.prompts)))

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return self.tokens * BYTES_PER_TOKEN + sum(2 * len(prompt.text) for prompt in self.prompts)


def fill(template: str, words: Mapping[str, str]) -> tuple[str, tuple[Segment, ...]]:
    """The template with a word in each slot, and where its segments are.

    Raises SelectionError for a slot without a word.
    """
    text, segments, position = "", [], 0
    for slot in SLOT.finditer(template):
        if slot[1] not in words:
            raise SelectionError("The slot {slot} has no word.", slot[0], field=slot[1])
        fixed = template[position : slot.start()]
        segments.append(Segment(None, len(text), len(text) + len(fixed)))
        text += fixed
        segments.append(Segment(slot[1], len(text), len(text) + len(words[slot[1]])))
        text += words[slot[1]]
        position = slot.end()
    segments.append(Segment(None, len(text), len(text) + len(template) - position))
    return text + template[position:], tuple(segments)


def _tokens_of(prompt: Prompt) -> int:
    return len(prompt.tokens) + (0 if prompt.target is None else len(prompt.target.tokens))


@dataclass(frozen=True)
class _Given:
    """Where a prompt comes from: a text, or a template with words; likewise the decoder's text."""

    text: str
    words: Mapping[str, str] | None
    target: str | None
    chat: Chat | None

    def tokenised(self, loaded: LoadedModel, max_tokens: int | None) -> Prompt:
        text, segments = self._written(self.text)
        tokens = tokenise(loaded, text, max_tokens=max_tokens, chat=self.chat)[1]
        is_chat = self.chat is not None
        if self.target is None:
            return Prompt(text, tokens, segments, is_chat=is_chat)
        said, said_segments = self._written(self.target)
        target = Prompt(said, tokenise_target(loaded, said, max_tokens)[1], said_segments)
        return Prompt(text, tokens, segments, target, is_chat)

    def _written(self, text: str) -> tuple[str, tuple[Segment, ...]]:
        return (text, ()) if self.words is None else fill(text, self.words)


def prompt_set(
    loaded: LoadedModel,
    texts: Sequence[str] = (),
    *,
    template: str | None = None,
    fillings: Sequence[Mapping[str, str]] = (),
    target_texts: Sequence[str] = (),
    chat: Chat | None = None,
    max_tokens: int | None = None,
    max_set_tokens: int | None = None,
) -> PromptSet:
    """Tokenise the texts, or the template with each of the fillings.

    ``target_texts`` are what the decoder of an encoder–decoder model is given, one for each prompt or one for all; the
    template's slots are filled in them, too. With ``chat`` each prompt is a message in the model's chat template.
    ``max_tokens`` bounds one text, ``max_set_tokens`` all together. Raises
    the errors of ``tokenise`` and ``fill``, whose sentence and field name the prompt, and SelectionError for too many
    tokens and for target texts that this model or number of prompts cannot have.
    """
    prompts: list[Prompt] = []
    total, count = 0, len(texts) if template is None else len(fillings)
    _check_targets(loaded, len(target_texts), count)
    for index in range(count):
        name = f"prompts.{index}" if template is None else f"fillings.{index}"
        target = target_texts[index if len(target_texts) == count else 0] if target_texts else None
        prompt_given = _Given(
            texts[index] if template is None else template, None if template is None else fillings[index], target, chat
        )
        prompt = _numbered(loaded, prompt_given, index, name, max_tokens)
        total += _tokens_of(prompt)
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


def _check_targets(loaded: LoadedModel, given: int, count: int) -> None:
    if given and loaded.entry.kind != "encoder_decoder":
        raise SelectionError("{id} has no decoder that is given a text.", loaded.entry.id, field="target_texts")
    if given not in (0, 1, count):
        raise SelectionError(
            "{given} target texts for {count} prompts: give one for each, or one for all.",
            given,
            count,
            field="target_texts",
            limit=count,
        )


def _numbered(loaded: LoadedModel, given: _Given, index: int, name: str, max_tokens: int | None) -> Prompt:
    """One prompt; errors say which."""
    try:
        return given.tokenised(loaded, max_tokens)
    except (TextTooLongError, EmptyTextError, InvalidTextError, SelectionError) as error:
        if error.field == "system_text":  # the same for all
            raise
        said = Sentence("Prompt {number}: {problem}", index + 1, error)
        field = "target_texts" if error.field == "target_text" else name
        raise type(error)(said, field=field, limit=error.limit) from error
