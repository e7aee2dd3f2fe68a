"""The training loop: seeded and resumable."""

import json
import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import GPT2LMHeadModel

from recipes.decoder.gradients import Gradients
from recipes.decoder.lesson import teach
from recipes.decoder.new_model import new_model
from recipes.decoder.perplexity import negative_log_likelihood
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import step_seed
from recipes.decoder.sentences import answers_loss
from recipes.decoder.texts import Corpus

CHECKPOINT = "checkpoint.pt"


@dataclass
class Progress:
    """The state of the training."""

    step: int = 0
    seconds: float = 0.0
    """Time spent in steps and evaluations, without interruptions."""
    best_step: int = 0
    best_loss: float = math.inf
    curve: list[dict[str, float]] = field(default_factory=list)
    """For each evaluation: step, mean training loss since the last one, loss on the validation parts, and on
    validation sentences if there are any."""


class Training:
    """Model, optimiser and progress, checkpointed in ``folder``/checkpoint.pt.

    All randomness in a step comes from the recipe's seed and the step's number. So the checkpoint needs no generator
    state, and an interrupted training gives the same result as an uninterrupted one.
    """

    def __init__(
        self,
        recipe: Recipe,
        corpus: Corpus,
        folder: Path,
        device: torch.device,
        *,
        together: bool = False,
        start: Mapping[str, Tensor] | None = None,
    ) -> None:
        """``together`` computes the parts of each step in separate processes, with the same result.

        ``start`` are the weights to begin with instead of the recipe's own.
        """
        self.recipe, self.corpus, self.folder, self.device, self.together = recipe, corpus, folder, device, together
        torch.manual_seed(step_seed(recipe, 0))
        self.model = new_model(recipe).to(device)
        if start is not None:
            self.model.load_state_dict(start)
        self.optimiser = _optimiser(self.model, recipe)
        self.progress = Progress()
        self.best = _copy(self.model)
        self._losses: list[float] = []
        if (folder / CHECKPOINT).is_file():
            self._resume()

    def run(self, told: Callable[[Progress], None], *, until: int | None = None) -> bool:
        """Train to the last step (or ``until``); False if interrupted (Ctrl-C, SIGTERM) and checkpointed."""
        last = self.recipe.steps if until is None else until
        started = time.monotonic() - self.progress.seconds
        self.model.train()
        with _interruptions() as interrupted, closing(self._gradients()) as gradients:
            if self.progress.step == 0:
                teach(self.model, self.recipe, lambda: bool(interrupted))
            while self.progress.step < last and not interrupted:
                self._losses.append(self._step(gradients))
                self.progress.step += 1
                if self.progress.step % self.recipe.evaluate_every == 0 or self.progress.step == self.recipe.steps:
                    self._evaluate()
                    self.progress.seconds = time.monotonic() - started
                    told(self.progress)
                    self._keep()
        self.progress.seconds = time.monotonic() - started
        if self.progress.step > 0:  # before the first step there is nothing worth saving
            self._keep()
        return not interrupted

    def choose_best(self) -> GPT2LMHeadModel:
        """The checkpoint with the lowest validation loss, in evaluation mode."""
        self.model.load_state_dict(self.best)
        return self.model.eval()

    def _gradients(self) -> Gradients:
        return Gradients(self.model, self.corpus, self.recipe, together=self.together)

    def _step(self, gradients: Gradients) -> float:
        recipe, step = self.recipe, self.progress.step
        loss = gradients.of(step)
        for group in self.optimiser.param_groups:
            group["lr"] = schedule(recipe, step) * group["highest"]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), recipe.longest_gradient)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return loss

    def _evaluate(self) -> None:
        recipe, progress = self.recipe, self.progress
        losses = [negative_log_likelihood(self.model, ids, context=recipe.context) for ids in self.corpus.choosing]
        loss = sum(total for total, _ in losses) / sum(tokens for _, tokens in losses)
        point = {
            "step": progress.step,
            "training_loss": sum(self._losses) / len(self._losses),
            "choosing_loss": loss,
        }
        if (lines := self.corpus.choosing_sentences) is not None:
            self.model.eval()
            with torch.inference_mode():
                point["sentences_loss"] = float(answers_loss(self.model, lines)) / len(lines.lengths)
            self.model.train()
            loss += recipe.sentences_share * point["sentences_loss"]
        progress.curve.append(point)
        self._losses.clear()
        if loss < progress.best_loss:
            progress.best_loss, progress.best_step = loss, progress.step
            self.best = _copy(self.model)

    def _keep(self) -> None:
        """Write the checkpoint atomically."""
        state = {
            "recipe": json_like(self.recipe),
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "best": self.best,
            "progress": asdict(self.progress),
            "losses": self._losses,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self.folder / f"{CHECKPOINT}.part"
        torch.save(state, unfinished)
        unfinished.replace(self.folder / CHECKPOINT)

    def _resume(self) -> None:
        state: dict[str, Any] = torch.load(self.folder / CHECKPOINT, map_location=self.device, weights_only=True)
        if state["recipe"] != json_like(self.recipe):
            raise ValueError(f"folder {self.folder} holds a training of another recipe; choose another folder")
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.best = state["best"]
        self.progress = Progress(**state["progress"])
        self._losses = state["losses"]


def schedule(recipe: Recipe, step: int) -> float:
    """Learning rate factor: a linear warm-up, then half a cosine to ``last_rate`` at the last step."""
    if step < recipe.warmup:
        return (step + 1) / recipe.warmup
    done = (step - recipe.warmup) / max(1, recipe.steps - 1 - recipe.warmup)
    return recipe.last_rate + (1 - recipe.last_rate) * (1 + math.cos(math.pi * done)) / 2


def _optimiser(model: GPT2LMHeadModel, recipe: Recipe) -> torch.optim.AdamW:
    tokens, positions = model.transformer.wte.weight, model.transformer.wpe.weight
    others = [parameter for parameter in model.parameters() if parameter is not tokens and parameter is not positions]
    groups = [
        {"params": [parameter for parameter in others if parameter.ndim >= 2], "highest": recipe.rate},
        {
            "params": [parameter for parameter in others if parameter.ndim < 2],
            "highest": recipe.rate,
            "weight_decay": 0.0,
        },
        {"params": [tokens], "highest": recipe.embedding_rate},
        {"params": [positions], "highest": recipe.position_rate, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=recipe.momenta, weight_decay=recipe.weight_decay, fused=True)


def _copy(model: GPT2LMHeadModel) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def json_like(recipe: Recipe) -> dict[str, Any]:
    """The recipe as JSON-compatible data."""
    return json.loads(json.dumps(asdict(recipe)))


@contextmanager
def _interruptions() -> Iterator[list[int]]:
    """A list that becomes non-empty when the process is asked to stop; no step is left unfinished."""
    asked: list[int] = []
    before = {
        number: signal.signal(number, lambda got, _: asked.append(got)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
