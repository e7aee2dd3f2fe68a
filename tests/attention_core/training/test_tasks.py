"""Every task sequence solved independently in plain Python."""

import pytest
import torch

from attention_core.training.tasks import CLOSING, END, EQUALS, LENGTH, MARK, OPENING, TASKS, Batch, Task

TASK_LIST = list(TASKS.values())


def drawn(task: Task, seed: int = 3, count: int = 40) -> Batch:
    return task.draw(count, torch.Generator().manual_seed(seed))


def foretold(task: str, ids: list[int]) -> dict[int, tuple[int, set[int]]]:
    """By position: the token that must come next, and the positions that show it."""
    if task == "repeat":
        period = next(p for p in range(1, LENGTH) if all(ids[i] == ids[i - p] for i in range(p, LENGTH)))
        return {i: (ids[i + 1], set(range((i + 1) % period, i + 1, period))) for i in range(period, LENGTH - 1)}
    if task == "brackets":
        return closed(ids)
    size = ids.index(EQUALS)
    given = ids[:size]
    answer = {"copy": given, "reverse": given[::-1], "sort": sorted(given)}[task]
    assert len(set(given)) == size
    assert ids == [*given, EQUALS, *answer, *[END] * (LENGTH - 2 * size - 1)]
    return {size + k: (symbol, {given.index(symbol)}) for k, symbol in enumerate(answer)}


def closed(ids: list[int]) -> dict[int, tuple[int, set[int]]]:
    stack: list[tuple[int, int]] = []
    found = {}
    for at, token in enumerate(ids):
        if OPENING <= token < CLOSING:
            stack.append((token, at))
        elif token == MARK and at + 1 < LENGTH:
            opened, where = stack.pop()
            assert ids[at + 1] == opened - OPENING + CLOSING
            found[at] = (ids[at + 1], {where})
    return found


@pytest.mark.parametrize("task", TASK_LIST, ids=lambda task: task.name)
@pytest.mark.parametrize("kind", ["draw", "example"])
def test_tasks_predict_what_follows(task: Task, kind: str) -> None:
    batch: Batch = getattr(task, kind)(40, torch.Generator().manual_seed(3))
    assert batch.ids.shape == batch.scored.shape == (40, LENGTH)
    assert batch.sources.shape == (40, LENGTH, LENGTH)
    for ids, scored, sources in zip(batch.ids.tolist(), batch.scored.tolist(), batch.sources, strict=True):
        expected = foretold(task.name, ids)
        assert {i for i, flag in enumerate(scored) if flag} == set(expected)
        for i in range(LENGTH):
            shown = expected[i][1] if i in expected else set()
            assert set(sources[i].nonzero().flatten().tolist()) == shown
            assert all(j <= i for j in shown)
    assert max(batch.ids.flatten().tolist()) < len(task.vocabulary)


@pytest.mark.parametrize("task", TASK_LIST, ids=lambda task: task.name)
def test_tasks_count_their_answers(task: Task) -> None:
    batch = drawn(task, count=300)
    assert len(batch.ids[:, 1:][batch.scored[:, :-1]].unique()) == task.answers


def test_brackets_never_run_deeper_than_eight_and_use_all_kinds() -> None:
    ids = drawn(TASKS["brackets"], count=200).ids
    depth = ((ids >= OPENING) & (ids < CLOSING)).long().cumsum(1) - (ids >= CLOSING).long().cumsum(1)
    assert (int(depth.min()), int(depth.max())) == (0, 8)
    assert set(ids.flatten().tolist()) == set(range(9))


def test_periods_and_sizes_cover_their_range() -> None:
    scored = drawn(TASKS["repeat"], count=500).scored.sum(1)
    assert set((LENGTH - 1 - scored).tolist()) == set(range(8, 25))
    assert set(drawn(TASKS["copy"], count=500).scored.sum(1).tolist()) == set(range(6, 24))


@pytest.mark.parametrize("task", TASK_LIST, ids=lambda task: task.name)
def test_tasks_come_from_the_seed_alone(task: Task) -> None:
    before = torch.random.get_rng_state()
    first, again, other = (drawn(task, seed).ids for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_every_token_is_a_word_of_its_own() -> None:
    for task in TASK_LIST:
        assert len(set(task.vocabulary)) == len(task.vocabulary)
        assert not any(any(c.isspace() for c in word) for word in task.vocabulary)
