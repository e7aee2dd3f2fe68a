"""The plane of queries and keys: no weight is changed, and the axes are those of a principal component analysis."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, SelectionError
from attention_core.pretrained.inputs.tensor_files import TensorFile
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff, SetPattern, Temperature
from attention_core.pretrained.running.tensor_analysis import analyse_tensors
from attention_core.pretrained.studies.query_key_plane import (
    align_queries_and_keys,
    blocks_of,
    evenly_spaced,
    principal_axes,
    query_key_plane,
)
from attention_core.pretrained.studies.vectors import pair_vectors

SENTENCE = "The cat sat on the mat because it was tired."
Array = np.ndarray


@pytest.fixture(scope="module")
def cat(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(SENTENCE), max_tokens=512)


@pytest.fixture(scope="module")
def long(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(SENTENCE * 12), max_tokens=512)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def width(vectors: Array) -> float:
    return float(np.sqrt(((vectors - vectors.mean(axis=0)) ** 2).sum(axis=1).mean()))


def plane_by_svd(queries: Array, keys: Array, scale: float) -> tuple[Array, Array, Array]:
    """Coordinates of queries and of keys and the shares of all axes, written out in numpy."""
    queries = queries.astype(np.float64) * scale
    keys = keys.astype(np.float64)
    factor = np.sqrt(width(keys) / width(queries))
    queries, keys = queries * factor - (queries * factor).mean(axis=0), keys / factor - (keys / factor).mean(axis=0)
    _, sizes, axes = np.linalg.svd(np.concatenate([queries, keys]), full_matrices=False)
    axes = axes[:2] * np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    return queries @ axes.T, keys @ axes.T, sizes**2 / (sizes**2).sum()


@pytest.mark.parametrize("scale", [0.25, -0.5])
def test_bringing_together_changes_no_weight(scale: float) -> None:
    queries, keys = 3 * random(7, 5) + 4, 0.1 * random(11, 5, seed=1) - 2
    both = align_queries_and_keys(queries, keys, scale)
    scores = scale * (queries @ keys.T).numpy()
    unmoved = (both.queries @ (both.keys - both.shift).T).numpy()
    np.testing.assert_allclose(unmoved, scores, rtol=1e-12)  # the factor changes no score
    added = (both.queries @ both.keys.T).numpy() - scores
    np.testing.assert_allclose(added, np.repeat((both.queries @ both.shift).numpy()[:, None], 11, axis=1), atol=1e-12)
    assert np.abs(added).max() > 1  # so that the next line says something
    np.testing.assert_allclose(softmax((both.queries @ both.keys.T).numpy()), softmax(scores), rtol=1e-11)
    np.testing.assert_allclose(both.queries.mean(dim=0), both.keys.mean(dim=0), atol=1e-12)
    assert width(both.queries.numpy()) == pytest.approx(width(both.keys.numpy()), rel=1e-12)
    assert both.factor == pytest.approx(np.sqrt(width(keys.numpy()) / (abs(scale) * width(queries.numpy()))))


def test_one_token_has_no_width() -> None:
    both = align_queries_and_keys(random(1, 3), random(1, 3, seed=1), 0.5)
    assert both.factor == 1.0
    torch.testing.assert_close(both.keys, both.queries)
    axes, shares = principal_axes(torch.zeros(2, 3, dtype=torch.float64))
    assert shares == (0.0, 0.0)
    torch.testing.assert_close(axes @ axes.T, torch.eye(2, dtype=torch.float64))


def test_axes_by_hand() -> None:
    """Along (−3, 4) / 5 with variance 25, along (4, 3) / 5 with variance 1; the larger component is positive."""
    axes, shares = principal_axes(torch.tensor([[-3.0, 4.0], [3.0, -4.0], [0.8, 0.6], [-0.8, -0.6]]).double())
    np.testing.assert_allclose(axes, [[-0.6, 0.8], [0.8, 0.6]], atol=1e-12)
    np.testing.assert_allclose(shares, [25 / 26, 1 / 26])


def test_vectors_of_one_dimension_lie_on_one_axis() -> None:
    axes, shares = principal_axes(torch.tensor([[-2.0], [2.0]]).double())
    assert (axes.tolist(), shares) == ([[1.0], [0.0]], (1.0, 0.0))


@pytest.mark.parametrize(("layer", "head"), [(0, 2), (5, 11)])
def test_the_plane_is_that_of_the_librarys_projections(
    minilm: LoadedModel, cat: Analysis, layer: int, head: int
) -> None:
    inputs, _ = tokenise(minilm, SENTENCE)
    own = minilm.model.encoder.layer[layer].attention.self
    rows = slice(head * 32, (head + 1) * 32)
    with torch.inference_mode():
        hidden = minilm.model(**inputs, output_hidden_states=True).hidden_states[layer][0]
        queries, keys = (linear(hidden)[:, rows].numpy() for linear in (own.query, own.key))
    wanted_queries, wanted_keys, shares = plane_by_svd(queries, keys, 32**-0.5)
    found = query_key_plane(cat, layer, head)
    np.testing.assert_allclose(found.queries.coordinates, wanted_queries, atol=2e-5)
    np.testing.assert_allclose(found.keys.coordinates, wanted_keys, atol=2e-5)
    np.testing.assert_allclose(found.explained, shares[:2], atol=1e-6)
    assert found.queries.indices.tolist() == found.keys.indices.tolist() == list(range(13))
    assert (found.part, found.layer, found.head, found.kv_head, found.beside) == ("encoder", layer, head, head, ())


@pytest.mark.parametrize(
    ("name", "part", "beside"),
    [
        ("tiny-llama", None, ("mask",)),
        ("tiny-gpt2", None, ("mask",)),
        ("tiny-t5", "encoder", ("bias",)),
        ("tiny-bart", "cross", ()),
    ],
)
def test_every_head_shows_the_vectors_that_are_scored(
    catalog: Catalog, name: str, part: str | None, beside: tuple[str, ...]
) -> None:
    request = AnalysisRequest("A small model reads.", target_text="A small text." if part else None)
    analysis = analyse(catalog.load(name), request, max_tokens=64)
    chosen = analysis.part(part)
    for head in range(chosen.heads):
        pairs = [pair_vectors(analysis, part, 1, head, query, 0) for query in range(chosen.query_tokens)]
        queries = np.array([pair.query_token.query for pair in pairs])
        others = [pair_vectors(analysis, part, 1, head, 0, key) for key in range(chosen.key_tokens)]
        keys = np.array([pair.key_token.key for pair in others])
        wanted_queries, wanted_keys, _ = plane_by_svd(queries, keys, pairs[0].scale)
        found = query_key_plane(analysis, 1, head, part=part)
        np.testing.assert_allclose(found.queries.coordinates, wanted_queries, atol=1e-5)
        np.testing.assert_allclose(found.keys.coordinates, wanted_keys, atol=1e-5)
        assert found.kv_head == pairs[0].kv_head
        assert found.beside == beside


def test_vectors_of_two_dimensions_are_wholly_in_the_plane() -> None:
    """What is drawn, counted from the zero vector, then gives the weights."""
    queries, keys = 2 * random(1, 2, 5, 2) + 1, random(1, 1, 7, 2, seed=1) - 3
    analysis = analyse_tensors(TensorFile({"queries": queries, "keys": keys}, scale=0.7), max_tokens=64)
    for head in range(2):
        found = query_key_plane(analysis, 0, head)
        assert sum(found.explained) == pytest.approx(1)
        assert found.kv_head == 0
        assert found.shift_length == pytest.approx(np.hypot(*found.shift))
        from_zero = [side.coordinates - np.array(found.origin) for side in (found.queries, found.keys)]
        weights = softmax(from_zero[0] @ from_zero[1].T)
        np.testing.assert_allclose(weights, softmax(0.7 * (queries[0, head] @ keys[0, 0].T).numpy()), atol=1e-9)
        np.testing.assert_allclose(weights, analysis.window(None, 0, head), atol=1e-6)


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-gpt2"])
def test_partners_are_the_largest_weights(catalog: Catalog, name: str) -> None:
    analysis = analyse(catalog.load(name), AnalysisRequest("A small model reads a text."), max_tokens=64)
    weights = analysis.window(None, 1, 3)
    found = query_key_plane(analysis, 1, 3)
    for side, lines in ((found.queries, weights), (found.keys, weights.T)):
        wanted = -np.sort(-lines, axis=1)[:, :5]
        np.testing.assert_allclose(side.partner_weights, wanted, atol=1e-6)
        np.testing.assert_allclose(np.take_along_axis(lines, side.partner_indices, axis=1), wanted, atol=1e-6)


def test_of_a_long_text_a_sample_stands_in_the_same_plane(long: Analysis) -> None:
    whole = query_key_plane(long, 2, 9)
    some = query_key_plane(long, 2, 9, max_tokens=20, query=31, key=62)
    count = len(long.tokens)
    assert whole.queries.indices.tolist() == list(range(count))
    even = set(np.linspace(0, count - 1, 20).round().astype(int).tolist())
    read = whole.queries.partner_indices[31].tolist()
    readers = whole.keys.partner_indices[62].tolist()
    assert not {31, 62} & even
    assert some.queries.indices.tolist() == sorted({*even, 31, *readers})
    assert some.keys.indices.tolist() == sorted({*even, 62, *read})
    for all_, part in ((whole.queries, some.queries), (whole.keys, some.keys)):
        np.testing.assert_array_equal(part.coordinates, all_.coordinates[part.indices])
        np.testing.assert_allclose(part.partner_weights, all_.partner_weights[part.indices], atol=1e-6)
        np.testing.assert_array_equal(part.partner_indices, all_.partner_indices[part.indices])
    assert some.explained == whole.explained
    assert some.nbytes < whole.nbytes


def test_special_tokens_can_be_left_out(minilm: LoadedModel, cat: Analysis) -> None:
    found = query_key_plane(cat, 5, 11, hide_special=True, query=0)
    plain = list(range(1, 12))  # [CLS] and [SEP] are 0 and 12
    assert found.queries.indices.tolist() == found.keys.indices.tolist() == plain
    pairs = [pair_vectors(cat, None, 5, 11, index, index) for index in plain]
    queries, keys = (
        np.array([getattr(getattr(pair, f"{role}_token"), role) for pair in pairs]) for role in ("query", "key")
    )
    np.testing.assert_allclose(found.keys.coordinates, plane_by_svd(queries, keys, 32**-0.5)[1], atol=1e-5)
    weights = cat.window(None, 5, 11)[1:12, 1:12]
    np.testing.assert_array_equal(found.queries.partner_indices[:, 0], weights.argmax(axis=1) + 1)
    nothing = analyse(minilm, AnalysisRequest("[MASK]"), max_tokens=512)
    assert len(query_key_plane(nothing, 0, 0, hide_special=True).queries.indices) == len(nothing.tokens)


def test_a_changed_head_says_so(minilm: LoadedModel, cat: Analysis) -> None:
    changes = (
        SetPattern(layer=0, heads=(1,), pattern="uniform"),
        Temperature(layer=0, heads=(2,), temperature=0.25),
        HeadOff(layer=0, heads=(3,), mode="zero"),
    )
    changed = analyse(minilm, AnalysisRequest(SENTENCE, interventions=changes), max_tokens=512)
    assert [query_key_plane(changed, 0, head).beside for head in range(4)] == [(), ("change",), (), ()]
    warm, plain = (query_key_plane(each, 0, 2) for each in (changed, cat))
    assert warm.factor == pytest.approx(plain.factor / 2)  # four times the scale, in equal shares on both sides
    np.testing.assert_allclose(warm.queries.coordinates, 2 * plain.queries.coordinates, atol=1e-5)
    np.testing.assert_allclose(warm.keys.coordinates, 2 * plain.keys.coordinates, atol=1e-5)


def test_a_sample_is_even() -> None:
    assert evenly_spaced(np.arange(10, 20), 4).tolist() == [10, 13, 16, 19]
    assert evenly_spaced(np.arange(5), 5).tolist() == [0, 1, 2, 3, 4]
    assert evenly_spaced(np.arange(3, 9), 1).tolist() == [3]


@pytest.mark.parametrize("wanted", [[0], [0, 1, 2, 11, 19, 20], list(range(5, 135)), list(range(0, 400, 7))])
def test_blocks_hold_each_index_once_and_little_else(wanted: list[int]) -> None:
    found = list(blocks_of(np.array(wanted)))
    assert [index for _, indices in found for index in indices] == wanted
    for block, indices in found:
        assert (block.start, block.stop) == (indices[0], indices[-1] + 1)
        assert block.stop - block.start <= 64
        assert np.diff(indices).max(initial=1) <= 8
    assert [block for block, _ in blocks_of(np.array([0, 1, 2, 11, 19, 20]))] == [slice(0, 3), slice(11, 21)]


@pytest.mark.parametrize(
    ("wanted", "field", "message"),
    [
        ({"layer": 6}, "layer", "layer must be from 0 to 5, not 6"),
        ({"head": -1}, "head", "head must be from 0 to 11, not -1"),
        ({"part": "cross"}, "part", "part must be one of encoder, not 'cross'"),
        ({"query": 13}, "query", "query must be from 0 to 12, not 13"),
        ({"key": 13}, "key", "key must be from 0 to 12, not 13"),
        ({"max_tokens": 0}, "max_tokens", "max_tokens must be from 1 to 4096, not 0"),
        ({"max_tokens": 4097}, "max_tokens", "max_tokens must be from 1 to 4096, not 4097"),
    ],
)
def test_out_of_range(cat: Analysis, wanted: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message) as error:
        query_key_plane(cat, **{"layer": 0, "head": 0, **wanted})
    assert error.value.field == field


def test_weights_alone_have_no_plane() -> None:
    weights = torch.softmax(random(1, 2, 5, 5), dim=-1)
    analysis = analyse_tensors(TensorFile({"weights": weights}), max_tokens=64)
    with pytest.raises(ValueError, match=r"^queries and keys are unknown: only weights were given$"):
        query_key_plane(analysis, 0, 0)


def test_nobody_waits_any_more(cat: Analysis) -> None:
    with pytest.raises(Cancelled, match="the plane of queries and keys was cancelled"):
        query_key_plane(cat, 0, 0, cancelled=lambda: True)
