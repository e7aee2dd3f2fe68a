"""What patching measures: the difference of two tokens' logits at one position, or of two classes', in two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import ModelUnavailableError, NotComparableError, SelectionError
from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.predictions import CANDIDATES, Candidate, predictions
from attention_core.pretrained.studies.circuits.circuits import token_id, token_text
from attention_core.pretrained.studies.patching.prompts import Prompt
from attention_core.refusal import Sentence

MIN_GAP = 0.01
"""Logits between the two runs below which an effect would be nothing but rounding."""
WEAK_GAP = 0.5
"""Logits below which effects are marked as weakly founded."""

Direction = Literal["denoising", "noising"]


@dataclass(frozen=True)
class Contrast:
    """``logit(answer) − logit(against)`` at one position."""

    position: int | None
    """None for classes, which belong to all tokens together."""
    answer: int
    against: int

    def of(self, logits: Float[Tensor, "runs V"]) -> Float[Tensor, " runs"]:
        """The difference in each run, in float64."""
        return logits[:, self.answer].double() - logits[:, self.against].double()


@dataclass(frozen=True)
class VocabularyToken:
    """A token of the vocabulary, or a class by its name."""

    id: int
    text: str


@dataclass(frozen=True)
class PromptRun:
    """The unpatched run of one prompt."""

    tokens: list[Token]
    candidates: list[Candidate]
    """The most probable tokens at the answer's position, or the most probable classes, best first."""
    answer_logit: float
    against_logit: float
    difference: float
    """``answer_logit − against_logit``."""


@dataclass(frozen=True, eq=False)
class Baselines:
    """Both unpatched runs."""

    contrast: Contrast
    answer: VocabularyToken
    against: VocabularyToken
    clean: PromptRun
    corrupt: PromptRun

    @property
    def gap(self) -> float:
        """Clean minus corrupt difference, the unit of every effect."""
        return self.clean.difference - self.corrupt.difference


def check_answers(loaded: LoadedModel) -> None:
    """Raise ModelUnavailableError for a model without logits over its vocabulary; a run shows those over classes."""
    if loaded.class_names is not None:
        return
    if loaded.sounds is not None or loaded.model.get_output_embeddings() is None:
        raise no_answer(loaded)


def no_answer(loaded: LoadedModel) -> ModelUnavailableError:
    """The refusal of a model that predicts neither tokens nor classes."""
    if loaded.images is not None:
        return ModelUnavailableError("{id} predicts no classes, so there is no answer to patch for.", loaded.entry.id)
    return ModelUnavailableError("{id} predicts no tokens, so there is no answer to patch for.", loaded.entry.id)


def answer_position(loaded: LoadedModel, clean: Prompt, corrupt: Prompt, position: int | None) -> int | None:
    """The given position; else the last (decoders) or the first masked one, which must be masked in both.

    None for a class, which is not predicted at one token.
    """
    if loaded.class_names is not None:
        if position is not None and loaded.images is None:
            raise SelectionError("A class is predicted from the whole text: leave position out.", field="position")
        if position is not None:
            raise SelectionError("A class is predicted from the whole image: leave position out.", field="position")
        return None
    tokens = clean.predicting
    if position is not None:
        return check_index("position", position, len(tokens))
    if loaded.model.can_generate():
        return len(tokens) - 1
    mask = loaded.tokenizer.mask_token_id
    for token, other in zip(tokens, corrupt.predicting, strict=True):
        if token.id == other.id == mask:
            return token.index
    raise SelectionError(
        "position must be given: no token is {mask} in both prompts.",
        loaded.tokenizer.mask_token or "[MASK]",
        field="position",
    )


