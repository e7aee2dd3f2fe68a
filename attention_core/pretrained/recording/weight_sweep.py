"""One pass over all weights of a part that computes overview and metrics together."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.pretrained.recording.metrics import HeadMetrics
from attention_core.pretrained.recording.overview import Overview, overview_tiles
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.pooled_scores import PooledScores, pool_scores
from attention_core.pretrained.recording.specificity import key_totals


@dataclass(frozen=True, eq=False)
class WeightSweep:
    """Overview and metrics of every head of one part, and the time each took."""

    overview: np.ndarray
    metrics: dict[str, np.ndarray]
    pooled_scores: PooledScores | None
    key_totals: np.ndarray | None
    overview_ms: float
    metrics_ms: float


def sweep_weights(part: PartRecord, separators: Sequence[int], on_block: Callable[[], None]) -> WeightSweep:
    """Sweep the first text of the batch. ``separators`` are key positions; ``on_block`` may raise to stop.

    The time of the overview includes recomputing the weights and pooling the scores of a long text.
    """
    first = part.layers[0].attention
    overview = Overview(len(part.layers), first.num_heads, first.num_queries, first.num_keys)
    metrics = HeadMetrics(
        len(part.layers),
        first.num_heads,
        first.num_queries,
        is_self_attention=part.query_side == part.key_side,
        separators=separators,
        device=first.queries.device,
    )
    metrics_ms = 0.0
    start = time.perf_counter()
    blocks = overview_tiles([layer.attention for layer in part.layers], overview)
    for index, layer in enumerate(part.layers):
        rough = layer.attention.may_be_rough(layer.log_sum_exp)
        for block in blocks[index]:
            on_block()
            log_weights = layer.attention.log_weights(
                block.rows, block.cols, layer.log_sum_exp, fully_visible=block.fully_visible, rough=rough
            )[0]
            weights = log_weights.exp()
            overview.add(index, block, weights)
            before_metrics = time.perf_counter()
            metrics.add(index, block, weights, log_weights)
            metrics_ms += (time.perf_counter() - before_metrics) * 1000.0
    scores, totals = pool_scores(part, on_block), key_totals(part)
    total_ms = (time.perf_counter() - start) * 1000.0
    return WeightSweep(overview.picture, metrics.result(), scores, totals, total_ms - metrics_ms, metrics_ms)
