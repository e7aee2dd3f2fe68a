"""Run facts against the network and hand sums."""

import math

import pytest

from attention_core.training.config import TrainingConfig
from attention_core.training.run_facts import facts
from attention_core.training.tasks import TASK_NAMES


def test_facts_of_the_default() -> None:
    """Embedding and output 32 · 64 each, two layers of four 64² matrices, five norms of 64."""
    found = facts(TrainingConfig())
    assert found.parameters == 2 * 32 * 64 + 2 * 4 * 64**2 + 3 * 64
    assert found.vocabulary == tuple(map(str, range(32)))
    assert found.example[:16] == found.example[16:32] == found.example[32:]
    assert len(set(found.example)) == 16
    assert found.scored == (False,) * 16 + (True,) * 31 + (False,)
    assert found.chance_loss == pytest.approx(math.log(32))
    assert found.chance_scores["induction"] == pytest.approx(sum(1 / n for n in range(17, 49)) / 32, abs=1e-6)
    assert found.updates_every == 2


@pytest.mark.parametrize("task", TASK_NAMES)
def test_facts_of_every_task(task: str) -> None:
    found = facts(TrainingConfig(task=task, num_layers=4))  # type: ignore[arg-type]
    assert len(found.example) == len(found.scored) == 48
    assert set(found.example) <= set(found.vocabulary)
    assert found.updates_every == 1
    assert all(0 < score < 0.3 for score in found.chance_scores.values())


def test_shared_keys_and_a_feed_forward_layer_are_counted() -> None:
    """One layer of width 8 with 2 heads on 1: q and o 64 each, k and v 32 each; up, gate, down 8 · 16; 3 norms of 8."""
    found = facts(TrainingConfig(num_layers=1, d_model=8, num_heads=2, num_kv_heads=1, feed_forward=True))
    assert found.parameters == 2 * 32 * 8 + 2 * 64 + 2 * 32 + 3 * 8 * 16 + 3 * 8
