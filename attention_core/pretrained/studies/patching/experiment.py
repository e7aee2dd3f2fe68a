"""Run both prompts once and keep their activations; run many patched copies of one of them in batches."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import ModelUnavailableError, WindowTooLargeError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import Picture
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import keeps_logits, logits_at
from attention_core.pretrained.recording.parts import PartName
from attention_core.pretrained.recording.recorder import Receiver, Recording, receive
from attention_core.pretrained.recording.selection import check_name
from attention_core.pretrained.running.cancellation import Report
from attention_core.pretrained.studies.patching.activations import (
    Activations,
    Hooked,
    Keeping,
    joined_inputs,
    stacked_inputs,
)
from attention_core.pretrained.studies.patching.contrast import (
    Baselines,
    Contrast,
    Direction,
    answer_position,
    baselines,
    check_answers,
    no_answer,
)
from attention_core.pretrained.studies.patching.prompts import Prompt, tokenise_prompts

MAX_TOKENS_RUN = 2**19
"""Tokens of all patched runs together: 2,048 runs of 256 tokens, or every layer and patch of a ViT-B/16."""
MAX_RUNS_AT_ONCE = 64
NUMBERS_AT_ONCE = 2**25
"""Roughly the numbers that a batch may hold at a time."""

Each = TypeVar("Each")


@dataclass(frozen=True, kw_only=True)
class Question:
    """Two prompts and the answer whose logit difference tells them apart."""

    clean: str | Picture
    """A text or, for a model that reads images, an image."""
    corrupt: str | Picture
    target_text: str | None = None
    """What the decoder of an encoder–decoder model is given, in both runs."""
    chat: Chat | None = None
    """Given if both prompts are messages in the model's chat template."""
    answer: int | str | None = None
    """An id, or a text of exactly one token, or a class's name; by default the clean run's best."""
    against: int | str | None = None
    """By default the corrupt run's best other one."""
    position: int | None = None
    """Where the answer is predicted; by default the last token, or the first masked one. A class has no place."""
    direction: Direction = "denoising"
    """Denoising patches the clean run's activations into the corrupt run, noising the reverse."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Both runs of one question, ready to be patched."""

    loaded: LoadedModel
    hooked: Hooked
    prompts: tuple[Prompt, Prompt]
    clean: Activations
    corrupt: Activations
    baselines: Baselines
    direction: Direction
    runs_at_once: int
    check: Callable[[], None]
    report: Report | None = None
    fed: Sequence[Float[Tensor, "1 N D"]] | None = None
    """What feed-forward layers are held at while a path is followed; None if they are computed anew."""

    @property
    def base(self) -> Activations:
        """The run that is patched."""
        return self.corrupt if self.direction == "denoising" else self.clean

    @property
    def source(self) -> Activations:
        """The run that activations are taken from."""
        return self.clean if self.direction == "denoising" else self.corrupt

    def logits(
        self, runs: int, receiver: Receiver, stream: Callable[[int, Tensor], Tensor] | None = None
    ) -> Float[Tensor, "runs V"]:
        """Logits at the answer's position of so many copies of the base prompt, their attention by ``receiver``."""
        prompt = self.prompts[1 if self.direction == "denoising" else 0]
        inputs = stacked_inputs(prompt.inputs, runs)
        with torch.inference_mode(), self.hooked.streaming(stream), receive(receiver):
            return _logits(self.hooked, inputs, self.baselines.contrast.position)

    def batches(self, cells: Sequence[Each]) -> Iterator[Sequence[Each]]:
        """The cells, as many at a time as there are runs in a batch, reporting how many are done.

        Raises WindowTooLargeError for too many.
        """
        tokens = len(cells) * len(self.prompts[0].tokens)
        if tokens > MAX_TOKENS_RUN:
            if self.prompts[0].pixels is not None:
                raise WindowTooLargeError(
                    "{runs} runs of {tokens} tokens are too much work for one answer: together at most {limit} tokens. "
                    "Patch by head.",
                    len(cells),
                    len(self.prompts[0].tokens),
                    field="by",
                    limit=MAX_TOKENS_RUN,
                )
            raise WindowTooLargeError(
                "{runs} runs of {tokens} tokens are too much work for one answer: together at most {limit} tokens. "
                "Use shorter prompts.",
                len(cells),
                len(self.prompts[0].tokens),
                field="clean",
                limit=MAX_TOKENS_RUN,
            )
        for start in range(0, len(cells), self.runs_at_once):
            self.check()
            if self.report is not None:
                self.report(start, len(cells))
            yield cells[start : start + self.runs_at_once]

    def differences(self, logits: Float[Tensor, "runs V"]) -> list[float]:
        """The logit difference of each run."""
        return self.baselines.contrast.of(logits).tolist()


