"""Sentences and sorting of what was found, from numbers made by hand."""

import pytest
import torch

from attention_core.reach.allowed import causal
from attention_core.reach.measure import Reach
from attention_core.reach.verdict import Leak, first_states, judge, paths_of_attention


def found(change: torch.Tensor, *weights: torch.Tensor | None, floor: float = 0.0) -> Reach:
    names = ("embeddings", "layers.0", "layers.1", "output")
    floors = torch.full((4,), floor)
    return Reach(names, change, floors, tuple(range(4)), (None, *weights, None), False, 9, 1)


def leaky() -> torch.Tensor:
    """Position 0 is reached by 2 from layer 1 on, and by 3 in the output; 3 is not reached by 1."""
    change = causal(4).float().repeat(4, 1, 1)
    change[0] = torch.eye(4)
    change[2:, 0, 2] = 0.5
    change[3, 0, 3] = 1e-9
    change[:, 3, 1] = 0.0
    return change


def test_leaks_are_sorted_by_state_and_what_is_unused_is_counted() -> None:
    verdict = judge(found(leaky(), causal(4).float(), causal(4).float()), causal(4))
    assert [(each.query, each.key, each.name, each.layer, each.way) for each in verdict.leaks] == [
        (0, 2, "layers.1", 1, "not through attention"),
        (0, 3, "output", None, "not through attention"),
    ]
    assert verdict.unused == ((3, 1),)
    assert verdict.sentences == [
        "Position 0 is reached by position 2 from layer 1 on, not through attention.",
        "So is one further pair that is not allowed.",
        "Position 3 is not reached by position 1, which is allowed.",
    ]
    only = judge(found(leaky(), causal(4).float(), causal(4).float()), causal(4), queries=[1, 2])
    assert only.is_as_allowed


def test_below_the_floor_nothing_leaks_and_nothing_is_said_to_be_unused() -> None:
    verdict = judge(found(leaky(), None, None, floor=1e-6), causal(4))
    assert [(each.query, each.key) for each in verdict.leaks] == [(0, 2)]
    assert verdict.unused == ()


def test_what_comes_by_a_neighbour_that_had_it_comes_through_attention() -> None:
    change = leaky()
    change[1, 1, 2] = 1.0  # a convolution gives 1 what stands at 2; then 0 attends to 1
    weights = causal(4).float()
    weights[0, 1] = 0.1
    leaks = judge(found(change, causal(4).float(), weights), causal(4)).leaks
    ways = {(each.query, each.key): each.way for each in leaks}
    assert ways[1, 2] == "not through attention"
    assert ways[0, 2] == "attention"
    assert paths_of_attention(found(change, causal(4).float(), weights))[2, 0].tolist() == [True, True, False, False]
    assert first_states(found(change))[0].tolist() == [0, -1, 2, 3]


def test_of_a_mask_with_one_hole_the_hole_itself_is_named_first() -> None:
    change = causal(4).float().repeat(4, 1, 1)
    change[0] = torch.eye(4)
    change[2:, 0, 1:] = 1.0  # 0 attends to 3, which had been reached by 1 and 2
    weights = causal(4).float()
    weights[0, 3] = 0.1
    leaks = judge(found(change, causal(4).float(), weights), causal(4)).leaks
    assert [(leak.query, leak.key) for leak in leaks] == [(0, 3), (0, 1), (0, 2)]
    assert {leak.way for leak in leaks} == {"attention"}


@pytest.mark.parametrize(
    ("name", "layer", "where"),
    [
        ("layers.3", 3, "from layer 3 on"),
        ("mlps.0", 1, "from layer 1 (mlps.0) on"),
        ("embeddings", None, "from the embeddings on"),
        ("output", None, "in the output"),
    ],
)
def test_a_sentence_names_the_layer(name: str, layer: int | None, where: str) -> None:
    sentence = Leak(9, 12, 2, name, layer, "not through attention").sentence
    assert sentence == f"Position 9 is reached by position 12 {where}, not through attention."
