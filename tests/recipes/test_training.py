"""Training is deterministic, interrupted or not."""

import dataclasses
import math
import multiprocessing
import os
import signal
from pathlib import Path

import pytest
import torch
from torch.nn import functional

from recipes.decoder.new_model import new_model
from recipes.decoder.perplexity import negative_log_likelihood
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import batch
from recipes.decoder.texts import Corpus
from recipes.decoder.training import CHECKPOINT, Progress, Training, schedule

CPU = torch.device("cpu")


def ignore(_: Progress) -> None:
    """Nobody wants to know."""


def state(training: Training) -> dict[str, torch.Tensor]:
    """Everything a step depends on."""
    moments = {
        f"{place} {name}": value
        for place, entry in training.optimiser.state_dict()["state"].items()
        for name, value in entry.items()
    }
    best = {f"best {name}": value for name, value in training.best.items()}
    return {**training.model.state_dict(), **moments, **best}


def assert_same(first: Training, second: Training) -> None:
    expected, found = state(first), state(second)
    assert list(expected) == list(found)
    assert [name for name, value in expected.items() if not torch.equal(value, found[name])] == []
    assert first.progress.curve == second.progress.curve
    assert first.progress.best_step == second.progress.best_step


@pytest.fixture(scope="module")
def whole(tiny: Recipe, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Training:
    """Trained without an interruption."""
    training = Training(tiny, corpus, tmp_path_factory.mktemp("whole"), CPU)
    assert training.run(ignore)
    return training


def test_the_seed_gives_the_model(whole: Training, tmp_path: Path) -> None:
    torch.rand(5)  # whatever the global generator stands at
    again = Training(whole.recipe, whole.corpus, tmp_path / "again", CPU)
    again.run(ignore)
    assert_same(whole, again)
    other = Training(dataclasses.replace(whole.recipe, seed=4), whole.corpus, tmp_path / "other", CPU)
    other.run(ignore)
    assert not torch.equal(whole.model.lm_head.weight, other.model.lm_head.weight)


@pytest.mark.parametrize("stops", [(1,), (4,), (3, 5, 6)])
def test_going_on_is_as_if_nothing_had_been(whole: Training, tmp_path: Path, stops: tuple[int, ...]) -> None:
    for stop in stops:
        Training(whole.recipe, whole.corpus, tmp_path, CPU).run(ignore, until=stop)
    resumed = Training(whole.recipe, whole.corpus, tmp_path, CPU)
    assert resumed.progress.step == stops[-1]
    assert resumed.run(ignore)
    assert_same(whole, resumed)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_between_steps_and_is_kept(
    whole: Training, tmp_path: Path, number: signal.Signals
) -> None:
    before = signal.getsignal(number)
    training = Training(whole.recipe, whole.corpus, tmp_path, CPU)
    assert not training.run(lambda _: os.kill(os.getpid(), number))  # told after step 2
    assert signal.getsignal(number) is before
    resumed = Training(whole.recipe, whole.corpus, tmp_path, CPU)
    assert resumed.progress.step == training.progress.step == 2
    assert resumed.run(ignore)
    assert_same(whole, resumed)


@pytest.mark.full
def test_parts_in_processes_of_their_own(whole: Training, tmp_path: Path) -> None:
    """Not one bit differs, whoever computes a part; and a training may go on in another way."""
    before = multiprocessing.active_children()  # such as a server of another test
    Training(whole.recipe, whole.corpus, tmp_path, CPU, together=True).run(ignore, until=4)
    assert multiprocessing.active_children() == before
    resumed = Training(whole.recipe, whole.corpus, tmp_path, CPU, together=True)
    resumed.run(ignore, until=6)
    assert Training(whole.recipe, whole.corpus, tmp_path, CPU).run(ignore)
    assert_same(whole, Training(whole.recipe, whole.corpus, tmp_path, CPU))


def test_nothing_half_written_stays(whole: Training) -> None:
    assert [path.name for path in whole.folder.iterdir()] == [CHECKPOINT]


def test_another_recipe_does_not_go_on(whole: Training) -> None:
    other = dataclasses.replace(whole.recipe, dropout=0.2)
    with pytest.raises(ValueError, match="holds a training of another recipe"):
        Training(other, whole.corpus, whole.folder, CPU)


def test_the_best_step_is_the_one_that_is_kept(whole: Training) -> None:
    losses = {int(point["step"]): point["choosing_loss"] for point in whole.progress.curve}
    assert list(losses) == [2, 4, 6, 7]
    assert whole.progress.best_step == min(losses, key=losses.__getitem__)
    model = new_model(whole.recipe).eval()
    model.load_state_dict(whole.best)
    sums = [negative_log_likelihood(model, ids, context=whole.recipe.context) for ids in whole.corpus.choosing]
    found = sum(total for total, _ in sums) / sum(tokens for _, tokens in sums)
    assert found == pytest.approx(losses[whole.progress.best_step], rel=1e-6)
    assert found < math.log(whole.recipe.vocabulary) - 0.1  # it has learnt something


def test_the_first_step_by_hand(corpus: Corpus, tiny: Recipe, tmp_path: Path) -> None:
    """Gradient, clipping and AdamW written out, without dropout."""
    recipe = dataclasses.replace(tiny, dropout=0.0, steps=1, warmup=4, lesson_steps=0, lesson_share=0.0)
    training = Training(recipe, corpus, tmp_path, CPU)
    model = new_model(recipe)
    model.load_state_dict(training.model.state_dict())
    inputs, targets = batch(corpus, recipe, 0)
    logits = model(inputs).logits
    functional.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
    training.run(ignore)
    gradients = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    norm = math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients.values()))
    for name, parameter in training.model.named_parameters():
        before = dict(model.named_parameters())[name].detach()
        gradient = gradients[name] * min(1.0, recipe.longest_gradient / norm)
        rates = {"transformer.wte.weight": recipe.embedding_rate, "transformer.wpe.weight": recipe.position_rate}
        rate = rates.get(name, recipe.rate) / 4
        decay = recipe.weight_decay if before.ndim >= 2 and name != "transformer.wpe.weight" else 0.0
        expected = before * (1 - rate * decay) - rate * gradient / (gradient.abs() + 1e-8)
        clear = (
            gradient.abs() > 1e-6
        )  # a key's bias, for one, has no gradient but rounding, of which AdamW takes the sign
        torch.testing.assert_close(parameter.detach()[clear], expected[clear], atol=2e-6, rtol=1e-4)
        assert float((parameter.detach() - before).abs().max()) <= 1.3 * rate  # with the decay of weights up to 2


def test_schedule_by_hand() -> None:
    recipe = Recipe(last_rate=0.25, warmup=4, steps=9)
    half, swing = 0.625, 0.375  # between 0.25 and 1
    expected = [0.25, 0.5, 0.75, 1, 1, half + swing * math.sqrt(0.5), half, half - swing * math.sqrt(0.5), 0.25]
    assert [schedule(recipe, step) for step in range(9)] == pytest.approx(expected)
