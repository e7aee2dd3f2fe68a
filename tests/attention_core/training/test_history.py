"""Which updates are kept, against the rule."""

import re

import numpy as np
import pytest

from attention_core.training.history import History, nbytes
from attention_core.training.run import Update


def update(step: int, cells: int = 100) -> Update:
    return Update(step, 1.0, 0.5, 0.1, {}, np.zeros((1, 1, 1, cells), np.uint8))


def steps(history: History) -> list[int]:
    return [kept.step for kept in history]


def test_everything_is_kept_while_there_is_room() -> None:
    history = History(1_000)
    assert (len(history), history.newest) == (0, None)
    for step in range(0, 20, 2):
        history.add(update(step))
    assert (steps(history), history.stride, history.nbytes) == (list(range(0, 20, 2)), 1, 1_000)


def test_every_second_goes_when_the_room_is_used_up() -> None:
    history = History(1_000)
    for step in range(11):
        history.add(update(step))
    assert (steps(history), history.stride) == ([0, 2, 4, 6, 8, 10], 2)
    history.add(update(11))
    assert steps(history) == [0, 2, 4, 6, 8, 10, 11]
    history.add(update(12))
    assert steps(history) == [0, 2, 4, 6, 8, 10, 12]


def test_thousands_fit_and_the_ends_stay() -> None:
    history = History(1_000)
    for step in range(2_001):
        history.add(update(step))
        kept = steps(history)
        assert (kept[0], kept[-1], len(kept) <= 10) == (0, step, True)
        assert all(number % history.stride == 0 for number in kept[:-1])
    assert history.stride == 256


def test_after_is_where_a_reader_goes_on() -> None:
    history = History(10_000)
    for step in range(0, 50, 5):
        history.add(update(step))
    for seen in range(-1, 60):
        expected = next((kept.step for kept in history if kept.step > seen), None)
        found = history.after(seen)
        assert (None if found is None else found.step) == expected


def test_one_update_too_large_is_kept_all_the_same() -> None:
    history = History(1)
    for step in range(5):
        history.add(update(step))
    assert steps(history) == [0, 4]


def test_steps_go_forward() -> None:
    history = History(1_000)
    history.add(update(3))
    with pytest.raises(ValueError, match=re.escape("update must come after step 3, not 3")):
        history.add(update(3))


def test_bytes_are_those_of_the_arrays() -> None:
    scores = {"induction": np.zeros((2, 3), np.float32)}
    assert nbytes(Update(0, 1.0, 0.5, 0.1, scores, np.zeros((2, 3, 4, 4), np.uint8))) == 2 * 3 * 4 + 2 * 3 * 16
