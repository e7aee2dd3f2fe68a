"""A clean and a corrupt prompt, token by token: patching needs equally many tokens in both.

To a model that reads images, a prompt is an image, and its tokens are patches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import AnalysisError, ChatError, NotComparableError, ReadsTextError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import Picture, decode_image, prepared_again
from attention_core.pretrained.inputs.text_checks import text_named
from attention_core.pretrained.inputs.tokens import Token, tokenise, tokenise_target
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.image_analysis import patch_tokens
from attention_core.refusal import Sentence

MAX_WEIGHED = 2**21
TOKENS_SAID = 40
"""At most so many tokens of each prompt are listed in a refusal."""


@dataclass(frozen=True, eq=False)
class Prompt:
    """One prompt as the model's inputs, a batch of one."""

    inputs: dict[str, Tensor]
    tokens: list[Token]
    targets: list[Token] | None
    """The decoder's tokens in an encoder–decoder model."""
    pixels: Float[Tensor, "3 H W"] | None = None
    """Of an image, as the model sees it."""

    @property
    def predicting(self) -> list[Token]:
        """The tokens at which the model predicts."""
        return self.targets or self.tokens

    def content(self, token: Token) -> tuple[object, ...]:
        """What makes a token the same in two prompts: its id, or the pixels of its patch."""
        if self.pixels is None:
            return (token.id,)
        left, top, width, height = token.box or (0, 0, 0, 0)
        return tuple(self.pixels[:, top : top + height, left : left + width].flatten().tolist())


@dataclass(frozen=True)
class PromptPair:
    """The tokens of both prompts side by side. Patching needs equally many."""

    clean: list[Token]
    corrupt: list[Token]
    extra_clean: list[int]
    """Indices of the tokens that clean has too many: without them the most tokens of both are the same."""
    extra_corrupt: list[int]
    """The same for corrupt; at least one of both lists is empty."""
    differing: list[int]
    """Indices, in clean, of the tokens that stand beside another one in corrupt."""


def prompt_pair(
    loaded: LoadedModel,
    clean: str | Picture,
    corrupt: str | Picture,
    target_text: str | None = None,
    chat: Chat | None = None,
    *,
    max_tokens: int | None = None,
) -> PromptPair:
    """Compare the prompts' tokens; nothing is run. With ``chat`` each prompt is a message in the model's chat template.

    Raises what ``tokenise`` raises, for ``clean`` or ``corrupt``, and for images the errors of ``tokenise_prompts``.
    """
    first, second = _both(loaded, clean, corrupt, target_text, chat, max_tokens)
    if first.pixels is not None:
        return PromptPair(first.tokens, second.tokens, [], [], differing(first, second))
    ids, others = ([token.id for token in prompt.tokens] for prompt in (first, second))
    extra, missing = surplus(ids, others), surplus(others, ids)
    kept = [index for index in range(len(ids)) if index not in set(extra)]
    beside = [index for index in range(len(others)) if index not in set(missing)]
    return PromptPair(
        clean=first.tokens,
        corrupt=second.tokens,
        extra_clean=extra,
        extra_corrupt=missing,
        differing=[one for one, other in zip(kept, beside, strict=True) if ids[one] != others[other]],
    )


def surplus(longer: Sequence[int], shorter: Sequence[int]) -> list[int]:
    """The items to leave out of the longer sequence so that the most of the rest equal the shorter's, place by place.

    Of equally good choices, the one that leaves out the latest; where there would be too many to weigh, the first items
    that differ. None if it is not longer.
    """
    over, start = len(longer) - len(shorter), 0
    if over <= 0:
        return []
    while start < len(shorter) and longer[start] == shorter[start]:
        start += 1
    if over * (len(shorter) - start) > MAX_WEIGHED:
        return list(range(start, start + over))
    items, rest = np.array(longer[start:]), shorter[start:]
    # The most matches of the shorter's first items, by how many are left out before the last of them, at most.
    best = [np.zeros(over + 1, dtype=np.int64)]
    for index, item in enumerate(rest):
        best.append(np.maximum.accumulate(best[-1] + (items[index : index + over + 1] == item)))
    positions: list[int] = []
    for index in range(len(rest) - 1, -1, -1):
        matches = best[index][: over + 1] + (items[index : index + over + 1] == rest[index])
        fewest = int(matches.argmax())
        positions += range(start + index + 1 + fewest, start + index + 1 + over)
        over = fewest
    return sorted([*range(start, start + over), *positions])


