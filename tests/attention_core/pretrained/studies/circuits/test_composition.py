"""Composition scores against whole width × width matrices, and in a decoder that has induction heads."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, NoCircuitsError, SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.studies.circuits import composition as module
from attention_core.pretrained.studies.circuits.circuit_weights import decoder_of
from attention_core.pretrained.studies.circuits.circuits import head_circuits
from attention_core.pretrained.studies.circuits.composition import COMPOSING, Composition, composition
from attention_core.pretrained.studies.circuits.induction import head_scores

DECODER = "observatory-gpt2-mini"


@pytest.fixture(scope="module")
def mini() -> LoadedModel:
    return Catalog(device="cpu").load(DECODER)


@pytest.fixture(scope="module")
def found(mini: LoadedModel) -> Composition:
    return composition(mini, limit=5)


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-gpt-neox"])
def test_against_whole_matrices(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    decoder = decoder_of(loaded)
    layers = [decoder.layer(layer) for layer in range(2)]

    def whole(layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
        weights = layers[layer]
        qk = weights.query[head] @ weights.key[head].T
        return qk.double().numpy(), (weights.value[head] @ weights.output[head]).double().numpy()

    scores = composition(loaded)
    norm = np.linalg.norm
    for head in range(4):
        _, writing = whole(0, head)
        for reading in range(4):
            qk, ov = whole(1, reading)
            expected = [
                norm(writing @ qk) / norm(writing) / norm(qk),
                norm(writing @ qk.T) / norm(writing) / norm(qk),
                norm(writing @ ov) / norm(writing) / norm(ov),
            ]
            mine = [getattr(scores, by)[head, 4 + reading] for by in COMPOSING]
            np.testing.assert_allclose(mine, expected, rtol=1e-5)
    later = np.arange(8)[:, None] // 4 < np.arange(8) // 4
    assert all((getattr(scores, by)[~later] == 0).all() for by in COMPOSING)


def test_random_matrices_score_one_over_the_root_of_the_width(catalog: Catalog, found: Composition) -> None:
    """E ‖AB‖² = ‖A‖² ‖B‖² / D where the rows of A point anywhere, whatever the rank."""
    assert found.random_mean == pytest.approx(192**-0.5, rel=0.02)
    assert 0 < found.random_deviation < 0.1 * found.random_mean
    assert composition(catalog.load("tiny-gpt2")).random_mean == pytest.approx(32**-0.5, rel=0.05)


def test_induction_heads_read_previous_token_heads_by_their_keys(mini: LoadedModel, found: Composition) -> None:
    scores = head_scores(mini, sequences=1).parts[0].scores
    first = int(scores["previous_token_random"][0].argmax())
    induction = sorted(np.argsort(-scores["induction"][1])[:2].tolist())
    assert induction == [0, 1]
    assert scores["previous_token_random"][0, first] > 0.9
    for head in induction:
        column = found.key[:6, 6 + head]
        assert int(column.argmax()) == first
        assert column[first] > 3 * found.random_mean
    strongest = [(pair.by, pair.layer, pair.head, pair.reading_layer) for pair in found.strongest if pair.by == "key"]
    assert strongest[:2] == [("key", 0, first, 1)] * 2
    assert {pair.reading_head for pair in found.strongest if pair.by == "key"} >= set(induction)


def test_strongest_pairs(found: Composition) -> None:
    assert [pair.by for pair in found.strongest] == [by for by in COMPOSING for _ in range(5)]
    for by in COMPOSING:
        pairs = [pair for pair in found.strongest if pair.by == by]
        matrix = getattr(found, by)
        assert [pair.score for pair in pairs] == pytest.approx(sorted(matrix.ravel())[::-1][:5])
        for pair in pairs:
            at = (pair.layer * 6 + pair.head, pair.reading_layer * 6 + pair.reading_head)
            assert pair.score == pytest.approx(matrix[at])


@pytest.mark.full
def test_copying_scores_of_all_heads_are_those_of_each(mini: LoadedModel, found: Composition) -> None:
    for layer, head in ((0, 1), (1, 1), (3, 2), (5, 5)):
        assert found.copying[layer, head] == pytest.approx(head_circuits(mini, layer, head).copying_score, abs=1e-4)
    assert found.copying[1, :2].min() > 0.9


def test_what_is_refused(catalog: Catalog, minilm: LoadedModel, monkeypatch: Any) -> None:
    with pytest.raises(NoCircuitsError, match="MiniLM-L6-v2 is none") as error:
        composition(minilm)
    assert error.value.field == "model"
    tiny = catalog.load("tiny-gpt2")
    with pytest.raises(SelectionError, match="limit must be from 1 to 200, not 0"):
        composition(tiny, limit=0)
    with pytest.raises(Cancelled):
        composition(tiny, cancelled=lambda: True)
    monkeypatch.setattr(module, "MAX_MULTIPLICATIONS", 400_000)
    with pytest.raises(NoCircuitsError, match=r"take 5e\+05 multiplications; at most 400000") as refused:
        composition(tiny)
    assert refused.value.limit == 400_000


def test_matrices_of_zeros_compose_with_nothing() -> None:
    assert module._ratios(torch.zeros(2, 3, 5), torch.ones(1, 5, 3)).tolist() == [[0.0], [0.0]]
