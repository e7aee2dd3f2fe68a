"""Work shared among single-threaded torch threads."""

from collections.abc import Sequence
from threading import get_ident

import pytest
import torch

from attention_core.blockwise.parallel import map_shares

CPU = torch.device("cpu")


def test_shares_are_alike_and_always_the_same() -> None:
    for _ in range(3):
        assert map_shares(list, range(7), CPU, 3) == [[0, 3, 6], [1, 4], [2, 5]]


def test_no_share_is_empty() -> None:
    assert map_shares(list, range(2), CPU, 3) == [[0], [1]]
    assert map_shares(list, [], CPU, 3) == [[]]


@pytest.mark.parametrize(("device", "threads"), [("cpu", 1), ("meta", 3)])
def test_one_share_stays_in_the_thread_that_asks(device: str, threads: int) -> None:
    assert map_shares(lambda share: (get_ident(), list(share)), range(4), torch.device(device), threads) == [
        (get_ident(), [0, 1, 2, 3])
    ]


def test_torch_has_one_thread_in_each_and_keeps_its_own_elsewhere() -> None:
    before = torch.get_num_threads()

    def look(_: Sequence[int]) -> tuple[int, int]:
        return get_ident(), torch.get_num_threads()

    found = map_shares(look, range(4), CPU, 2)
    assert [threads for _, threads in found] == [1, 1]
    assert get_ident() not in {thread for thread, _ in found}
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("is_inference", [False, True])
def test_inference_mode_goes_along(is_inference: bool) -> None:
    with torch.inference_mode(is_inference):
        found = map_shares(lambda _: torch.ones(1).is_inference(), range(4), CPU, 2)
    assert found == [is_inference, is_inference]


def test_an_error_of_any_share_is_raised() -> None:
    def work(share: Sequence[int]) -> None:
        if share[0] == 1:
            raise InterruptedError("the second share")

    with pytest.raises(InterruptedError, match="the second share"):
        map_shares(work, range(4), CPU, 2)
