"""Two analyses against each other: whole matrices subtracted and pooled by loops."""

import itertools
import math

import numpy as np
import pytest

from attention_core.pretrained.errors import Cancelled, NotComparableError, SelectionError, WindowTooLargeError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import CutEdges, HeadOff, Intervention, SetPattern, Temperature
from attention_core.pretrained.studies.differences.difference import (
    comparable_parts,
    difference_window,
    summarise,
)

WORDS = ["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired"]
TEXT = " ".join(WORDS[i % 10] for i in range(147))
CHANGES: tuple[Intervention, ...] = (
    HeadOff(layer=0, heads=(3,)),
    Temperature(layer=2, heads=(1,), temperature=0.3),
    SetPattern(layer=2, heads=(2,), pattern="causal"),
    CutEdges(layer=3, heads=(5,), edges=((None, 4), (70, 71))),
)


@pytest.fixture(scope="module")
def before(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(TEXT), max_tokens=512)


@pytest.fixture(scope="module")
def after(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(TEXT, interventions=CHANGES), max_tokens=512)


def subtracted(first: Analysis, second: Analysis, layer: int, head: int, stage: str) -> np.ndarray:
    one, other = (each.window(None, layer, head, stage).astype(np.float64) for each in (first, second))
    masked = np.isinf(one) | np.isinf(other)
    return np.where(masked, -np.inf, np.where(masked, 0, other) - np.where(masked, 0, one))


