"""Reach of packed documents, behind padding and in cached steps: against masks' powers, and with planted faults."""

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import CutEdges
from attention_core.pretrained.studies.reach_cases import ReachCase
from attention_core.pretrained.studies.text_reach import TextReach, text_reach

SENTENCE = "A small model reads a text."


def found_in(catalog: Catalog, name: str, case: ReachCase, start: int | None = None) -> TextReach:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    return text_reach(loaded, analysis, case=case, start=start)


def widening(count: int, layers: int, window: int) -> np.ndarray:
    """(layers, N, N) What causal windows of so many keys let through after each layer."""
    query, key = np.arange(count)[:, None], np.arange(count)
    farthest = (window - 1) * np.arange(1, layers + 1)[:, None, None]
    return (key <= query) & (query - key <= farthest)


def windows(catalog: Catalog, name: str, count: int) -> int:
    return getattr(catalog.load(name).model.config, "sliding_window", None) or count


@pytest.mark.parametrize("name", ["tiny-gpt2", pytest.param("tiny-mistral", marks=pytest.mark.full)])
@pytest.mark.parametrize("start", [None, 3])
def test_packed_documents_do_not_reach_each_other(catalog: Catalog, name: str, start: int | None) -> None:
    found = found_in(catalog, name, "packed", start)
    layers, count, _ = found.change.shape
    second = np.arange(count) >= (begins := count // 2 if start is None else start)
    expected = widening(count, layers, windows(catalog, name, count)) & (second[:, None] == second)
    np.testing.assert_array_equal(found.change > 0, expected)
    np.testing.assert_array_equal(found.may, expected)
    np.testing.assert_array_equal(found.weights[0] > 0, expected[0])
    assert (found.case, found.start, found.leaks, found.unused, found.deviation) == ("packed", begins, [], [], None)


@pytest.mark.parametrize(("name", "is_causal"), [("tiny-gpt2", True), ("tiny-bert", False)])
def test_padding_reaches_nothing_and_is_not_asked_about(catalog: Catalog, name: str, is_causal: bool) -> None:
    found = found_in(catalog, name, "padded")
    layers, count, _ = found.change.shape
    real = np.arange(count) >= min(4, count // 2)
    one = (np.tri(count, dtype=bool) if is_causal else np.ones((count, count), dtype=bool)) & real & real[:, None]
    np.testing.assert_array_equal(found.change > 0, np.broadcast_to(one, found.change.shape))
    np.testing.assert_array_equal(found.may, np.broadcast_to(one, found.may.shape))
    assert (found.start, found.leaks, found.unused, layers) == (count // 2, [], [], len(found.weights))


@pytest.mark.parametrize("name", ["tiny-gpt2", pytest.param("tiny-mistral", marks=pytest.mark.full)])
def test_cached_steps_see_what_one_pass_sees(catalog: Catalog, name: str) -> None:
    found, plain = found_in(catalog, name, "cached"), found_in(catalog, name, "plain")
    np.testing.assert_array_equal(found.change > 0, plain.change > 0)
    np.testing.assert_array_equal(found.may, plain.may)
    np.testing.assert_allclose(found.weights, plain.weights, atol=1e-6)
    assert (found.start, found.leaks, found.unused, found.deviation) == (None, [], [], None)


def test_documents_that_are_not_told_apart_leak_and_deviate(catalog: Catalog) -> None:
    """A model that drops the positions it is given, as some of the library's do."""
    loaded = catalog.load("tiny-gpt2")

    def without(_module: object, args: tuple[object, ...], given: dict[str, object]) -> object:
        return args, {**given, "position_ids": None}

    handle = loaded.model.transformer.register_forward_pre_hook(without, with_kwargs=True)
    try:
        analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
        found = text_reach(loaded, analysis, case="packed", start=3)
    finally:
        handle.remove()
    count = found.change.shape[1]
    crossing = {(query, key) for query in range(3, count) for key in range(3)}
    assert {(each.query, each.key) for each in found.leaks} == crossing
    assert {(each.layer, each.way) for each in found.leaks} == {(0, "attention")}
    assert found.deviation is not None
    assert (found.deviation.layer, found.deviation.position) == (None, 3)  # its embedding is that of position 3


def test_a_cached_step_that_differs_is_named_with_its_layer(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")

    def off_in_steps(_module: object, _args: object, output: Tensor) -> Tensor:
        return output + 0.5 * torch.linspace(-1, 1, output.shape[-1]) if output.shape[1] == 1 else output

    handle = loaded.model.transformer.h[1].mlp.register_forward_hook(off_in_steps)
    try:
        analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
        found = text_reach(loaded, analysis, case="cached")
    finally:
        handle.remove()
    assert found.deviation is not None
    assert (found.deviation.layer, found.deviation.position) == (1, 0)
    assert found.deviation.difference > 0.01
    assert not found.leaks


@pytest.mark.parametrize(
    ("name", "case", "start", "message"),
    [
        ("tiny-gpt2", "packed", 0, r"start must be from 1 to \d+, .* not 0"),
        ("tiny-gpt2", "padded", 99, r"start must be from 1 to \d+, .* not 99"),
        ("tiny-gpt2", "cached", 3, "start is of packed and padded texts, not of cached"),
        ("tiny-bert", "packed", None, "packed documents need a causal model"),
        ("tiny-bert", "cached", None, "cached steps need a causal model"),
        ("tiny-t5", "padded", None, "of a model of one part"),
    ],
)
def test_what_a_model_or_text_has_not_is_refused(
    catalog: Catalog, name: str, case: ReachCase, start: int | None, message: str
) -> None:
    with pytest.raises(SelectionError, match=message) as caught:
        found_in(catalog, name, case, start)
    assert caught.value.field == ("start" if "start" in message else "case")


def test_changes_are_measured_in_the_text_as_it_was_analysed(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    cut = CutEdges(layer="all", heads="all", edges=((3, None),))
    analysis = analyse(loaded, AnalysisRequest(SENTENCE, interventions=(cut,)), max_tokens=64)
    with pytest.raises(SelectionError, match="without changes"):
        text_reach(loaded, analysis, case="cached")
