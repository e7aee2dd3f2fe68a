"""Search the corpus for cells at which a head does the same: cosine similarity of query, key or output vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import torch
from jaxtyping import Float

from attention_core.atlas.reading.atlas import ONE_HEAD, Atlas
from attention_core.atlas.reading.windows import Window, read_windows
from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.vectors import pair_vectors

By = Literal["query", "key", "output", "all"]
VECTORS = {"query": "q", "key": "k", "output": "output"}
"""The column of each."""


@dataclass(frozen=True, eq=False)
class CellVectors:
    """What a head computed at one cell."""

    query: Float[np.ndarray, "size"]
    """Of the query; as it is scored: after rotary embedding and normalisation."""
    key: Float[np.ndarray, "size"]
    """Of the key."""
    output: Float[np.ndarray, "value_size"]
    """``Σ_j α_ij v_j`` at the query."""


@dataclass(frozen=True)
class SampledCell:
    """A query of the corpus whose vectors are kept, and its strongest key."""

    window: int
    query: int


@dataclass(frozen=True)
class Found:
    """A query of the corpus, and its strongest key."""

    similarity: float
    """Cosine of the angle between both vectors; for all three, the mean."""
    window: int
    query: int
    key: int
    weight: float


@dataclass(frozen=True)
class Similar:
    """The cells of the corpus that are most like one."""

    searched: int
    """Cells that were compared: a sample of the corpus."""
    found: list[Found]
    """The most similar first."""
    windows: dict[str, Window]
    """Those of the cells found, by id."""


def cell_vectors(
    analysis: Analysis, atlas: Atlas, part: str | None, layer: int, head: int, query: int, key: int
) -> CellVectors:
    """The vectors of a cell of an analysis. Raises SelectionError for one of another model, or out of range."""
    if analysis.model.id != atlas.facts.model:
        raise SelectionError(
            "analysis must be of the atlas' model, {model}, not of {other}",
            atlas.facts.model,
            analysis.model.id,
            field="analysis",
        )
    place = atlas.place(part, layer, head)
    pair = pair_vectors(analysis, place.part, layer, head, query, key)
    record = analysis.part(place.part).record.layers[layer]
    attention = record.attention.head(head)
    row, every = slice(query, query + 1), slice(0, attention.num_keys)
    with torch.inference_mode():
        weights = attention.weights(row, every, record.log_sum_exp[:, head : head + 1])[0, 0]
        output = (weights @ attention.values[0, 0].to(weights.dtype))[0].float().cpu().numpy()
    return CellVectors(_given(pair.query_token.query), _given(pair.key_token.key), output)


def _given(vector: np.ndarray | None) -> np.ndarray:
    assert vector is not None  # noqa: S101 - queries and keys of the sides that have them
    return vector


def search(
    atlas: Atlas,
    part: str | None,
    layer: int,
    head: int,
    of: CellVectors | SampledCell,
    by: By = "all",
    limit: int = 20,
) -> Similar:
    """Cells at which this head's vectors have the same direction: ``a · b / (‖a‖ ‖b‖)``.

    A cell of the sample is not found for itself. Raises SelectionError for a head or a cell that is not there.
    """
    place = atlas.place(part, layer, head)
    names = VECTORS if by == "all" else {by: VECTORS[by]}
    cells = atlas.table("vectors", ("window", "query", "key", "weight", *names.values()), ONE_HEAD, **vars(place))
    vectors = {name: _matrix(cells[column]) for name, column in names.items()}
    windows, queries = cells["window"].to_numpy(), cells["query"].to_numpy()
    itself = np.zeros(len(windows), dtype=bool)
    if isinstance(of, SampledCell):
        itself = (windows == of.window) & (queries == of.query)
        if not itself.any():
            raise SelectionError(
                "window and query must be those of a cell in the sample; there is none at {window}, {query}",
                of.window,
                of.query,
                field="query",
            )
        wanted = {name: matrix[itself.argmax()] for name, matrix in vectors.items()}
    else:
        wanted = {name: np.asarray(getattr(of, name), dtype=np.float64) for name in names}
        _check_sizes(wanted, vectors)
    similarity = np.mean([_cosines(vectors[name], wanted[name]) for name in names], axis=0)
    similarity[itself] = -np.inf
    order = np.argsort(-similarity, kind="stable")[: min(limit, int((~itself).sum()))]
    keys, weights = cells["key"].to_numpy(), cells["weight"].to_numpy()
    matches = [
        Found(float(similarity[row]), int(windows[row]), int(queries[row]), int(keys[row]), float(weights[row]))
        for row in order
    ]
    return Similar(len(windows), matches, read_windows(atlas, (each.window for each in matches)))


def _matrix(column: pa.ChunkedArray) -> Float[np.ndarray, "cells size"]:
    """Vectors of one length as the rows of a matrix."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    return flat.reshape(len(column), -1)


def _cosines(
    matrix: Float[np.ndarray, "cells size"], vector: Float[np.ndarray, " size"]
) -> Float[np.ndarray, " cells"]:
    """0 for a vector of length 0, which has no direction."""
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector)
    return np.divide(matrix @ vector, lengths, out=np.zeros(len(matrix)), where=lengths > 0)


def _check_sizes(wanted: Mapping[str, np.ndarray], vectors: Mapping[str, np.ndarray]) -> None:
    for name, vector in wanted.items():
        size = vectors[name].shape[1]
        if len(vector) != size:
            raise SelectionError(
                "analysis must be of the atlas' model: its vectors have {given} numbers, not {size}",
                len(vector),
                size,
                field="analysis",
            )
