"""Traced shapes of multi-head attention against its sizes."""

import pytest
import torch
from torch import Tensor

from attention_core.multi_head import MultiHeadAttention
from attention_core.multi_head_trace import ShapeLog, ShapeStep
from attention_core.rope import Rope


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_multi_head_trace_shapes_at_every_reshape() -> None:
    """C21: d_model 512, 8 heads, input (2, 10, 512) → the same shape."""
    module = MultiHeadAttention(512, 8)
    trace = module(draw(2, 10, 512), trace=True)
    shapes = {step.name: step.shape for step in trace.shapes}
    assert shapes["input"] == shapes["output"] == shapes["queries_projected"] == shapes["concatenated"] == (2, 10, 512)
    assert shapes["queries_split"] == shapes["heads_side_by_side"] == (2, 10, 8, 64)
    for name in ("queries_by_head", "keys_by_head", "values_by_head", "head_outputs"):
        assert shapes[name] == (2, 8, 10, 64)
    assert shapes["raw_scores"] == shapes["weights"] == (2, 8, 10, 10)
    assert tuple(trace.attention.output.shape) == (2, 10, 512)
    for step in trace.shapes:
        assert len(step.axes) == len(step.shape), step


def test_multi_head_trace_shapes_of_cross_attention() -> None:
    """C21: batch 2, three queries, four keys, d_model 16, 4 heads → (2, 3, 16)."""
    trace = MultiHeadAttention(16, 4)(draw(2, 3, 16), draw(2, 4, 16, seed=1), trace=True)
    shapes = {step.name: step.shape for step in trace.shapes}
    assert shapes["output"] == (2, 3, 16)
    assert shapes["weights"] == (2, 4, 3, 4)
    assert shapes["context"] == (2, 4, 16)


def test_multi_head_trace_shapes_are_those_of_the_tensors() -> None:
    """Sizes all different, so that no two axes can be taken for each other."""
    module = MultiHeadAttention(22, 6, 2, 5, value_dim=7, context_dim=13)
    trace = module(draw(3, 11, 22), draw(3, 17, 13), trace=True)
    sizes = {"batch": 3, "query": 11, "key": 17, "d_model": 22, "context_dim": 13, "head": 6, "kv_head": 2}
    sizes |= {"head_dim": 5, "value_dim": 7, "head·head_dim": 30, "kv_head·head_dim": 10}
    sizes |= {"kv_head·value_dim": 14, "head·value_dim": 42}
    for step in trace.shapes:
        assert step.shape == tuple(sizes[axis] for axis in step.axes), step
    names = [step.name for step in trace.shapes]
    assert len(set(names)) == len(names)
    assert names[-3:] == ["heads_side_by_side", "concatenated", "output"]
    assert (names.index("keys_by_head"), names.index("keys_repeated")) == (7, 11)
    assert all(step.operation for step in trace.shapes)


def test_multi_head_trace_shape_log_hands_tensors_on() -> None:
    log, tensor = ShapeLog(), draw(2, 3)
    assert log.note("x", "drawn", "row column", tensor) is tensor
    assert log == [ShapeStep("x", "drawn", ("row", "column"), (2, 3))]
    assert log.tensors == {}
    keeping = ShapeLog(keep=True)
    keeping.note("x", "drawn", "row column", tensor)
    assert keeping.tensors["x"] is tensor


def test_multi_head_trace_keeps_every_tensor_it_names() -> None:
    module = MultiHeadAttention(12, 4, 2, 6, rope=Rope("half_split"), qk_norm="rms")
    trace = module(draw(2, 5, 12), is_causal=True, trace=True)
    assert [step.name for step in trace.shapes] == list(trace.tensors)
    for step in trace.shapes:
        assert tuple(trace.tensors[step.name].shape) == step.shape
    assert torch.equal(trace.tensors["queries_normed"], trace.attention.queries)
    assert torch.equal(trace.tensors["keys_repeated"], trace.attention.keys)
    assert torch.equal(trace.tensors["output"], trace.attention.output)


@pytest.mark.parametrize("norm_first", [False, True])
def test_multi_head_trace_names_the_steps_in_the_order_taken(norm_first: bool) -> None:
    module = MultiHeadAttention(12, 3, rope=Rope("half_split"), qk_norm="l2", qk_norm_before_rope=norm_first)
    names = [step.name for step in module(draw(1, 5, 12), trace=True).shapes]
    steps = ["normed", "turned"] if norm_first else ["turned", "normed"]
    for name in ("queries", "keys"):
        found = [step.removeprefix(f"{name}_") for step in names if step.startswith(f"{name}_")]
        assert found == ["projected", "split", "by_head", *steps]


def test_multi_head_trace_names_what_the_cache_adds() -> None:
    module = MultiHeadAttention(12, 3, 1, 5)
    cache = module.new_cache(2, 9)
    with torch.no_grad():
        module(draw(2, 4, 12), is_causal=True, cache=cache)
        trace = module(draw(2, 3, 12), is_causal=True, cache=cache, trace=True)
    shapes = {step.name: step.shape for step in trace.shapes}
    assert shapes["keys_by_head"] == (2, 1, 3, 5)
    assert shapes["cached_keys"] == shapes["cached_values"] == (2, 1, 7, 5)
    assert shapes["keys_repeated"] == (2, 3, 7, 5)
    assert shapes["weights"] == (2, 3, 3, 7)
