"""Every published kind of fault is found, with its layer and by what it comes; right models raise no alarm."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import leaking_models as tiny
import pytest
import torch
from leaking_models import Attention, Convolution, Mixing, around, faulty
from torch import Tensor, nn

from attention_core.reach.allowed import causal, packed, prefixed, windowed
from attention_core.reach.assertion import judge_padded
from attention_core.reach.measure import reach

N = tiny.TOKENS
IDS = [(7 * each + 3) % tiny.VOCABULARY for each in range(N)]
DOCUMENTS = (5, 7)
PADDING = 4
PADDED = {"attention_mask": (torch.arange(N) >= PADDING).long()[None]}
BLOCK, ATTENTION, OTHER = "blocks.1", "attention", "not through attention"


def with_hole(count: int) -> Tensor:
    mask = packed(DOCUMENTS)
    mask[8, 2] = True
    return mask


def misplaced_prefix(count: int) -> Tensor:
    mask = causal(count)
    mask[3:6, 3:6] = True
    return mask


@dataclass(frozen=True)
class Fault:
    """A model and what is found in it."""

    model: Callable[[], nn.Module]
    way: str
    allowed: Callable[[int], Tensor] = causal
    where: str = BLOCK
    inputs: dict[str, Any] = field(default_factory=dict)


def attention(mask: Callable[[int], Tensor] | None, *, fused: bool = False) -> Callable[[], nn.Module]:
    return lambda: faulty(lambda: Attention(mask, fused=fused))


def mixing(function: Callable[[Tensor], Tensor]) -> Callable[[], nn.Module]:
    return lambda: faulty(lambda: Mixing(function))


def of_documents(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    return lambda: faulty(make, right=lambda: Attention(lambda _: packed(DOCUMENTS)))


def two(_: int) -> Tensor:
    return packed(DOCUMENTS)


FAULTS = {
    "no mask": Fault(attention(None), ATTENTION),
    "no mask in the fused kernel": Fault(attention(None, fused=True), ATTENTION),
    "diagonal 1": Fault(attention(lambda n: torch.ones(n, n).tril(1).bool()), ATTENTION),
    "inverted mask": Fault(attention(lambda n: ~causal(n) | torch.eye(n).bool()), ATTENTION),
    "transposed mask, fused": Fault(attention(lambda n: causal(n).T, fused=True), ATTENTION),
    "window one too wide": Fault(
        lambda: faulty(lambda: Attention(lambda n: windowed(n, 4)), 0, lambda: Attention(lambda n: windowed(n, 3))),
        ATTENTION,
        lambda n: windowed(n, 3),
        "blocks.0",
    ),
    "documents not told apart": Fault(of_documents(Attention), ATTENTION, two),
    "a hole of one cell": Fault(of_documents(lambda: Attention(with_hole)), ATTENTION, two),
    "a hole of one cell, fused": Fault(of_documents(lambda: Attention(with_hole, fused=True)), ATTENTION, two),
    "prefix on the wrong tokens": Fault(
        lambda: faulty(lambda: Attention(misplaced_prefix), right=lambda: Attention(lambda n: prefixed(n, 3))),
        ATTENTION,
        lambda n: prefixed(n, 3),
    ),
    "padding not masked": Fault(lambda: around(pads=False), ATTENTION, causal, "blocks.0", PADDED),
    "centred convolution": Fault(lambda: faulty(lambda: Convolution(1)), OTHER),
    "convolution along features": Fault(lambda: faulty(tiny.OtherAxis), OTHER),
    "norm over time": Fault(mixing(tiny.over_time), OTHER),
    "batch norm over time": Fault(mixing(tiny.over_everything), OTHER),
    "mean pooling added back": Fault(mixing(lambda x: x.mean(1, keepdim=True).expand_as(x)), OTHER),
    "experts choose tokens": Fault(lambda: faulty(tiny.ExpertsChoose), OTHER),
    "experts choose in the batch": Fault(lambda: faulty(lambda: tiny.ExpertsChoose(flat=True)), OTHER),
    "token shift the wrong way": Fault(mixing(lambda x: tiny.shifted(x, -1)), OTHER),
    "recurrence in both directions": Fault(lambda: faulty(lambda: tiny.Recurrent(both=True)), OTHER),
    "convolution across documents": Fault(of_documents(lambda: Convolution(2)), OTHER, two),
    "recurrence across documents": Fault(of_documents(lambda: tiny.Recurrent(both=False)), OTHER, two),
    "linear layer over time": Fault(lambda: faulty(tiny.TimeMixing), OTHER),
    "Fourier transform over time": Fault(mixing(tiny.spectral), OTHER),
    "denominator of all keys": Fault(mixing(tiny.normalised_by_all), OTHER),
    "step of quantisation of all": Fault(mixing(tiny.rounded), OTHER),
    "the next token is added": Fault(lambda: around(enters=lambda x: tiny.shifted(x, -1)), OTHER, causal, "embeddings"),
    "the head sees the mean": Fault(lambda: around(leaves=lambda x: x.mean(1, keepdim=True)), OTHER, causal, "output"),
}


def narrow() -> nn.Module:
    return Attention(lambda n: windowed(n, 3))


def open_() -> nn.Module:
    return Attention(None)


RIGHT: dict[str, tuple[Callable[[], nn.Module], Callable[[int], Tensor], dict[str, Any]]] = {
    "attention": (lambda: faulty(Attention), causal, {}),
    "fused attention": (attention(causal, fused=True), causal, {}),
    "windows": (lambda: faulty(narrow, right=narrow), lambda n: windowed(n, 3), {}),
    "documents": (of_documents(lambda: Attention(two)), two, {}),
    "padding": (around, causal, PADDED),
    "causal convolution": (lambda: faulty(lambda: Convolution(2)), causal, {}),
    "recurrence": (lambda: faulty(lambda: tiny.Recurrent(both=False)), causal, {}),
    "token shift": (mixing(lambda x: tiny.shifted(x, 1)), causal, {}),
    "tokens choose experts": (lambda: faulty(tiny.TokensChoose), causal, {}),
    "encoder": (lambda: faulty(open_, right=open_), lambda n: torch.ones(n, n).bool(), {}),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found_with_its_layer_and_way(name: str) -> None:
    fault = FAULTS[name]
    found = reach(fault.model(), IDS, inputs=fault.inputs)
    leaks = judge_padded(found, fault.allowed(N), fault.inputs.get("attention_mask")).leaks
    assert leaks, name
    assert (leaks[0].name, leaks[0].way) == (fault.where, fault.way), leaks[0].sentence
    begins = [each for each in leaks if each.state == leaks[0].state]
    assert {each.way for each in begins} == {fault.way}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RIGHT)
def test_right_model_raises_no_alarm(name: str) -> None:
    make, allowed, inputs = RIGHT[name]
    found = reach(make(), IDS, inputs=inputs)
    assert judge_padded(found, allowed(N), inputs.get("attention_mask")).sentences == []
    assert not found.mixes_rows


def test_hole_is_one_pair_and_what_follows_from_it() -> None:
    found = reach(FAULTS["a hole of one cell"].model(), IDS)
    leaks = judge_padded(found, two(N), None).leaks
    at_once = {(each.query, each.key) for each in leaks if each.name == BLOCK}
    assert at_once == {(8, key) for key in range(3)}, "what position 2 had seen comes through the hole with it"
    later = {(each.query, each.key) for each in leaks if each.name == "blocks.2"}
    assert later == {(query, key) for query in range(9, N) for key in range(3)}
    assert leaks[0].sentence == "Position 8 is reached by position 2 from layer 1 on, through attention."


@pytest.mark.full
def test_copies_that_see_each_other_run_one_by_one() -> None:
    for name in ("batch norm over time", "experts choose in the batch"):
        found = reach(FAULTS[name].model(), IDS)
        assert (found.mixes_rows, found.rows) == (True, 1)