def tokenise_prompts(
    loaded: LoadedModel,
    clean: str | Picture,
    corrupt: str | Picture,
    target_text: str | None = None,
    chat: Chat | None = None,
    *,
    max_tokens: int | None = None,
) -> tuple[Prompt, Prompt]:
    """Both prompts; ``target_text`` is what the decoder of an encoder–decoder model is given in both runs.

    With ``chat`` each prompt is a message in the model's chat template, after the same system message.
    Raises NotComparableError for prompts of different numbers of tokens and for equal ones, ReadsTextError for images
    in a model that reads none, else what ``tokenise`` raises, for the field ``clean`` or ``corrupt``; images are the
    fields ``clean_analysis`` and ``corrupt_analysis``.
    """
    first, second = _both(loaded, clean, corrupt, target_text, chat, max_tokens)
    if len(first.tokens) != len(second.tokens):
        raise _unequal(first.tokens, second.tokens)
    if not differing(first, second):
        if first.pixels is not None:
            raise NotComparableError("The clean and the corrupt image are the same.", field="corrupt_analysis")
        raise NotComparableError("The clean and the corrupt prompt have the same tokens.", field="corrupt")
    return first, second


def differing(first: Prompt, second: Prompt) -> list[int]:
    """The positions at which the tokens differ; of images, the patches with other pixels."""
    pairs = zip(first.tokens, second.tokens, strict=True)
    return [one.index for one, other in pairs if first.content(one) != second.content(other)]


def _both(
    loaded: LoadedModel,
    clean: str | Picture,
    corrupt: str | Picture,
    target_text: str | None,
    chat: Chat | None,
    max_tokens: int | None,
) -> tuple[Prompt, Prompt]:
    first, second = (
        _image(loaded, prompt, f"{field}_analysis", chat)
        if isinstance(prompt, Picture)
        else _prompt(loaded, prompt, field, target_text, chat, max_tokens)
        for field, prompt in (("clean", clean), ("corrupt", corrupt))
    )
    return first, second


def _image(loaded: LoadedModel, picture: Picture, field: str, chat: Chat | None) -> Prompt:
    rules = loaded.images
    if rules is None:
        raise ReadsTextError("This model takes texts, not images: give clean and corrupt.", field=field)
    if chat is not None:
        raise ChatError("An image is no chat message.")
    made = (picture.height, picture.width, *picture.patch)
    if made != (rules.height, rules.width, rules.patch_height, rules.patch_width):
        down, across = picture.grid
        raise NotComparableError(
            "Both images must have equally many patches: this one was prepared for another model, with {down} × "
            "{across}.",
            down,
            across,
            field=field,
        )
    pixels = prepared_again(decode_image(picture.png, picture.width * picture.height), rules)
    inputs = {"pixel_values": pixels.to(device=loaded.device, dtype=loaded.dtype)}
    return Prompt(inputs, patch_tokens(rules, loaded.layout), None, pixels[0])


def _prompt(
    loaded: LoadedModel, text: str, field: str, target_text: str | None, chat: Chat | None, max_tokens: int | None
) -> Prompt:
    try:
        inputs, tokens = tokenise(loaded, text, None, max_tokens, chat)
    except AnalysisError as error:
        if error.field != "text":
            raise
        said = Sentence(error.sentence.template, **error.sentence.values | {"what": text_named(field)})
        raise type(error)(said, field=field, limit=error.limit) from error
    if loaded.entry.kind != "encoder_decoder":
        return Prompt(inputs, tokens, None)
    target_inputs, targets = tokenise_target(loaded, target_text, max_tokens)
    return Prompt({**inputs, **target_inputs}, tokens, targets)


def _unequal(clean: Sequence[Token], corrupt: Sequence[Token]) -> NotComparableError:
    """Names the first tokens where one prompt has more of them than the other, and lists all of both."""
    matcher = SequenceMatcher(None, [token.id for token in clean], [token.id for token in corrupt], autojunk=False)
    start, stop, other_start, other_stop = next(
        (a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal" and b - a != d - c
    )
    return NotComparableError(
        Sentence(
            "The prompts must have equally many tokens: clean has {clean}, corrupt {corrupt}. They go apart at token "
            "{position}: {there} in clean, {here} in corrupt. Clean: {clean_tokens}. Corrupt: {corrupt_tokens}.",
            clean=len(clean),
            corrupt=len(corrupt),
            position=start,
            there=_listed(clean[start:stop]),
            here=_listed(corrupt[other_start:other_stop]),
            clean_tokens=_listed(clean),
            corrupt_tokens=_listed(corrupt),
        ),
        field="corrupt",
        limit=len(clean),
    )


def _listed(tokens: Sequence[Token]) -> str:
    said = "".join(f"[{token.text.replace(' ', '·')}]" for token in tokens[:TOKENS_SAID])
    return (said or "–") + ("…" if len(tokens) > TOKENS_SAID else "")
