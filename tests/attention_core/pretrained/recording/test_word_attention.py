"""Attention between words by hand: split words, special tokens, ties, words that attend to no other."""

import numpy as np
import torch

from attention_core.pretrained.recording.word_attention import (
    WordTokens,
    best_fixed_offset,
    strongest_other_word,
    tokens_of_words,
)


def test_tokens_belong_to_the_words_that_they_share_a_character_with() -> None:
    # "un like cats" as [CLS] un like_c ats [SEP]: the third token reaches over two words, the last stands for nothing
    starts, ends = np.array([0, 0, 2, 8, -1]), np.array([1, 2, 8, 11, -1])
    special = np.array([True, False, False, False, True])
    owned = tokens_of_words(starts, ends, special, [(0, 6), (7, 11)])
    assert owned.tolist() == [[False, False], [True, False], [True, True], [False, True], [False, False]]
    assert tokens_of_words(starts, ends, special, []).shape == (5, 0)


def test_weights_are_summed_over_keys_and_averaged_over_queries() -> None:
    weights = torch.tensor(
        [
            [1.0, 0.0, 0.0, 0.0],
            [0.5, 0.1, 0.2, 0.2],  # the first word has two tokens, these rows
            [0.0, 0.3, 0.3, 0.4],
            [0.25, 0.125, 0.5, 0.125],
        ]
    )
    table = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # no token of a third
    between = WordTokens.of(table).weights(weights)
    torch.testing.assert_close(between, torch.tensor([[0.45, 0.3, 0.0], [0.625, 0.125, 0.0], [0.0, 0.0, 0.0]]))
    in_batch = WordTokens.of(table.expand(2, 1, 4, 3)).weights(weights.expand(2, 5, 4, 4))
    torch.testing.assert_close(in_batch, between.expand(2, 5, 3, 3))


def test_the_strongest_other_word_is_the_first_of_equals_and_needs_some_weight() -> None:
    between = torch.tensor([[0.9, 0.05, 0.05], [0.0, 1.0, 0.0], [0.1, 0.2, 0.0]])
    assert strongest_other_word(between).tolist() == [1, -1, 1]
    assert between[0, 0] == 0.9, "what is asked about stays as it is"
    assert strongest_other_word(torch.ones(2, 3, 1, 1)).tolist() == [[[-1]] * 3] * 2


def test_the_best_fixed_offset_is_the_most_frequent_and_of_several_the_nearest() -> None:
    assert best_fixed_offset({-1: 2, 4: 3, 1: 2}) == 4
    assert best_fixed_offset({5: 2, 3: 2, -4: 2}) == 3
    assert best_fixed_offset({1: 2, -1: 2, 2: 2}) == -1
