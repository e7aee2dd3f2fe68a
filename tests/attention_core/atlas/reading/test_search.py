"""Search by example: against cosine similarities added up number by number, and the vectors of an analysis."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from atlas_folders import MINILM, FakeAtlas, write_atlas

from attention_core.atlas.reading.atlas import Atlas, open_atlas
from attention_core.atlas.reading.search import CellVectors, SampledCell, cell_vectors, search
from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse

LAYER, HEAD = 4, 7


def cosine(first: list[float], second: list[float]) -> float:
    product = sum(one * other for one, other in zip(first, second, strict=True))
    return product / math.sqrt(sum(one * one for one in first) * sum(one * one for one in second))


def of_head(folder: Path) -> list[dict[str, Any]]:
    rows = pq.read_table(folder / "vectors.parquet").to_pylist()
    return [row for row in rows if (row["layer"], row["head"]) == (LAYER, HEAD)]


@pytest.mark.parametrize(("by", "columns"), [("query", "q"), ("key", "k"), ("output", "o"), ("all", "qko")])
def test_the_most_similar_cells_of_the_sample(folder: Path, atlas: Atlas, by: Any, columns: str) -> None:
    names = {"q": "q", "k": "k", "o": "output"}
    rows = of_head(folder)
    itself = rows[13]

    def similarity(row: dict[str, Any]) -> float:
        return sum(cosine(row[names[each]], itself[names[each]]) for each in columns) / len(columns)

    expected = sorted(
        ((similarity(row), row["window"], row["query"]) for row in rows if row is not itself), reverse=True
    )
    found = search(atlas, None, LAYER, HEAD, SampledCell(itself["window"], itself["query"]), by, limit=7)
    assert found.searched == 40
    assert [(each.window, each.query) for each in found.found] == [row[1:] for row in expected[:7]]
    assert [each.similarity for each in found.found] == pytest.approx([row[0] for row in expected[:7]], abs=1e-7)
    assert set(found.windows) == {str(each.window) for each in found.found}
    by_cell = {(row["window"], row["query"]): row for row in rows}
    for each in found.found:
        assert each.key == by_cell[each.window, each.query]["key"]


def test_all_are_found_when_more_are_asked_for(atlas: Atlas) -> None:
    assert len(search(atlas, None, LAYER, HEAD, SampledCell(0, 3), limit=200).found) == 39


def test_a_cell_outside_the_sample_is_refused(atlas: Atlas) -> None:
    with pytest.raises(SelectionError, match=r"there is none at 77, 3"):
        search(atlas, None, LAYER, HEAD, SampledCell(77, 3))


def test_vectors_of_another_size_are_refused(atlas: Atlas) -> None:
    short = np.ones(8, dtype=np.float32)
    with pytest.raises(SelectionError, match="its vectors have 8 numbers, not 32"):
        search(atlas, None, LAYER, HEAD, CellVectors(short, short, short))


def test_a_vector_without_a_direction_is_like_none(atlas: Atlas) -> None:
    nothing = np.zeros(32, dtype=np.float32)
    found = search(atlas, None, LAYER, HEAD, CellVectors(nothing, nothing, nothing), "query")
    assert {each.similarity for each in found.found} == {0.0}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    loaded = Catalog(device="cpu", hub_models=()).load(MINILM)
    return analyse(loaded, AnalysisRequest("The cat sat on the mat."), max_tokens=512)


def test_the_vectors_of_a_cell_give_its_weight_and_its_output(atlas: Atlas, analysis: Analysis) -> None:
    vectors = cell_vectors(analysis, atlas, None, LAYER, HEAD, 3, 5)
    record = analysis.parts[0].record.layers[LAYER].attention
    queries, keys, values = (each[0, HEAD].double().numpy() for each in (record.queries, record.keys, record.values))
    scores = [float(queries[3] @ key) * record.scale for key in keys]
    exponentials = [math.exp(score - max(scores)) for score in scores]
    weights = [each / sum(exponentials) for each in exponentials]
    output = sum(weight * value for weight, value in zip(weights, values, strict=True))
    np.testing.assert_allclose(vectors.query, queries[3], atol=1e-5)
    np.testing.assert_allclose(vectors.key, keys[5], atol=1e-5)
    np.testing.assert_allclose(vectors.output, output, atol=1e-5)


def test_an_analysis_by_another_model_is_refused(tmp_path: Path, analysis: Analysis) -> None:
    other = open_atlas(write_atlas(tmp_path, FakeAtlas(model="another", layers=1, heads=1, windows=1, sampled=1)))
    with pytest.raises(SelectionError, match="must be of the atlas' model, another"):
        cell_vectors(analysis, other, None, 0, 0, 0, 0)
