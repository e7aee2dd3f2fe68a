"""Reach in analysed texts: against masks' powers, naive replacements and planted leaks."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.cancellation import Cancelled
from attention_core.pretrained.running.interventions import CutEdges
from attention_core.pretrained.studies.text_reach import text_reach

SENTENCE = "A small model reads a text."


def powers(mask: np.ndarray, layers: int) -> np.ndarray:
    """What can have arrived after each layer, by a loop."""
    step = mask | np.eye(len(mask), dtype=bool)
    arrived = [step]
    for _ in range(layers - 1):
        arrived.append(np.array([[bool((row & column).any()) for column in arrived[-1].T] for row in step]))
    return np.stack(arrived)


@pytest.mark.parametrize(("name", "part"), [("tiny-gpt2", "decoder"), ("tiny-bert", "encoder")])
def test_what_reaches_is_what_may(catalog: Catalog, name: str, part: str) -> None:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    found = text_reach(loaded, analysis)
    layers, count, _ = found.change.shape
    mask = np.tri(count, dtype=bool) if part == "decoder" else np.ones((count, count), dtype=bool)
    np.testing.assert_array_equal(found.may, powers(mask, layers))
    np.testing.assert_array_equal(found.change > 0, found.may)
    np.testing.assert_array_equal(found.weights > 0, np.broadcast_to(mask, found.weights.shape))
    assert (found.part, found.exact, found.leaks, found.unused, found.attention) == (part, True, [], [], "library")


def test_a_window_widens_with_depth(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-mistral")
    window = loaded.model.config.sliding_window
    analysis = analyse(loaded, AnalysisRequest(SENTENCE * 2), max_tokens=64)
    found = text_reach(loaded, analysis)
    layers, count, _ = found.change.shape
    query, key = np.arange(count)[:, None], np.arange(count)
    for layer in range(layers):
        widest = (layer + 1) * (window - 1)
        np.testing.assert_array_equal(found.change[layer] > 0, (key <= query) & (query - key <= widest))
    assert count > window
    assert not found.leaks


@pytest.fixture
def leaking(catalog: Catalog) -> Iterator[LoadedModel]:
    """Its second feed-forward layer adds what the next position has."""
    loaded = catalog.load("tiny-gpt2")

    def next_added(_module: object, _args: object, output: Tensor) -> Tensor:
        return output + torch.cat([output[:, 1:], torch.zeros_like(output[:, :1])], 1)

    handle = loaded.model.transformer.h[1].mlp.register_forward_hook(next_added)
    yield loaded
    handle.remove()


def test_a_leak_beside_attention_is_found_with_its_layer(leaking: LoadedModel) -> None:
    analysis = analyse(leaking, AnalysisRequest(SENTENCE), max_tokens=64)
    found = text_reach(leaking, analysis)
    first = {(each.query, each.key): (each.layer, each.way) for each in found.leaks}
    count = found.change.shape[1]
    assert all(first[query, query + 1] == (1, "not through attention") for query in range(count - 1))
    assert not (found.change[0] > 0)[~found.may[0]].any()


def test_changes_of_the_analysis_apply_in_every_pass(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    cut = CutEdges(layer="all", heads="all", edges=((3, None),))
    analysis = analyse(loaded, AnalysisRequest(SENTENCE, interventions=(cut,)), max_tokens=64)
    found = text_reach(loaded, analysis)
    np.testing.assert_array_equal(np.flatnonzero(found.change[-1, 3]), [3])
    assert (found.attention, found.leaks) == ("ours", [])


@pytest.mark.full
def test_the_parts_of_an_encoder_decoder_model(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-t5")
    request = AnalysisRequest(SENTENCE, target_text="A reader.")
    analysis = analyse(loaded, request, max_tokens=64)
    for part in ("encoder", "decoder", "cross"):
        found = text_reach(loaded, analysis, part=part)
        _, queries, keys = found.change.shape
        expected = np.tri(queries, dtype=bool) if part == "decoder" else np.ones((queries, keys), dtype=bool)
        np.testing.assert_array_equal(found.change[-1] > 0, expected)
        assert not found.leaks


def test_progress_and_refusals(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    short = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    with pytest.raises(SelectionError, match="part"):
        text_reach(loaded, short, part="cross")
    told: list[tuple[int, int]] = []
    count = len(short.tokens)
    text_reach(loaded, short, report=lambda done, total: told.append((done, total)))
    assert (told[0], told[-1]) == ((0, 2 * count), (2 * count, 2 * count))
    with pytest.raises(Cancelled):
        text_reach(loaded, short, cancelled=lambda: True)