def baselines(
    loaded: LoadedModel,
    prompts: tuple[Prompt, Prompt],
    logits: tuple[Float[Tensor, " V"], Float[Tensor, " V"]],
    position: int | None,
    answer: int | str | None,
    against: int | str | None,
) -> Baselines:
    """Both runs and the tokens or classes compared: by default the clean run's best, against the corrupt run's best.

    Where those are the same: of the ten best of both runs, the ones that clean favours most and least over corrupt.
    Raises SelectionError for a token or class that there is not, or two equal ones, NotComparableError where the two
    runs hardly differ.
    """
    clean, corrupt = logits
    chosen = _chosen(loaded, "answer", answer, len(clean))
    other = _chosen(loaded, "against", against, len(clean))
    chosen, other = _defaults(clean, corrupt, chosen, other)
    if chosen == other:
        raise SelectionError("answer and against must be different.", field="against")
    contrast = Contrast(position, chosen, other)
    baselines = Baselines(
        contrast,
        VocabularyToken(chosen, _text_of(loaded, chosen)),
        VocabularyToken(other, _text_of(loaded, other)),
        *(_run(loaded, prompt, each, contrast) for prompt, each in zip(prompts, logits, strict=True)),
    )
    if abs(baselines.gap) < MIN_GAP:
        raise NotComparableError(
            Sentence(
                "Both prompts have nearly the same logit difference of {answer} and {against}: {clean} and {corrupt}. "
                "An effect is measured in units of their distance; choose other answers or prompts.",
                answer=f"“{baselines.answer.text}”",
                against=f"“{baselines.against.text}”",
                clean=f"{baselines.clean.difference:.3g}",
                corrupt=f"{baselines.corrupt.difference:.3g}",
            ),
            field="against",
        )
    return baselines


def _run(loaded: LoadedModel, prompt: Prompt, logits: Float[Tensor, " V"], contrast: Contrast) -> PromptRun:
    position, before = contrast.position, None
    kind: Literal["next_token", "masked_token", "class"] = "class"
    if position is not None:
        generates = loaded.model.can_generate()
        kind, before = ("next_token", prompt.predicting[position].id) if generates else ("masked_token", None)
    (prediction,) = predictions(logits[None], [position or 0], kind, loaded.answers, before)
    return PromptRun(
        tokens=prompt.tokens,
        candidates=prediction.candidates,
        answer_logit=float(logits[contrast.answer]),
        against_logit=float(logits[contrast.against]),
        difference=float(contrast.of(logits[None])),
    )


def _defaults(
    clean: Float[Tensor, " V"], corrupt: Float[Tensor, " V"], answer: int | None, against: int | None
) -> tuple[int, int]:
    """Each run's best token; where that is the same, the candidate that this run favours most over the other run."""
    best, other_best = int(clean.argmax()), int(corrupt.argmax())
    count = min(CANDIDATES, len(clean))
    candidates = torch.cat([clean.topk(count).indices, corrupt.topk(count).indices])
    gains = (clean - corrupt)[candidates]

    def favoured(gains: Float[Tensor, " candidates"], without: int | None) -> int | None:
        """The candidate with the highest gain that is another one; of a single class there is none."""
        kept = torch.ones_like(candidates, dtype=torch.bool) if without is None else candidates != without
        return int(candidates[kept][gains[kept].argmax()]) if bool(kept.any()) else without

    if answer is None:
        taken = other_best if against is None else against
        answer = best if best != taken else favoured(gains, against)
    if against is None:
        against = other_best if other_best != answer else favoured(-gains, answer)
    return answer or 0, against or 0


def _chosen(loaded: LoadedModel, field: str, token: int | str | None, vocabulary: int) -> int | None:
    if token is None:
        return None
    if isinstance(token, int):
        return check_index(field, token, vocabulary)
    if loaded.class_names is None:
        return token_id(loaded, token, field)
    return _class_id(loaded, token, field, vocabulary)


def _class_id(loaded: LoadedModel, name: str, field: str, classes: int) -> int:
    """The class of a name: the whole of it (“tabby, tabby cat”) or one between commas, in any case."""
    wanted = name.strip().casefold()
    names = [loaded.answers.decode([index]).casefold() for index in range(classes)]
    indices = [index for index, each in enumerate(names) if each == wanted]
    indices = indices or [index for index, each in enumerate(names) if wanted in each.split(", ")]
    if len(indices) == 1:
        return indices[0]
    if not indices:
        raise SelectionError("{name} is not the name of a class of this model.", repr(name), field=field)
    ids = ", ".join(map(str, indices[:8]))
    raise SelectionError(
        "{name} is the name of several classes: give one of the ids {ids}.", repr(name), ids, field=field
    )


def _text_of(loaded: LoadedModel, answer: int) -> str:
    return token_text(loaded, answer) if loaded.class_names is None else loaded.answers.decode([answer])


def shares(differences: Sequence[float], baseline: Baselines, direction: Direction) -> list[float]:
    """How far each patched run goes from the run that is patched (0) to the one the activations are from (1)."""
    start = baseline.corrupt.difference if direction == "denoising" else baseline.clean.difference
    way = baseline.gap if direction == "denoising" else -baseline.gap
    return [(each - start) / way for each in differences]
