"""Queries that a mask leaves no choice."""

import torch

from attention_core.atlas.folding.batch_facts import additive_mask, without_choice
from attention_core.masks import DenseMask, PredicateMask, causal, dense, sliding_window

SIZE = 6
SCORES = torch.zeros(2, 3, SIZE, SIZE)


SINKS = torch.tensor([[0, 0], [0, 4]])


def forced(mask: torch.Tensor | None, bias: torch.Tensor | None = None, variant: int = 0) -> list[list[int]]:
    """The queries without a choice, of each head of the second window."""
    found = without_choice(mask, bias, SCORES, SINKS)
    assert found.shape == (2, 2, 3, SIZE)
    return [torch.nonzero(head)[:, 0].tolist() for head in found[variant, 1]]


def one_mask(allowed: torch.Tensor) -> torch.Tensor:
    return additive_mask(DenseMask(allowed.expand(2, 1, SIZE, SIZE)), SIZE)


def test_the_first_token_of_a_decoder_and_of_each_chunk() -> None:
    position = torch.arange(SIZE)
    chunked = (position[:, None] // 3 == position // 3) & dense(causal, SIZE, SIZE)
    assert forced(one_mask(dense(causal, SIZE, SIZE))) == [[0]] * 3
    assert forced(one_mask(chunked)) == [[0, 3]] * 3
    assert forced(one_mask(dense(sliding_window(1), SIZE, SIZE))) == [[*range(SIZE)]] * 3
    rule = PredicateMask(causal, SIZE, SIZE).window(slice(0, SIZE), slice(0, SIZE))
    assert forced(one_mask(rule)) == [[0]] * 3


def test_a_bias_may_forbid_keys_too_of_one_head_alone() -> None:
    bias = torch.zeros(1, 3, SIZE, SIZE)
    bias[0, 1, 4, 1:] = float("-inf")
    bias[0, 2, 5] = torch.finfo(torch.float32).min
    assert forced(None, bias) == [[], [4], [5]]
    assert forced(None, (-60.0 * torch.arange(SIZE))[None, None, None]) == [[], [], []]  # slight is not forbidden
    half = torch.zeros(SIZE, SIZE, dtype=torch.float16)
    half[2, :5] = torch.finfo(torch.float16).min
    assert forced(one_mask(dense(causal, SIZE, SIZE)), half) == [[0, 2]] * 3


def test_without_a_mask_only_a_token_that_is_alone() -> None:
    assert forced(None) == [[]] * 3
    assert without_choice(None, None, SCORES[..., :1, :1], SINKS[:, :1]).all()


def test_with_sinks_aside_the_second_token_of_a_decoder_has_no_choice_either() -> None:
    assert forced(one_mask(dense(causal, SIZE, SIZE)), variant=1) == [[0, 1]] * 3
    assert forced(one_mask(dense(sliding_window(2), SIZE, SIZE)), variant=1) == [[0, 1, 4, 5]] * 3
    assert forced(None, variant=1) == [[]] * 3
    assert without_choice(None, None, SCORES[..., :3, :3], torch.tensor([[0, 0], [0, 2]]))[1, :, 0, 0].tolist() == [
        False,
        True,
    ]