def experiment(
    loaded: LoadedModel,
    question: Question,
    check: Callable[[], None],
    *,
    report: Report | None = None,
    part: PartName | None = None,
    streams: bool = False,
    max_tokens: int | None = None,
) -> Experiment:
    """Run both prompts. ``streams``: keep the residual stream too, and allow it to be patched.

    Raises ModelUnavailableError for a model without logits over tokens or classes, and the errors of
    ``tokenise_prompts``, ``answer_position`` and ``baselines``.
    """
    loaded.check_carried()
    check_answers(loaded)
    names = [shape.name for shape in loaded.parts]
    part = names[0] if part is None else check_name("part", part, names)  # type: ignore[assignment]
    texts = (question.clean, question.corrupt, question.target_text)
    prompts = tokenise_prompts(loaded, *texts, question.chat, max_tokens=max_tokens)
    position = answer_position(loaded, *prompts, question.position)
    hooked = Hooked(loaded, part or names[0])
    with torch.inference_mode():
        if streams:
            hooked.watch_blocks(_run(hooked, prompts[0], position, check))
        clean, corrupt = (_run(hooked, prompt, position, check) for prompt in prompts)
        _check_layers(loaded, clean, streams=streams)
        measured = baselines(
            loaded, prompts, (clean.logits, corrupt.logits), position, question.answer, question.against
        )
        return Experiment(
            loaded,
            hooked,
            prompts,
            clean,
            corrupt,
            measured,
            question.direction,
            _runs_at_once(hooked, prompts, measured, check),
            check,
            report,
        )


def _run(hooked: Hooked, prompt: Prompt, position: int | None, check: Callable[[], None]) -> Activations:
    streams: list[Tensor] = []

    def keep(_: int, stream: Tensor) -> Tensor:
        streams.append(stream.clone())
        return stream

    keeping = Keeping(hooked.part_of, hooked.part, Recording(check))
    with hooked.streaming(keep), receive(keeping):
        logits = _logits(hooked, prompt.inputs, position)[0]
    return Activations(keeping.layers, streams, logits)


def _logits(hooked: Hooked, inputs: dict[str, Tensor], position: int | None) -> Float[Tensor, "runs V"]:
    """Logits of the tokens at this position; without one, of the classes. Raises ModelUnavailableError for no such."""
    if position is None:
        classes = logits_at(hooked.model, inputs, [])
        if classes is None or classes.ndim != 2:
            raise no_answer(hooked.loaded)
        return classes.float()
    logits = logits_at(hooked.model, inputs, [position])
    if logits is None:
        raise no_answer(hooked.loaded)
    return logits[:, 0].float()


def _check_layers(loaded: LoadedModel, run: Activations, *, streams: bool) -> None:
    """Refuse what a grid of layers and heads, or of layers and positions, cannot show."""
    shapes = {(layer.record.attention.num_heads, layer.record.attention.keys.shape[1]) for layer in run.layers}
    if len(shapes) > 1:
        raise ModelUnavailableError("The layers of {id} have different numbers of heads.", loaded.entry.id)
    tokens = run.layers[0].record.attention.num_queries
    if streams and (
        len(run.streams) != len(run.layers)
        or any(stream.dim() != 3 or stream.shape[:2] != (1, tokens) for stream in run.streams)
    ):
        raise ModelUnavailableError("The residual stream of {id} cannot be patched layer by layer.", loaded.entry.id)


def _runs_at_once(hooked: Hooked, prompts: tuple[Prompt, Prompt], found: Baselines, check: Callable[[], None]) -> int:
    """The size of a batch; 1 for a model whose runs depend on what else is in their batch."""
    contrast: Contrast = found.contrast
    with receive(Recording(check)):
        together = contrast.of(_logits(hooked, joined_inputs(prompts[0].inputs, prompts[1].inputs), contrast.position))
    alone = together.new_tensor([found.clean.difference, found.corrupt.difference])
    magnitude = max(abs(found.clean.answer_logit), abs(found.clean.against_logit), 1.0)
    bound = 64 * max(torch.finfo(hooked.loaded.dtype).eps, torch.finfo(torch.float32).eps) * magnitude
    if float((together - alone).abs().max()) > bound:
        return 1
    config = hooked.model.config.get_text_config()
    tokens = max(len(prompts[0].tokens), len(prompts[0].predicting))
    heads = max(shape.heads for shape in hooked.loaded.parts)
    vocabulary = getattr(config, "vocab_size", 0)
    width = 16 * getattr(config, "hidden_size", 0) + (0 if keeps_logits(hooked.model) else vocabulary)
    per_run = vocabulary + tokens * (4 * heads * tokens + width)
    return max(1, min(MAX_RUNS_AT_ONCE, NUMBERS_AT_ONCE // max(1, per_run)))
