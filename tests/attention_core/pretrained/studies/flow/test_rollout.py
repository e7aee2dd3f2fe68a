"""Rollout against the plain product of the library's own weight matrices, row by row and whole."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.studies.flow import rollout as module
from attention_core.pretrained.studies.flow.rollout import rollout, rollout_by_layer

SENTENCE = "A small model reads a small text and says what comes next."


def mean_weights(loaded: LoadedModel, text: str) -> list[np.ndarray]:
    """The library's own, of each layer."""
    inputs, _ = tokenise(loaded, text)
    with torch.inference_mode():
        attentions = eager_copy(loaded.model)(**inputs, output_attentions=True).attentions
    return [weights[0].double().mean(dim=0).numpy() for weights in attentions]


def product(loaded: LoadedModel, text: str, layers: int) -> np.ndarray:
    expected = np.eye(len(mean_weights(loaded, text)[0]))
    for weights in mean_weights(loaded, text)[:layers]:
        expected = (0.5 * weights + 0.5 * np.eye(len(expected))) @ expected
    return expected


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-gpt2", "tiny-mistral", "tiny-llama"])
@pytest.mark.parametrize("layer", [0, 1, None])
def test_whole_and_by_row(catalog: Catalog, name: str, layer: int | None) -> None:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    expected = product(loaded, SENTENCE, 2 if layer is None else layer + 1)
    whole = rollout(analysis, layer=layer)
    assert (whole.layer, whole.query, whole.part) == (1 if layer is None else layer, None, loaded.entry.kind)
    np.testing.assert_allclose(whole.matrix, expected, atol=1e-6)
    for query in (0, 3, len(expected) - 1):
        row = rollout(analysis, layer=layer, query=query)
        assert (row.query, row.matrix.shape) == (query, (1, len(expected)))
        np.testing.assert_allclose(row.matrix[0], expected[query], atol=1e-6)


@pytest.mark.full
def test_a_text_of_several_blocks(minilm: LoadedModel) -> None:
    text = " ".join(("the cat sat on the mat because it was tired " * 20).split()[:148])
    analysis = analyse(minilm, AnalysisRequest(text), max_tokens=512)
    expected = product(minilm, text, 6)
    assert expected.shape == (150, 150)
    np.testing.assert_allclose(rollout(analysis).matrix, expected, atol=1e-6)
    np.testing.assert_allclose(rollout(analysis, query=149).matrix[0], expected[149], atol=1e-6)


@pytest.mark.full("tiny-bert")
@pytest.mark.parametrize("name", ["tiny-bert", "tiny-gpt2", "tiny-mistral", "tiny-llama"])
def test_one_query_after_every_layer(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    weights = mean_weights(loaded, SENTENCE)
    for query in (0, 3, len(weights[0]) - 1):
        found = rollout_by_layer(analysis, query)
        assert (found.part, found.query) == (loaded.entry.kind, query)
        assert found.nbytes == 2 * 2 * len(weights[0]) * 4
        np.testing.assert_allclose(found.mean_weights, [each[query] for each in weights], atol=1e-6)
        expected = [product(loaded, SENTENCE, layers)[query] for layers in (1, 2)]
        np.testing.assert_allclose(found.rollout, expected, atol=1e-6)


@pytest.mark.full
def test_every_layer_of_a_text_of_several_blocks(minilm: LoadedModel) -> None:
    text = " ".join(("the cat sat on the mat because it was tired " * 20).split()[:148])
    found = rollout_by_layer(analyse(minilm, AnalysisRequest(text), max_tokens=512), 77)
    expected = [product(minilm, text, layers)[77] for layers in range(1, 7)]
    np.testing.assert_allclose(found.rollout, expected, atol=1e-6)
    np.testing.assert_allclose(found.mean_weights, [each[77] for each in mean_weights(minilm, text)], atol=1e-6)


@pytest.fixture(scope="module")
def analysis(catalog: Catalog) -> Analysis:
    return analyse(catalog.load("tiny-bart"), AnalysisRequest(SENTENCE), max_tokens=64)


def test_only_one_row_of_a_long_text(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SQUARE_TOKENS", 8)
    with pytest.raises(WindowTooLargeError, match=r"the rollout of all \d+ tokens is larger than that of 8") as error:
        rollout(analysis)
    assert (error.value.field, error.value.limit) == ("query", 8)
    assert rollout(analysis, query=2).matrix.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("asked", "field", "message"),
    [
        ({"part": "cross"}, "part", "part must be one whose queries and keys are the same tokens; cross is not"),
        ({"layer": 2}, "layer", "layer must be from 0 to 1, not 2"),
        ({"query": -1}, "query", r"query must be from 0 to \d+, not -1"),
    ],
)
def test_out_of_range(analysis: Analysis, asked: dict, field: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message) as error:
        rollout(analysis, **asked)
    assert error.value.field == field


def test_every_layer_has_the_same_limits(analysis: Analysis) -> None:
    with pytest.raises(SelectionError, match="part must be one whose queries and keys are the same tokens"):
        rollout_by_layer(analysis, 0, part="cross")
    with pytest.raises(SelectionError, match=r"query must be from 0 to \d+, not 99") as error:
        rollout_by_layer(analysis, 99)
    assert error.value.field == "query"
    with pytest.raises(Cancelled, match="the rollout was cancelled"):
        rollout_by_layer(analysis, 1, cancelled=lambda: True)


@pytest.mark.parametrize("query", [None, 1])
def test_it_stops_when_told(analysis: Analysis, query: int | None) -> None:
    with pytest.raises(Cancelled, match="the rollout was cancelled"):
        rollout(analysis, query=query, cancelled=lambda: True)