def pooled(matrix: np.ndarray, cell: int, pooling: str) -> np.ndarray:
    height, width = (-(-size // cell) for size in matrix.shape)
    cells = np.full((height, width), -np.inf)
    for i, j in itertools.product(range(height), range(width)):
        seen = [x for x in matrix[i * cell : (i + 1) * cell, j * cell : (j + 1) * cell].flat if x > -math.inf]
        if seen:
            cells[i, j] = max(seen, key=abs) if pooling == "max" else sum(seen) / len(seen)
    return cells


STAGES = ["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("layer", "head"), [(0, 3), (2, 1), (2, 2), (3, 5), (5, 11)])
def test_every_stage(before: Analysis, after: Analysis, stage: str, layer: int, head: int) -> None:
    expected = subtracted(before, after, layer, head, stage)
    found = difference_window(before, after, None, layer, head, stage)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5)
    assert np.abs(found[np.isfinite(found)]).max() > (1e-2 if layer and stage != "raw_scores" else -1)
    window = difference_window(before, after, "encoder", layer, head, stage, (60, 149), (3, 80))
    np.testing.assert_allclose(window, expected[60:149, 3:80], atol=1e-5, rtol=1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("pooling", ["max", "mean"])
@pytest.mark.parametrize("max_size", [1, 20, 64, 149])
def test_pooled(before: Analysis, after: Analysis, stage: str, pooling: str, max_size: int) -> None:
    """The head made causal has masked cells; a single cell holds all; the sign of the largest is kept."""
    cell = math.ceil(149 / max_size)
    expected = pooled(subtracted(before, after, 2, 2, stage), cell, pooling)
    found = difference_window(before, after, None, 2, 2, stage, max_size=max_size, pooling=pooling)
    close = np.isclose(found, expected, atol=1e-5, rtol=1e-4)
    tied = np.isclose(np.abs(found), np.abs(expected), atol=1e-5, rtol=1e-4)
    assert (close | tied).all()
    assert close.mean() > 0.99


@pytest.mark.parametrize("pooling", ["max", "mean"])
@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-mistral"])
def test_under_a_causal_mask(catalog: Catalog, name: str, pooling: str) -> None:
    loaded = catalog.load(name)
    text = "Whoever reads this sentence twice has read it once more than needed."
    change = CutEdges(layer=0, heads=(1,), edges=((9, 8), (None, 0)))
    first = analyse(loaded, AnalysisRequest(text), max_tokens=64)
    second = analyse(loaded, AnalysisRequest(text, interventions=(change,)), max_tokens=64)
    for stage in ("masked_scores", "weights"):
        expected = pooled(subtracted(first, second, 0, 1, stage), 3, pooling)
        size = math.ceil(first.parts[0].query_tokens / 3)
        found = difference_window(first, second, None, 0, 1, stage, max_size=size, pooling=pooling)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_largest_change_of_each_head(before: Analysis, after: Analysis) -> None:
    summary = summarise(before, after, None)
    expected = [
        [np.abs(subtracted(before, after, layer, head, "weights")).max() for head in range(12)] for layer in range(6)
    ]
    np.testing.assert_allclose(summary.largest, expected, atol=1e-6)
    assert (summary.part, summary.predictions) == ("encoder", [])
    assert summary.largest[0].max() == 0 < summary.largest[1].min()
    assert summary.largest[3, 5] > 0.05
    assert summarise(before, before, None).largest.max() == 0


def test_two_heads_of_one_analysis(before: Analysis) -> None:
    expected = before.window(None, 2, 7) - before.window(None, 5, 1)
    np.testing.assert_allclose(difference_window(before, before, None, 5, 1, other_head=(2, 7)), expected, atol=1e-6)
    pooled = difference_window(before, before, None, 5, 1, other_head=(2, 7), max_size=1, pooling="mean")
    assert pooled.item() == pytest.approx(expected.mean(), abs=1e-7)
    with pytest.raises(SelectionError, match="other_head must be from 0 to 11, not 12"):
        difference_window(before, before, None, 5, 1, other_head=(2, 12))


def test_what_cannot_be_compared(catalog: Catalog, before: Analysis, minilm: LoadedModel) -> None:
    shorter = analyse(minilm, AnalysisRequest("A cat."), max_tokens=512)
    with pytest.raises(NotComparableError, match="cell by cell: 149 and 5 query tokens") as raised:
        difference_window(before, shorter, None, 0, 0)
    assert raised.value.field == "other"
    decoder = analyse(catalog.load("tiny-gpt2"), AnalysisRequest("A cat."), max_tokens=64)
    with pytest.raises(NotComparableError, match="no part encoder, only decoder"):
        summarise(before, decoder, None)
    text = " ".join(["cat"] * 3)
    small = analyse(catalog.load("tiny-distilbert"), AnalysisRequest(text), max_tokens=48)
    large = analyse(minilm, AnalysisRequest(text), max_tokens=512)
    assert comparable_parts(small, large, None, whole=False)[0].query_tokens == 5
    assert difference_window(small, large, None, 1, 3).shape == (5, 5)
    with pytest.raises(NotComparableError, match="2 and 6 layers"):
        summarise(small, large, None)


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ({"part": "cross"}, "part", "part must be one of encoder, not 'cross'"),
        ({"layer": 6}, "layer", "layer must be from 0 to 5, not 6"),
        ({"head": -1}, "head", "head must be from 0 to 11, not -1"),
        ({"stage": "logits"}, "stage", "stage must be one of raw_scores, .*, not 'logits'"),
        ({"rows": (5, 5)}, "rows", "rows must be a:b with 0 ≤ a < b ≤ 149, not 5:5"),
        ({"cols": (0, 150)}, "cols", "cols must be a:b with 0 ≤ a < b ≤ 149, not 0:150"),
    ],
)
def test_what_is_not_there(
    before: Analysis, after: Analysis, query: dict[str, object], field: str, message: str
) -> None:
    with pytest.raises(SelectionError, match=message) as raised:
        difference_window(before, after, **{"part": None, "layer": 0, "head": 0, **query})
    assert raised.value.field == field


def test_bounds(before: Analysis, after: Analysis) -> None:
    with pytest.raises(WindowTooLargeError, match="149 × 149 cells is larger than 100"):
        difference_window(before, after, None, 0, 0, max_cells=100)
    assert difference_window(before, after, None, 0, 0, max_size=10, max_cells=100).shape == (10, 10)
    with pytest.raises(Cancelled):
        summarise(before, after, None, lambda: True)
