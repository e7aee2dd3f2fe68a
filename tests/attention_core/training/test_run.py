"""Training steps: gradients by finite differences, AdamW by hand, snapshots, and emerging heads."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.decoder import Decoder
from attention_core.training.config import MECHANISMS, POSITIONS, TrainingConfig
from attention_core.training.head_roles import FORMED, ROLES, role_masks, role_scores
from attention_core.training.run import BATCH, DivergedError, Training, Update, example, task_loss
from attention_core.training.tasks import TASK_NAMES, TASKS, Batch

TINY: dict[str, Any] = {"d_model": 8, "num_heads": 2, "num_layers": 2, "steps": 3}


def tiny_batch(task: str, config: TrainingConfig, length: int = 14) -> Batch:
    """Two sequences cut short."""
    batch = TASKS[config.task].draw(2, torch.Generator().manual_seed(4))
    scored = batch.scored[:, -length:] if task == "repeat" else batch.scored[:, :length]
    ids = batch.ids[:, -length:] if task == "repeat" else batch.ids[:, :length]
    assert scored[:, :-1].any()
    return Batch(ids, scored, batch.sources[:, :length, :length])


def finite_differences(decoder: Decoder, batch: Batch, parameter: Tensor, count: int, step: float = 1e-6) -> Tensor:
    """Central differences of the loss for some numbers of one parameter."""
    flat = parameter.view(-1)
    slopes = []
    for index in range(0, flat.numel(), max(1, flat.numel() // count)):
        kept = float(flat[index])
        ends = []
        for moved in (kept + step, kept - step):
            flat[index] = moved
            ends.append(float(task_loss(decoder(batch.ids), batch)[0]))
        flat[index] = kept
        slopes.append((ends[0] - ends[1]) / (2 * step))
    return torch.tensor(slopes, dtype=torch.float64)


@pytest.mark.full
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("grouped", [False, True], ids=["mha", "mqa+ffn"])
def test_gradients_against_finite_differences(mechanism: str, positions: str, grouped: bool) -> None:
    options: dict[str, Any] = {"mechanism": mechanism, "positions": positions, "feed_forward": grouped}
    config = TrainingConfig(**(TINY | options), num_kv_heads=1 if grouped else None)
    decoder = Decoder(config.decoder(), generator=torch.Generator().manual_seed(2)).double()
    batch = tiny_batch("repeat", config)
    task_loss(decoder(batch.ids), batch)[0].backward()
    with torch.no_grad():
        for name, parameter in decoder.named_parameters():
            assert parameter.grad is not None, name
            found = parameter.grad.view(-1)[:: max(1, parameter.numel() // 2)]
            expected = finite_differences(decoder, batch, parameter, 2)
            assert_close(found, expected, rtol=1e-5, atol=1e-8, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("task", TASK_NAMES)
def test_loss_against_loops(task: str) -> None:
    config = TrainingConfig(task=task)  # type: ignore[arg-type]
    batch = TASKS[config.task].draw(3, torch.Generator().manual_seed(8))
    logits = torch.randn(*batch.ids.shape, config.vocab_size, generator=torch.Generator().manual_seed(1)).double()
    losses, hits = [], []
    for b, i in batch.scored.nonzero().tolist():
        row, answer = logits[b, i].tolist(), int(batch.ids[b, i + 1])
        losses.append(math.log(sum(map(math.exp, row))) - row[answer])
        hits.append(row.index(max(row)) == answer)
    loss, accuracy = task_loss(logits, batch)
    assert float(loss) == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    assert float(accuracy) == pytest.approx(sum(hits) / len(hits), abs=1e-12)


def test_a_step_is_adamw_on_fresh_sequences() -> None:
    """The first two steps written out: m, v, their corrections, and the decay of 0.01 (Loshchilov & Hutter 2019)."""
    training = Training(TrainingConfig(**TINY, seed=5))
    generator = torch.Generator().manual_seed(5)
    twin = Decoder(training.config.decoder(), generator=generator)
    moments = {name: (torch.zeros_like(p), torch.zeros_like(p)) for name, p in twin.named_parameters()}
    for t in (1, 2):
        batch = TASKS["repeat"].draw(BATCH, generator)
        loss, _ = task_loss(twin(batch.ids), batch)
        gradients = torch.autograd.grad(loss, list(twin.parameters()))
        with torch.no_grad():
            for (name, parameter), gradient in zip(twin.named_parameters(), gradients, strict=True):
                m, v = moments[name]
                m.mul_(0.9).add_(0.1 * gradient)
                v.mul_(0.999).add_(0.001 * gradient**2)
                parameter.mul_(1 - 0.01 * 0.01)
                parameter.sub_(0.01 * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-8))
        training.step()
        update = training.look()
        assert (update.step, update.loss) == (t, pytest.approx(loss.item(), abs=1e-5))
        for name, parameter in twin.named_parameters():
            assert_close(torch.from_numpy(training.weights()[name]), parameter.detach(), rtol=0, atol=2e-6)
    training.step()
    assert training.is_finished


def test_what_is_seen_is_the_network_as_it_is() -> None:
    training = Training(TrainingConfig(num_kv_heads=2, steps=2))
    before = training.look()
    training.step()
    update = training.look()
    batch = example(training.config)
    with torch.no_grad():
        blocks = training.decoder(batch.ids, trace=True).blocks
    weights = [block.attention.attention.weights for block in blocks]
    assert update.maps.shape == (2, 4, 48, 48)
    for layer, found in enumerate(weights):
        np.testing.assert_array_equal(update.maps[layer], np.rint(found[0].numpy() * 255).astype(np.uint8))
        scores = role_scores(found, role_masks(batch))
        for role in ROLES:
            np.testing.assert_array_equal(update.scores[role][layer], scores[role].numpy())
    assert (before.step, before.seconds) == (0, 0.0)
    assert (before.maps != update.maps).any()
    assert before.loss == update.loss, "step 1 is scored before it is taken"


def test_before_the_first_step_everything_is_chance() -> None:
    update = Training(TrainingConfig()).look()
    assert update.loss == pytest.approx(math.log(32), abs=0.6)
    assert update.accuracy < 0.15
    assert float(max(update.scores[role].max() for role in ROLES)) < 0.3


@torch.no_grad()
def test_a_seed_is_a_run() -> None:
    def final(seed: int) -> Update:
        training = Training(TrainingConfig(**TINY, seed=seed))
        while not training.is_finished:
            training.step()
        return training.look()

    with torch.enable_grad():
        first, again, other = final(1), final(1), final(2)
    assert (first.loss, first.accuracy) == (again.loss, again.accuracy)
    np.testing.assert_array_equal(first.maps, again.maps)
    assert first.loss != other.loss


def test_global_random_state_is_left_alone() -> None:
    before = torch.random.get_rng_state()
    training = Training(TrainingConfig(**TINY))
    training.step()
    training.look()
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_loss_that_is_no_number_is_said() -> None:
    training = Training(TrainingConfig(**TINY))
    with torch.no_grad():
        next(training.decoder.parameters()).fill_(float("nan"))
    with pytest.raises(DivergedError, match="nan"):
        training.step()
    with pytest.raises(DivergedError, match="nan"):
        training.look()


def test_steps_that_are_too_large_are_said() -> None:
    """A loss above 20 ln 32 = 69.3."""
    training = Training(TrainingConfig(learning_rate=10.0))

    def learn() -> None:
        for _ in range(100):
            training.step()

    with pytest.raises(DivergedError) as said:
        learn()
    assert float(str(said.value)) > 20 * math.log(32)
    assert training.step_count < 100


def induction_after(steps: int, **options: Any) -> tuple[int, float]:
    """The step at which some head had become an induction head, or the last; and the largest score then."""
    training = Training(TrainingConfig(steps=steps, **options))
    while True:
        for _ in range(10):
            training.step()
        induction = float(training.look().scores["induction"].max())
        if induction > FORMED or training.is_finished:
            return training.step_count, induction


@pytest.mark.full
def test_all_heads_of_layer_1_become_induction_heads_as_the_page_says() -> None:
    training = Training(TrainingConfig())
    while not training.is_finished:
        training.step()
    scores = training.look().scores
    assert (scores["induction"][1].round(1) >= 0.8).all()
    assert (scores["induction"][1].round(1) <= 0.9).all()
    assert (scores["induction"][0] < 0.1).all()
    assert sorted(scores["previous_token"][0] > FORMED) == [False, False, True, True]


@pytest.mark.full
def test_induction_forms_in_nine_seeds_of_ten() -> None:
    found = [induction_after(150, seed=seed) for seed in range(10)]
    assert sum(induction > FORMED for _, induction in found) >= 9, found


@pytest.mark.full
@pytest.mark.parametrize("options", [{"num_layers": 1}, {"positions": "none"}], ids=["one layer", "no positions"])
def test_induction_does_not_form(options: dict[str, Any]) -> None:
    step, induction = induction_after(150, **options)
    assert (step, induction < 0.3) == (150, True)


@pytest.mark.full
@pytest.mark.parametrize("options", [{"num_kv_heads": 1}, {"mechanism": "cosine"}, {"mechanism": "qk_norm"}])
def test_induction_forms_with_other_mechanisms(options: dict[str, Any]) -> None:
    assert induction_after(200, **options)[1] > FORMED
