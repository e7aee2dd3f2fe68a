"""Gemma 4 whose last layers share keys and values, as E2B and E4B: every number against the library's eager attention.

The library runs these layers for the last tokens alone where it is asked for the number of logits to keep.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from odd_models import write_odd_model

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording import model_run
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse, prepare
from attention_core.pretrained.running.batch import analyse_together
from attention_core.pretrained.studies.flow.rollout import rollout
from attention_core.pretrained.studies.output import output
from attention_core.pretrained.studies.token_reads import token_reads
from attention_core.pretrained.studies.vectors import pair_vectors

TEXT = "The cat sat on the mat because it was tired."
Decoder = Callable[[str], LoadedModel]


@pytest.fixture(scope="module")
def shared(decoder: Decoder) -> LoadedModel:
    return decoder("gemma4-shared")


@pytest.fixture(scope="module")
def analysis(shared: LoadedModel) -> Analysis:
    return analyse(shared, AnalysisRequest(TEXT, parity=True), max_tokens=64)


@pytest.fixture(scope="module")
def weights(shared: LoadedModel) -> np.ndarray:
    """(layers, heads, N, N) as the library hands them out."""
    with torch.inference_mode():
        found = eager_copy(shared.model)(**tokenise(shared, TEXT)[0], output_attentions=True).attentions
    return torch.cat(found).double().numpy()


def test_every_weight(analysis: Analysis, weights: np.ndarray) -> None:
    layers, heads, count, _ = weights.shape
    assert (layers, heads, count) == (6, 4, len(analysis.tokens))
    ours = [[analysis.window(None, layer, head) for head in range(heads)] for layer in range(layers)]
    np.testing.assert_allclose(ours, weights, atol=2e-5)
    assert analysis.parity is not None
    assert analysis.parity.within_bound


def test_thumbnails_and_metrics(analysis: Analysis, weights: np.ndarray) -> None:
    part = analysis.parts[0]
    assert np.abs(part.overview.astype(int) - np.round(weights * 255)).max() <= 1
    logs = np.log(np.where(weights > 0, weights, 1))
    np.testing.assert_allclose(part.metrics["entropy"], -(weights * logs).sum(-1).mean(-1), atol=1e-4)
    before = np.diagonal(weights, -1, axis1=2, axis2=3)
    np.testing.assert_allclose(part.metrics["previous_token"], before.mean(-1), atol=1e-4)
    distance = np.abs(np.subtract.outer(np.arange(weights.shape[2]), np.arange(weights.shape[2])))
    np.testing.assert_allclose(part.metrics["mean_distance"], (weights * distance).sum(-1).mean(-1), atol=1e-3)


def test_rollout(analysis: Analysis, weights: np.ndarray) -> None:
    expected = np.eye(weights.shape[2])
    for layer in weights.mean(axis=1):
        expected = (0.5 * layer + 0.5 * np.eye(len(expected))) @ expected
    np.testing.assert_allclose(rollout(analysis).matrix, expected, atol=1e-4)


def test_what_a_token_reads_and_its_vectors(analysis: Analysis, weights: np.ndarray) -> None:
    reads = token_reads(analysis, 3).parts[0].reads
    assert reads is not None
    expected = weights[:, :, 3].max(axis=-1)
    np.testing.assert_allclose(np.asarray(reads.weights)[:, :, 0], expected, atol=2e-5)
    for layer, size in enumerate([8, 8, 16, 8, 8, 16]):
        found = pair_vectors(analysis, None, layer, 1, 4, 2)
        assert found.query_token.query is not None
        assert found.key_token.key is not None
        assert found.query_token.query.shape == found.key_token.key.shape == (size,)


def test_the_logits_are_those_of_a_whole_pass(shared: LoadedModel, analysis: Analysis) -> None:
    inputs = tokenise(shared, TEXT)[0]
    with torch.inference_mode():
        logits = eager_copy(shared.model)(**inputs, output_hidden_states=True).logits[0]
    expected = logits.log_softmax(-1)
    assert analysis.log_probabilities is not None
    np.testing.assert_allclose(analysis.log_probabilities[0], expected[-1], atol=1e-4)
    for position in (2, len(logits) - 1):
        best = output(shared, analysis, position).candidates[0]
        assert best.probability == pytest.approx(float(expected[position].exp().max()), rel=1e-4)


def test_several_texts_in_one_pass(shared: LoadedModel, analysis: Analysis) -> None:
    texts = [prepare(shared, AnalysisRequest(text), max_tokens=64) for text in (TEXT, TEXT)]
    for found in analyse_together(texts, [lambda: False] * 2):
        assert isinstance(found, Analysis)
        np.testing.assert_array_equal(found.parts[0].overview, analysis.parts[0].overview)


def test_a_pass_that_cuts_layers_short_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried when a model is loaded is the call of an analysis: with a number of logits, rows are missing."""
    options = model_run._options

    def by_number(module: object, positions: list[int]) -> dict[str, object]:
        found = options(module, positions)
        return {**found, "logits_to_keep": 1} if "logits_to_keep" in found else found

    monkeypatch.setattr(model_run, "_options", by_number)
    write_odd_model(tmp_path, "gemma4-shared")
    with pytest.raises(ModelUnavailableError, match="positions other than the tokens"):
        Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("gemma4-shared")
