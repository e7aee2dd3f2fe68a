"""Which keys a query may attend to, against masks written out by hand and the library's own weights."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights
from attention_core.masks import DenseMask, PredicateMask, causal, sliding_window
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording import allowed_keys as module
from attention_core.pretrained.recording.allowed_keys import AllowedKeys, allowed_keys
from attention_core.pretrained.recording.bias_rules import DenseBias, relative_bias
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import CutEdges, SetPattern

N = 150
"""More than two blocks of rows."""


def layer(**options: Any) -> LayerRecord:
    torch.manual_seed(3)
    queries, keys, values = torch.randn(3, 1, 2, N, 4).unbind()
    attention = BlockwiseAttention(queries=queries, keys=keys, values=values, scale=0.5, **options)
    return LayerRecord(None, attention, attention.attend()[1])


def written_out(found: AllowedKeys | None, layer: int, head: int, size: tuple[int, int]) -> np.ndarray:
    allowed = np.ones(size, dtype=bool)
    index = None if found is None else found.of_heads[layer][head]
    if found is not None and index is not None:
        allowed[:] = False
        for row, edges in enumerate(found.masks[index]):
            for first, end in zip(edges[::2], edges[1::2], strict=True):
                allowed[row, first:end] = True
    return allowed


def test_layers_that_share_a_mask_say_it_once() -> None:
    mask = PredicateMask(causal, N, N)
    local = PredicateMask(sliding_window(20), N, N)
    random = torch.rand(N, N, generator=torch.Generator().manual_seed(1)) < 0.5
    random[7] = False
    layers = [layer(mask=mask), layer(mask=local), layer(), layer(mask=mask), layer(mask=DenseMask(random))]
    found = allowed_keys(layers, causal=False)
    assert found is not None
    assert found.of_heads == [[0, 0], [1, 1], [None, None], [0, 0], [2, 2]]
    assert found.masks[0][:3] == [[0, 1], [0, 2], [0, 3]]
    assert found.masks[1][100] == [81, 101]
    assert found.masks[2][7] == []
    lower = np.tril(np.ones((N, N), dtype=bool))
    np.testing.assert_array_equal(written_out(found, 0, 0, (N, N)), lower)
    np.testing.assert_array_equal(written_out(found, 1, 1, (N, N)), lower & ~np.tril(lower, -20))
    np.testing.assert_array_equal(written_out(found, 4, 0, (N, N)), random.numpy())
    assert allowed_keys([layer(), layer()], causal=False) is None


def test_a_mask_of_each_head_and_one_inside_a_bias() -> None:
    each = torch.stack([torch.ones(N, N).tril() > 0, torch.ones(N, N).triu() > 0])
    found = allowed_keys([layer(mask=DenseMask(each[None]))], causal=False)
    for head in range(2):
        np.testing.assert_array_equal(written_out(found, 0, head, (N, N)), each[head].numpy())
    lowest = torch.zeros(1, 1, N, N).masked_fill(~each[0], torch.finfo(torch.float32).min)
    for bias in (DenseBias(lowest), relative_bias(lowest)):
        found = allowed_keys([layer(bias=bias)], causal=False)
        np.testing.assert_array_equal(written_out(found, 0, 1, (N, N)), each[0].numpy())


def test_given_weights_are_causal_where_their_part_is() -> None:
    given = LayerRecord(None, given_weights(torch.eye(3)[None, None]), torch.zeros(1, 1, 3, 2))
    assert allowed_keys([given], causal=False) is None
    found = allowed_keys([given], causal=True)
    assert found is not None
    assert found.masks == [[[0, 1], [0, 2], [0, 3]]]


def test_a_mask_with_too_many_runs_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    mask = DenseMask(torch.ones(N, N).tril() > 0)
    monkeypatch.setattr(module, "MAX_RUNS", N)
    assert allowed_keys([layer(mask=mask)], causal=False) is not None
    monkeypatch.setattr(module, "MAX_RUNS", N - 1)
    assert allowed_keys([layer(mask=mask)], causal=False) is None


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-mistral", "tiny-bert", "tiny-t5", "tiny-bart"])
def test_what_is_forbidden_is_what_the_model_scores_with_minus_infinity(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    text = "A small model reads a small text and says what comes next, again and again."
    analysis = analyse(loaded, AnalysisRequest(text), max_tokens=64)
    for part in analysis.parts:
        size = part.query_tokens, part.key_tokens
        for index in range(part.layers):
            for head in range(part.heads):
                scores = analysis.window(part.name, index, head, "masked_scores")
                lowest = np.finfo(np.float32).min / 2
                np.testing.assert_array_equal(written_out(part.allowed_keys, index, head, size), scores > lowest)


def test_an_edge_that_is_cut_is_masked_in_its_head_alone(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bert")
    changes = (
        CutEdges(layer=1, heads=(0,), edges=((3, 2),)),
        SetPattern(layer=0, heads=(1,), pattern="previous_token"),
    )
    analysis = analyse(loaded, AnalysisRequest("A small model reads.", interventions=changes), max_tokens=64)
    part = analysis.parts[0]
    size = part.query_tokens, part.key_tokens
    whole = np.ones(size, dtype=bool)
    cut = whole.copy()
    cut[3, 2] = False
    np.testing.assert_array_equal(written_out(part.allowed_keys, 1, 0, size), cut)
    np.testing.assert_array_equal(written_out(part.allowed_keys, 1, 1, size), whole)
    previous = np.eye(size[0], k=-1, dtype=bool)
    previous[0, 0] = True
    np.testing.assert_array_equal(written_out(part.allowed_keys, 0, 1, size), previous)
