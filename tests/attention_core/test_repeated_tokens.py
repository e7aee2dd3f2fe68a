"""Which keys show induction, worked out by hand on texts in which other heads attend to the same ones."""

import numpy as np
import pytest

from attention_core.repeated_tokens import induction_keys, last_occurrence


def keys_of(text: str) -> list[int]:
    words = text.split()
    ids = np.array([words.index(word) for word in words])
    return induction_keys(ids, np.zeros(len(words), dtype=bool)).tolist()


@pytest.mark.parametrize(
    "text", ["row , row , row your boat .", "very , very , very tired", "the the end", "a b a b a b", "no word twice"]
)
def test_what_followed_last_time_and_is_the_previous_token_tells_nothing(text: str) -> None:
    assert set(keys_of(text)) == {-1}


def test_other_repetitions_show_induction() -> None:
    assert keys_of("a b c a b c") == [-1, -1, -1, 1, 2, 3]
    assert keys_of("the cat saw the dog , the cat") == [-1, -1, -1, 1, -1, -1, 4, 2]
    assert keys_of("row , row your boat , row") == [-1, -1, -1, -1, -1, 2, 3]  # the second “row” follows its comma


def test_special_tokens_repeat_nothing() -> None:
    ids, special = np.array([5, 1, 2, 5, 1]), np.array([True, False, False, True, False])
    assert induction_keys(ids, special).tolist() == [-1, -1, -1, -1, 2]
    assert last_occurrence(ids, special).tolist() == [-1, -1, -1, -1, 1]
