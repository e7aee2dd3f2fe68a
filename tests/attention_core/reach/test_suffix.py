"""Replaced suffixes: few passes find what is the same everywhere, all cuts find a single hole."""

import leaking_models as tiny
import pytest
import torch
from leaking_models import Attention, faulty
from torch import Tensor

from attention_core.reach.allowed import causal
from attention_core.reach.suffix import few_cuts, suffix_reach

IDS = [(7 * each + 3) % tiny.VOCABULARY for each in range(tiny.TOKENS)]


def test_cuts_are_few_and_different() -> None:
    assert few_cuts(2) == [1]
    for count in (5, 64, 1000):
        cuts = few_cuts(count)
        assert len(set(cuts)) == len(cuts) == min(count - 1, 2 * (count - 1).bit_length())
        assert (cuts[0], cuts[-1]) == (1, count - 1)


def test_a_causal_model_is_causal_at_every_cut() -> None:
    for cuts in ("few", "all", [3, 7]):
        assert suffix_reach(faulty(Attention), IDS, cuts=cuts).is_causal  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [lambda: tiny.Convolution(1), lambda: tiny.Mixing(tiny.over_time)])
def test_what_looks_ahead_everywhere_is_found_by_few(make: object) -> None:
    found = suffix_reach(faulty(make), IDS)  # type: ignore[arg-type]
    assert found.leaking == found.cuts
    assert found.query is not None
    assert found.key is not None
    assert found.query < found.key
    assert found.name == "blocks.1"


def test_one_hole_is_found_by_all_cuts_between_its_positions() -> None:
    def holed(_: int) -> Tensor:
        mask = causal(tiny.TOKENS)
        mask[4, 7] = True
        return mask

    found = suffix_reach(faulty(lambda: Attention(holed), at=0), IDS, cuts="all")
    assert found.leaking == (5, 6, 7)
    assert (found.query, found.key, found.name) == (4, 7, "blocks.0")


def test_long_texts_take_few_copies() -> None:
    rows: list[int] = []

    def model(ids: Tensor) -> Tensor:
        rows.append(len(ids))
        return torch.nn.functional.one_hot(ids, 50).float().cumsum(1)

    assert suffix_reach(model, [each % 50 for each in range(600)]).is_causal
    assert sum(rows) <= 70


def test_cuts_outside_the_text_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cuts must be from 1 to 11, not \[12\]"):
        suffix_reach(faulty(Attention), IDS, cuts=[12])
