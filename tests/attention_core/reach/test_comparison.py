"""Cached steps against prefill and packed documents against each alone, in models whose fault moves no influence."""

from types import SimpleNamespace
from typing import Any

import leaking_models as tiny
import pytest
import torch
from leaking_models import Attention, faulty
from torch import Tensor, nn

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig
from attention_core.reach.allowed import packed, restarting_positions
from attention_core.reach.assertion import assert_reach
from attention_core.reach.comparison import cached_deviation, packed_deviation

IDS = [(7 * each + 3) % tiny.VOCABULARY for each in range(tiny.TOKENS)]
DOCUMENTS = [5, 7]


class Cached(nn.Module):
    """One layer of attention with a cache of keys and values; ``fault`` is made in its steps."""

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.fault = fault
        self.embedding, self.places = nn.Embedding(40, 8), nn.Embedding(20, 8)
        self.layers = nn.ModuleList([nn.Linear(8, 8)])

    def forward(self, ids: Tensor, past_key_values: Any = None, use_cache: bool = False) -> Any:
        start = 0 if past_key_values is None else past_key_values.shape[1]
        first = max(0, start - 1) if self.fault == "positions" else start
        x = self.embedding(ids) + self.places(torch.arange(first, first + ids.shape[1]))
        if self.fault == "overwritten" and start:  # written one before its place: over the last one
            past_key_values = torch.cat([past_key_values[:, :-1], x[:, :1]], 1)
        keys = x if past_key_values is None else torch.cat([past_key_values, x], 1)
        offset = 0 if self.fault == "offset" else start
        allowed = torch.arange(keys.shape[1]) <= torch.arange(ids.shape[1])[:, None] + offset
        weights = (x @ keys.mT / 8).masked_fill(~allowed, -torch.inf).softmax(-1)
        return SimpleNamespace(logits=self.layers[0](x + weights @ keys), past_key_values=keys)


def cached(fault: str = "") -> Cached:
    with torch.random.fork_rng():
        torch.manual_seed(2)
        return Cached(fault)


@pytest.mark.full
@pytest.mark.parametrize("chunk", [1, 5])
def test_right_cached_steps_see_what_prefill_sees(chunk: int) -> None:
    assert_reach(cached(), IDS, chunk=chunk)
    assert cached_deviation(cached(), IDS, chunk=chunk) is None
    decoder = Decoder(DecoderConfig.llama(40, 16, 2, 4, num_kv_heads=2, max_length=12))
    found = assert_reach(decoder, IDS, chunk=chunk)
    weights = found.weights[1]
    assert weights is not None
    assert torch.equal(weights > 0, found.reached[1])
    assert cached_deviation(decoder, IDS, chunk=chunk) is None


@pytest.mark.parametrize(
    ("fault", "chunk", "sentence"),
    [
        (
            "overwritten",
            1,
            "Position 1 is not reached by position 0, which is allowed. 10 more allowed pairs are not reached.",
        ),
        (
            "offset",
            3,
            "Position 3 is not reached by position 1, which is allowed. 44 more allowed pairs are not reached.",
        ),
    ],
)
def test_steps_that_see_less_than_prefill_are_shut(fault: str, chunk: int, sentence: str) -> None:
    assert_reach(cached(fault), IDS)
    with pytest.raises(AssertionError) as raised:
        assert_reach(cached(fault), IDS, chunk=chunk)
    assert str(raised.value) == sentence


def test_wrong_positions_in_steps_are_another_state() -> None:
    model = cached("positions")
    assert_reach(model, IDS, chunk=1)
    deviation = cached_deviation(model, IDS)
    assert deviation is not None
    assert (deviation.name, deviation.position) == ("embeddings", 1)
    assert deviation.difference > 0.01


def test_positions_that_do_not_restart_are_another_state() -> None:
    def of_documents() -> Attention:
        return Attention(lambda count: packed(DOCUMENTS) if count == 12 else tiny.causal(count))

    model = faulty(of_documents, right=of_documents)
    restarting = {"position_ids": restarting_positions(DOCUMENTS)}
    assert packed_deviation(model, IDS, DOCUMENTS, inputs=restarting) is None
    deviation = packed_deviation(model, IDS, DOCUMENTS)
    assert deviation is not None
    assert (deviation.name, deviation.position) == ("embeddings", 5)
