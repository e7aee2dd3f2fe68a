"""Joint 2D projection of a head's queries and keys: near points tend to attend to each other (Yeh et al. 2023).

Queries and keys usually form separate clouds of different size. Two steps align them and change no weight
(AttentionViz, arXiv:2305.03210, section 4.2). With the scale s of the scores in the queries, c > 0 and a vector t:

- ``(c s q) · (k / c) = s q · k``: multiplying queries and dividing keys by c leaves every scaled score unchanged;
- ``q · (k + t) = q · k + q · t``: shifting all keys by the same vector adds one number to a whole row of scores, which
  softmax cancels.

Here c gives both clouds the same spread, ``rms ‖c s q − mean‖ = rms ‖k / c − mean‖``, and t moves the keys' mean to the
queries' mean. The two axes are the first two principal components of queries and keys together. Bias and mask belong
to no vector, so the plane does not show them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from attention_core.blockwise.head_edit import HeadEdit
from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.selection import check_between, check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.running.cancellation import stopping
from attention_core.refusal import InvalidValueError

MAX_TOKENS = 4096
"""Largest number of queries, and of keys, returned; all of them determine the plane."""
PARTNERS = 5
"""Keys listed for each query, and queries for each key."""

WIDEST_GAP = 8
"""Largest gap between sampled tokens that are computed in one block."""

Beside = Literal["bias", "mask", "change", "cap"]
Shown = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AlignedQueriesKeys:
    """Queries and keys aligned to a common centre; scores unchanged up to a constant per row."""

    queries: Float[Tensor, "Q D"]
    """``c s q``"""
    keys: Float[Tensor, "K D"]
    """``k / c + t``"""
    factor: float
    """c"""
    shift: Float[Tensor, " D"]
    """t"""


@dataclass(frozen=True, eq=False)
class PlanePoints:
    """The points of one side, and their partners on the other."""

    indices: Int[np.ndarray, "tokens"]
    """Ascending; all tokens, or of a long text a sample."""
    coordinates: Float[np.ndarray, "tokens 2"]
    """Relative to the centre of all points."""
    partner_indices: Int[np.ndarray, "tokens partners"]
    """Of a query the keys with its largest weights, of a key the queries with the largest weights on it; largest
    first."""
    partner_weights: Float[np.ndarray, "tokens partners"]
    """0 where there are no more to list."""


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """The projection of one head. Coordinates are relative to the common centre of queries and keys."""

    part: str
    layer: int
    head: int
    kv_head: int
    """The key head that this query head uses."""
    queries: PlanePoints
    keys: PlanePoints
    explained: tuple[float, float]
    """For each axis, its share of the variance of all queries and keys, 0…1."""
    factor: float
    """c: queries are multiplied and keys divided by it, which makes both equally wide."""
    shift: tuple[float, float]
    """t along each axis; it moves the keys' mean to that of the queries."""
    shift_length: float
    """‖t‖, in all dimensions."""
    origin: tuple[float, float]
    """The zero vector: scores are dot products from there, not from the centre."""
    beside: tuple[Beside, ...]
    """What else affects the weights and is in no vector: a bias by position, a mask, a change made to this head."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(array.nbytes for side in (self.queries, self.keys) for array in vars(side).values())


def query_key_plane(
    analysis: Analysis,
    layer: int,
    head: int,
    *,
    part: str | None = None,
    hide_special: bool = False,
    max_tokens: int = MAX_TOKENS,
    query: int | None = None,
    key: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> QueryKeyPlane:
    """The projection of one head from all tokens (without special ones, if hidden and others exist).

    Of more than ``max_tokens`` an evenly spaced sample is returned, with ``query`` and ``key`` and their partners.
    Raises SelectionError for arguments out of range, ValueError for weights uploaded without queries and keys.
    """
    chosen = analysis.part(part)
    check_index("layer", layer, chosen.layers)
    check_index("head", head, chosen.heads)
    check_between("max_tokens", max_tokens, 1, MAX_TOKENS)
    for name, index, count in (("query", query, chosen.query_tokens), ("key", key, chosen.key_tokens)):
        if index is not None:
            check_index(name, index, count)
    if "raw_scores" not in chosen.stages:
        raise InvalidValueError("queries and keys are unknown: only weights were given")
    check = stopping(cancelled, "plane of queries and keys")
    rows, cols = (_shown(analysis, chosen, side, hide_special) for side in ("query", "key"))
    with torch.inference_mode():
        return _plane(chosen, layer, head, (rows, cols), (query, key), max_tokens, check)


def _plane(
    part: Part,
    layer: int,
    head: int,
    shown: tuple[Shown, Shown],
    chosen: tuple[int | None, int | None],
    max_tokens: int,
    check: Callable[[], None],
) -> QueryKeyPlane:
    record = part.record.layers[layer]
    attention = record.attention.head(head)
    rows, cols = (np.asarray(each, dtype=np.int64) for each in shown)
    scale = attention.scale / attention.edits.get(0, HeadEdit()).temperature
    both = align_queries_and_keys(attention.queries[0, 0].cpu()[rows], attention.keys[0, 0].cpu()[cols], scale)
    centre = both.queries.mean(dim=0)
    axes, explained = principal_axes(torch.cat([both.queries, both.keys]) - centre)
    some_rows, some_cols = (evenly_spaced(each, max_tokens) for each in (rows, cols))
    for of, index, others in ((0, chosen[0], cols), (1, chosen[1], rows)):
        if index is None or index not in (rows, cols)[of]:
            continue
        partners, weights = _partners(record, head, np.array([index]), others, of, check)
        attended = partners[weights > 0]
        some_rows = np.union1d(some_rows, [index] if of == 0 else attended)
        some_cols = np.union1d(some_cols, attended if of == 0 else [index])

    def points(of: int, some: NDArray[np.int64], vectors: Tensor, all_: NDArray[np.int64]) -> PlanePoints:
        places = (vectors - centre)[np.searchsorted(all_, some)] @ axes.T
        others = (cols, rows)[of]
        return PlanePoints(some, places.numpy(), *_partners(record, head, some, others, of, check))

    return QueryKeyPlane(
        part=part.name,
        layer=layer,
        head=head,
        kv_head=part.key_heads[head],
        queries=points(0, some_rows, both.queries, rows),
        keys=points(1, some_cols, both.keys, cols),
        explained=explained,
        factor=both.factor,
        shift=_pair(axes @ both.shift),
        shift_length=float(both.shift.norm()),
        origin=_pair(-(axes @ centre)),
        beside=_beside(record, head, part),
    )


def align_queries_and_keys(
    queries: Float[Tensor, "Q D"], keys: Float[Tensor, "K D"], scale: float
) -> AlignedQueriesKeys:
    """Align to one centre and equal spread, in float64. c is 1 if either side has no spread."""
    scaled, plain = queries.double() * scale, keys.double()
    widths = [float((each - each.mean(dim=0)).square().sum(dim=-1).mean().sqrt()) for each in (scaled, plain)]
    factor = (widths[1] / widths[0]) ** 0.5 if min(widths) > 0 else 1.0
    scaled, plain = scaled * factor, plain / factor
    shift = scaled.mean(dim=0) - plain.mean(dim=0)
    return AlignedQueriesKeys(scaled, plain + shift, factor, shift)


def principal_axes(centred: Float[Tensor, "N D"]) -> tuple[Float[Tensor, "2 D"], tuple[float, float]]:
    """The first two principal axes, and each one's share of the total variance.

    The largest component of each (the first of equals) is positive, so that the result is deterministic. Axes without
    variance have share 0; the second axis of one-dimensional vectors is 0.
    """
    values, vectors = torch.linalg.eigh(centred.T @ centred)  # (D, D) for any length of text; ascending
    best = vectors.T.flip(0)[:2]
    spread = values.clamp(min=0).flip(0)
    largest = best.gather(1, best.abs().argmax(dim=1, keepdim=True))
    axes = torch.zeros(2, centred.shape[1], dtype=centred.dtype)
    axes[: len(best)] = best * largest.sign()
    total = float(spread.sum())
    shares = [float(each) / total if total > 0 else 0.0 for each in spread[:2]]
    return axes, (shares[0], shares[1] if len(shares) > 1 else 0.0)


def evenly_spaced(indices: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """All of them, or ``most`` at equal distances, including the first and (if there is room for two) the last."""
    if len(indices) <= most:
        return indices
    return indices[np.linspace(0, len(indices) - 1, most).round().astype(np.int64)]


def _shown(analysis: Analysis, part: Part, role: Literal["query", "key"], hide_special: bool) -> Shown:
    """Tokens that play this role; all of them if all are special."""
    is_query = role == "query"
    side, count = (part.query_side, part.query_tokens) if is_query else (part.key_side, part.key_tokens)
    tokens = (analysis.target_tokens or analysis.tokens) if side == "target" else analysis.tokens
    plain = [token.index for token in tokens if not token.special] if hide_special else []
    return plain or range(count)


def _partners(
    record: LayerRecord,
    head: int,
    some: NDArray[np.int64],
    others: NDArray[np.int64],
    of: int,
    check: Callable[[], None],
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Indices and weights of the strongest ``others``: of queries (``of`` 0) along rows, of keys (1) along columns."""
    attention = record.attention.head(head)
    log_sum_exp = record.log_sum_exp[:, head : head + 1]
    among = torch.as_tensor(others, device=attention.queries.device)
    count = min(PARTNERS, len(others))
    largest: list[tuple[Float[Tensor, "n P"], Int[Tensor, "n P"]]] = []
    for run, wanted in blocks_of(some):
        check()
        everything = slice(0, (attention.num_keys, attention.num_queries)[of])
        window_rows, window_cols = (run, everything) if of == 0 else (everything, run)
        weights = attention.weights(window_rows, window_cols, log_sum_exp)[0, 0]
        lines = (weights if of == 0 else weights.T)[torch.as_tensor(wanted - run.start, device=among.device)]
        best = lines[:, among].topk(count, dim=-1)
        largest.append((best.values.float(), among[best.indices]))
    values, indices = (torch.cat(each).cpu().numpy() for each in zip(*largest, strict=True))
    return indices, values


def blocks_of(indices: NDArray[np.int64]) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Group ascending indices into blocks with few gaps: a block of rows costs little more than one row."""
    for near in np.split(indices, np.flatnonzero(np.diff(indices) > WIDEST_GAP) + 1):
        for same in np.split(near, np.flatnonzero(np.diff((near - near[0]) // ROWS_PER_BLOCK)) + 1):
            yield slice(int(same[0]), int(same[-1]) + 1), same


def _beside(record: LayerRecord, head: int, part: Part) -> tuple[Beside, ...]:
    attention = record.attention
    edit = attention.edits.get(head, HeadEdit())
    changed = bool(edit.pattern or edit.rows or edit.causal or edit.cuts or edit.drops)
    masked = part.causal or any(not block.fully_visible for block in attention.blocks)
    present: dict[Beside, bool] = {
        "bias": attention.bias is not None,
        "mask": masked,
        "change": changed,
        "cap": attention.cap is not None,
    }
    return tuple(name for name, is_there in present.items() if is_there)


def _pair(vector: Float[Tensor, " 2"]) -> tuple[float, float]:
    first, second = vector.tolist()
    return first, second
