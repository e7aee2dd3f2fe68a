"""The vectors behind a cell: against the library's own projections, and against the windows of every stage."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import Temperature
from attention_core.pretrained.studies.vectors import pair_vectors

SENTENCE = "The cat sat on the mat because it was tired."


@pytest.fixture(scope="module")
def cat(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(SENTENCE), max_tokens=512)


@pytest.mark.parametrize(("layer", "head", "query", "key"), [(0, 2, 8, 7), (3, 11, 12, 0), (5, 0, 1, 1)])
def test_vectors_are_the_librarys_projections(
    minilm: LoadedModel, cat: Analysis, layer: int, head: int, query: int, key: int
) -> None:
    inputs, _ = tokenise(minilm, SENTENCE)
    own = minilm.model.encoder.layer[layer].attention.self
    rows = slice(head * 32, (head + 1) * 32)
    with torch.inference_mode():
        hidden = minilm.model(**inputs, output_hidden_states=True).hidden_states[layer][0]
        queries, keys, values = (linear(hidden)[:, rows].numpy() for linear in (own.query, own.key, own.value))
    found = pair_vectors(cat, None, layer, head, query, key)
    for token in (found.query_token, found.key_token):
        np.testing.assert_allclose(token.query, queries[token.index], atol=1e-5)
        np.testing.assert_allclose(token.key, keys[token.index], atol=1e-5)
        np.testing.assert_allclose(token.value, values[token.index], atol=1e-5)
    np.testing.assert_allclose(found.products, queries[query] * keys[key], atol=1e-4)
    assert (found.query_token.index, found.key_token.index) == (query, key)
    scores = keys.astype(np.float64) @ queries[query] / np.sqrt(32)
    assert found.raw_score == pytest.approx(scores[key] * np.sqrt(32), abs=1e-4)
    assert found.masked_score == found.scaled_score == pytest.approx(scores[key], abs=1e-4)
    assert found.weight == pytest.approx(np.exp(scores[key]) / np.exp(scores).sum(), abs=1e-5)
    assert (found.scale, found.bias, found.kv_head) == (32**-0.5, 0.0, head)


@pytest.mark.full("tiny-t5-decoder")
@pytest.mark.parametrize(
    ("name", "part"), [("tiny-llama", None), ("tiny-gpt2", None), ("tiny-t5", "decoder"), ("tiny-bart", "cross")]
)
def test_numbers_are_those_of_the_windows(catalog: Catalog, name: str, part: str | None) -> None:
    request = AnalysisRequest("A small model reads.", target_text="A small text." if part else None)
    analysis = analyse(catalog.load(name), request, max_tokens=64)
    chosen = next(each for each in analysis.parts if part in {None, each.name})
    for head in range(chosen.heads):
        for query, key in [(0, 0), (1, 3), (chosen.query_tokens - 1, 2)]:
            found = pair_vectors(analysis, part, 1, head, query, key)
            assert found.products.sum() == pytest.approx(found.raw_score, abs=1e-4)
            assert found.kv_head == head // (chosen.heads // chosen.kv_heads)
            if key <= query or chosen.name == "cross":
                assert found.masked_score == pytest.approx(found.scaled_score + found.bias, abs=1e-5)
            else:
                assert found.masked_score == float("-inf")
            for stage in ("raw_scores", "scaled_scores", "masked_scores", "weights"):
                window = analysis.window(part, 1, head, stage)
                assert getattr(found, stage.removesuffix("s")) == pytest.approx(window[query, key], abs=1e-5), stage


def test_a_masked_cell(catalog: Catalog) -> None:
    analysis = analyse(catalog.load("tiny-gpt2"), AnalysisRequest("A small model reads."), max_tokens=64)
    found = pair_vectors(analysis, "decoder", 0, 3, 1, 2)
    assert (found.masked_score, found.weight) == (float("-inf"), 0.0)
    assert np.isfinite(found.scaled_score)


def test_between_two_texts_each_token_has_one_role(catalog: Catalog) -> None:
    request = AnalysisRequest("A small model reads.", target_text="A small text.")
    found = pair_vectors(analyse(catalog.load("tiny-bart"), request, max_tokens=64), "cross", 2, 1, 1, 5)
    assert found.query_token.query is not None
    assert (found.query_token.key, found.query_token.value, found.key_token.query) == (None, None, None)
    assert found.key_token.key is not None
    assert found.key_token.value is not None


@pytest.mark.parametrize(
    ("place", "field", "message"),
    [
        (("decoder", 0, 0, 0, 0), "part", "part must be one of encoder, not 'decoder'"),
        ((None, 6, 0, 0, 0), "layer", "layer must be from 0 to 5, not 6"),
        ((None, 0, -1, 0, 0), "head", "head must be from 0 to 11, not -1"),
        ((None, 0, 0, 13, 0), "query", "query must be from 0 to 12, not 13"),
        ((None, 0, 0, 0, 99), "key", "key must be from 0 to 12, not 99"),
    ],
)
def test_out_of_range(cat: Analysis, place: tuple, field: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message) as error:
        pair_vectors(cat, *place)
    assert error.value.field == field


def test_a_temperature_is_part_of_the_scale(minilm: LoadedModel, cat: Analysis) -> None:
    change = Temperature(layer=0, heads=(2,), temperature=0.5)
    changed = analyse(minilm, AnalysisRequest(SENTENCE, interventions=(change,)), max_tokens=512)
    warm, plain = (pair_vectors(each, None, 0, 2, 8, 7) for each in (changed, cat))
    assert (warm.scale, plain.scale) == (2 * 32**-0.5, 32**-0.5)
    assert warm.scaled_score == pytest.approx(warm.raw_score * warm.scale, rel=1e-6)
    assert pair_vectors(changed, None, 0, 3, 8, 7).scale == plain.scale
