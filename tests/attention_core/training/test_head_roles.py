"""Role scores against loops over cells and heads of known role."""

import pytest
import torch
from torch.testing import assert_close

from attention_core.attend import softmax
from attention_core.training.head_roles import ROLES, role_masks, role_scores, uniform_scores
from attention_core.training.tasks import TASKS, Batch


def example(task: str, count: int = 3) -> Batch:
    return TASKS[task].example(count, torch.Generator().manual_seed(1))  # type: ignore[index]


def naive(weights: torch.Tensor, batch: Batch, role: str, head: int) -> float:
    total, queries = 0.0, 0
    for b, ids in enumerate(batch.ids.tolist()):
        for i, token in enumerate(ids):
            if role == "previous_token":
                keys = [i - 1] if i else []
            elif role == "induction":
                keys = [max(j for j in range(i) if ids[j] == token) + 1] if token in ids[:i] else []
                keys = [j for j in keys if j < i - 1]  # else the previous-token role, or the token itself
            else:
                keys = [j for j in range(len(ids)) if batch.sources[b, i, j]]
            total += sum(float(weights[b, head, i, j]) for j in keys)
            queries += bool(keys)
    return total / max(queries, 1)


@pytest.mark.parametrize("task", TASKS)
def test_role_scores_against_loops(task: str) -> None:
    batch = example(task)
    length = batch.ids.shape[1]
    scores = torch.randn(3, 2, length, length, generator=torch.Generator().manual_seed(5)).double() * 3
    weights = softmax(scores.masked_fill(torch.ones(length, length).triu(1).bool(), float("-inf")))
    found = role_scores(weights, role_masks(batch))
    assert tuple(found) == ROLES
    for role in ROLES:
        expected = [naive(weights, batch, role, head) for head in range(2)]
        assert_close(found[role], torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-12)


def test_ideal_heads_have_their_role() -> None:
    """With a period of 16: reading one back, 15 back, and evenly the 15 and 31 back."""
    batch = example("repeat")
    length = batch.ids.shape[1]
    rows = torch.arange(length)

    def reading(*offsets: int) -> torch.Tensor:
        return sum(torch.eye(length)[(rows - offset).clamp(min=0)] for offset in offsets) / len(offsets)  # type: ignore[return-value]

    weights = torch.stack([reading(1), reading(15), reading(15, 31)]).expand(3, -1, -1, -1)
    found = role_scores(weights, role_masks(batch))
    assert_close(found["previous_token"][:2], torch.tensor([1.0, 1 / 47]))  # row 1 reads key 0 either way
    assert_close(found["induction"], torch.tensor([0.0, 1.0, 0.5]))
    assert float(found["answer"][1]) == 1.0
    assert float(found["answer"][2]) == pytest.approx((15 * 0.5 + 16 * 1.0) / 31)


def test_chance_is_what_even_reading_scores() -> None:
    """The last of 48 rows gives each key 1/48, the second 1/2: previous token (1/2 + … + 1/48) / 47."""
    found = uniform_scores(role_masks(example("repeat")))
    assert found["previous_token"] == pytest.approx(sum(1 / n for n in range(2, 49)) / 47, abs=1e-6)
    assert found["induction"] == pytest.approx(sum(1 / n for n in range(17, 49)) / 32, abs=1e-6)


def test_a_role_nobody_can_play_scores_nothing() -> None:
    """No token occurs twice, nothing is scored."""
    ids = torch.arange(4)[None]
    batch = Batch(ids, torch.zeros(1, 4, dtype=torch.bool), torch.zeros(1, 4, 4, dtype=torch.bool))
    found = role_scores(torch.full((1, 2, 4, 4), 0.25), role_masks(batch))
    assert found["induction"].tolist() == found["answer"].tolist() == [0.0, 0.0]
    assert found["previous_token"].tolist() == [0.25, 0.25]
