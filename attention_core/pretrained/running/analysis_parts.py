"""The parts of an analysis: encoder, decoder and cross-attention, with what one sweep over their weights finds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.allowed_keys import AllowedKeys, allowed_keys, allowed_window
from attention_core.pretrained.recording.parts import PartRecord, score_cap, sink_shares, without_modules
from attention_core.pretrained.recording.pooled_scores import PooledScores
from attention_core.pretrained.recording.weight_sweep import sweep_weights
from attention_core.pretrained.recording.windows import known_stages


@dataclass(frozen=True, eq=False)
class Part:
    """One kind of attention in a model: encoder, decoder, or the cross-attention between them."""

    record: PartRecord = field(repr=False)
    overview: np.ndarray
    """(L, H, cells down, cells across) uint8: the largest weight in each cell, 0…255 for 0…1."""
    metrics: dict[str, np.ndarray]
    """By metric name, (L, H) float32."""
    causal: bool
    """Whether no query attends to a later key."""
    key_heads: tuple[int, ...]
    """For each query head, the key/value head it uses."""
    pooled_scores: PooledScores | None = field(default=None, repr=False)
    """For a long text: cached scores, whose windows take longest to compute."""
    sink_shares: np.ndarray | None = None
    """(L, H) float32: what a learned sink takes of each head's rows on average; None without sinks."""
    key_totals: np.ndarray | None = None
    """(L, H, 2, K) float32: for each key the sum and the number of the weights that ``specificity`` counts.

    None for a text that is longer than a thumbnail.
    """

    @property
    def name(self) -> str:
        """``encoder``, ``decoder`` or ``cross``."""
        return self.record.name

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.record.layers)

    @property
    def heads(self) -> int:
        """Query heads in each layer."""
        return self.record.layers[0].attention.num_heads

    @property
    def kv_heads(self) -> int:
        """Key/value heads in each layer."""
        return max(self.key_heads) + 1

    @property
    def stages(self) -> tuple[str, ...]:
        """The available Q × K stages; all of them if a model was run."""
        return known_stages(self.record.layers[0])

    @property
    def score_cap(self) -> float | None:
        """The largest scaled score that this part's softmax can get; None if scores are not capped."""
        return score_cap(self.record)

    @cached_property
    def allowed_keys(self) -> AllowedKeys | None:
        """Which keys each query may attend to; None where nothing is masked."""
        with torch.inference_mode():
            return allowed_keys(self.record.layers, causal=self.causal)

    def allowed_window(self, layer: int, rows: slice, cols: slice) -> Bool[Tensor, "H rows cols"]:
        """Which of these keys these queries may attend to, in every head of a layer."""
        return allowed_window(self.record.layers[layer].attention, rows, cols, causal=self.causal)

    @property
    def query_side(self) -> str:
        """The side of the row tokens: ``source`` or ``target``."""
        return self.record.query_side

    @property
    def key_side(self) -> str:
        """The side of the column tokens."""
        return self.record.key_side

    @property
    def query_tokens(self) -> int:
        """Number of rows."""
        return self.record.layers[0].attention.num_queries

    @property
    def key_tokens(self) -> int:
        """Number of columns."""
        return self.record.layers[0].attention.num_keys


def sweep_parts(
    records: list[PartRecord], tokens: list[Token], loaded: LoadedModel, check: Callable[[], None]
) -> tuple[list[Part], float, float]:
    """Overview and metrics of every part, and the milliseconds of each."""
    separator_ids = {loaded.tokenizer.sep_token_id, loaded.tokenizer.eos_token_id} - {None}
    parts, overview_ms, metrics_ms = [], 0.0, 0.0
    for part in records:
        separators = [token.index for token in tokens if token.id in separator_ids] if part.key_side == "source" else []
        swept = sweep_weights(part, separators, check)
        seen = next(shape for shape in loaded.parts if shape.name == part.name)
        causal = part.name == "decoder" if seen.causal is None else seen.causal
        plain, measures = without_modules(part), (swept.pooled_scores, sink_shares(part), swept.key_totals)
        parts.append(Part(plain, swept.overview, swept.metrics, causal, seen.key_heads, *measures))
        overview_ms += swept.overview_ms
        metrics_ms += swept.metrics_ms
    return parts, overview_ms, metrics_ms
