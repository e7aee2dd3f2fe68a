"""Data-parallel gradients of a step, its rows split among processes.

A step has ``recipe.parts`` parts, each with its rows and its own seed for dropout. So the result is bitwise the same
whether one process computes them sequentially or several do in parallel. Processes rather than threads: on few busy
cores they wait for each other once per step, not after every matrix product.
"""

import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import torch
from torch import Tensor, multiprocessing
from torch.nn import functional
from transformers import GPT2LMHeadModel

from recipes.decoder.lesson import lesson_batch, lesson_loss
from recipes.decoder.memory import keep_freed_memory
from recipes.decoder.new_model import new_model
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import NOT_LEARNT, batch, step_seed
from recipes.decoder.sentences import answers_loss, sentences_of_step
from recipes.decoder.texts import Corpus


def part_gradient(model: GPT2LMHeadModel, corpus: Corpus, recipe: Recipe, step: int, part: int) -> float:
    """Add one part's gradient to ``.grad``; returns its share of the step's mean token loss (of the rows alone)."""
    inputs, targets = batch(corpus, recipe, step)
    learnt = int((targets != NOT_LEARNT).sum())
    rows = slice(part, None, recipe.parts)
    device = model.device
    torch.manual_seed(step_seed(recipe, step) * recipe.parts + part)  # dropout
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=recipe.precision == "bfloat16"):
        logits = model(inputs[rows].to(device)).logits
        others = _other_losses(model, corpus, recipe, step, rows)
    total = functional.cross_entropy(
        logits.float().flatten(0, 1), targets[rows].to(device).flatten(), ignore_index=NOT_LEARNT, reduction="sum"
    )
    loss = total / learnt
    (loss + others).backward()
    return float(loss.detach())


def _other_losses(model: GPT2LMHeadModel, corpus: Corpus, recipe: Recipe, step: int, rows: slice) -> Tensor:
    """One part's share of the losses of the lesson and of the sentences with an indirect object."""
    total = torch.zeros((), device=model.device)
    if recipe.lesson_share:
        lesson = lesson_loss(model, recipe, lesson_batch(recipe, step)[rows].to(model.device))
        total = total + recipe.lesson_share / recipe.parts * lesson
    if corpus.sentences is not None:
        lines = sentences_of_step(corpus.sentences, recipe, step).rows(torch.arange(recipe.sentences)[rows])
        total = total + recipe.sentences_share / recipe.sentences * answers_loss(model, lines)
    return total


class Gradients:
    """Gradients of ``model``, with one extra process for each further part if ``together``.

    The weights are in shared memory, so the processes see every update; they end with ``close``.
    """

    def __init__(self, model: GPT2LMHeadModel, corpus: Corpus, recipe: Recipe, *, together: bool) -> None:
        self.model, self.corpus, self.recipe = model, corpus, recipe
        self._helpers: list[tuple[BaseProcess, Connection, list[Tensor]]] = []
        if not together:
            return
        model.share_memory()
        weights = [parameter.data for parameter in model.parameters()]
        context = multiprocessing.get_context("spawn")
        for part in range(1, recipe.parts):
            gradients = [torch.zeros_like(tensor).share_memory_() for tensor in weights]
            ours, theirs = context.Pipe()
            arguments = (theirs, weights, gradients, corpus, recipe, part)
            process = context.Process(target=_help, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._helpers.append((process, ours, gradients))

    def of(self, step: int) -> float:
        """Compute the gradient of a step into ``.grad``; returns the mean loss over its targets."""
        for _, connection, _ in self._helpers:
            connection.send(step)
        loss = part_gradient(self.model, self.corpus, self.recipe, step, 0)
        if not self._helpers:
            for part in range(1, self.recipe.parts):
                loss += part_gradient(self.model, self.corpus, self.recipe, step, part)
        for _, connection, gradients in self._helpers:
            loss += connection.recv()
            for parameter, gradient in zip(self.model.parameters(), gradients, strict=True):
                if parameter.grad is not None:
                    parameter.grad += gradient
        return loss

    def close(self) -> None:
        """End the processes."""
        for process, connection, _ in self._helpers:
            connection.close()
            process.join()
        self._helpers.clear()


def _help(
    connection: Connection, weights: list[Tensor], gradients: list[Tensor], corpus: Corpus, recipe: Recipe, part: int
) -> None:
    """Worker loop: answer each step with this part's loss, its gradient written into ``gradients``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides when to end
    torch.set_num_threads(1)
    keep_freed_memory()
    model = new_model(recipe).train()
    for parameter, shared in zip(model.parameters(), weights, strict=True):
        parameter.data = shared
    while True:
        try:
            step = connection.recv()
        except EOFError:
            return
        model.zero_grad(set_to_none=True)
        loss = part_gradient(model, corpus, recipe, step, part)
        for parameter, gradient in zip(model.parameters(), gradients, strict=True):
            if parameter.grad is not None:
                gradient.copy_(parameter.grad)
        connection.send(loss)
