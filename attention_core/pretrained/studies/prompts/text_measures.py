"""Measures of a head in one text beyond the metrics of an analysis: what it does with repeated tokens, what it writes.

One more pass over the weights, computed for a set of prompts; a corpus has the same measures (``atlas.measures``).
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK
from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.recording.metrics import METRICS, MetricInfo
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.windows import key_norms, known_stages
from attention_core.refusal import Sentence
from attention_core.repeated_tokens import induction_keys, last_occurrence

Cells = tuple[Int[Tensor, " _"], Int[Tensor, " _"]]
"""Query and key of some cells."""

TEXT_MEASURES: dict[str, MetricInfo] = {
    "strongest_weight": MetricInfo(
        "Strongest weight",
        "The largest weight of each query, averaged: 1 when it attends to one token.",
        "Voita et al. (2019), section 4 (confidence)",
        "share",
    ),
    "induction": MetricInfo(
        "Induction",
        "Weight on the token that followed this token's last occurrence, averaged over the queries that have one and "
        "for which it is not simply the previous token.",
        "Olsson et al. (2022), prefix matching",
        "share",
        self_attention_only=True,
    ),
    "duplicate_token": MetricInfo(
        "Duplicate token",
        "Weight on this token's last occurrence, averaged over the queries that have one.",
        "Wang et al. (2022), section 3",
        "share",
        self_attention_only=True,
    ),
    "norm_weighted": MetricInfo(
        "Contribution",
        "Σ ‖α f(x)‖ over the keys of each query, averaged: how much the head writes.",
        "Kobayashi et al. (2020), section 3",
        "length",
    ),
}

PROMPT_MEASURES: dict[str, MetricInfo] = METRICS | TEXT_MEASURES
"""Every measure of a head that a single text defines, in the order in which it is shown."""

NEED_NEIGHBOURS = frozenset({"previous_token", "next_token"})
"""Measures that a text of one token does not have."""


def text_measures(
    part: PartRecord, tokens: Sequence[Token], on_block: Callable[[], None] | None = None
) -> dict[str, Float[np.ndarray, "layers heads"]]:
    """The measures of TEXT_MEASURES that this text defines, by name.

    ``tokens`` are those of the part's queries. A text without a repeated token defines neither ``induction`` nor
    ``duplicate_token``, nor does cross-attention; a record without output projections has no ``norm_weighted``.
    """
    cells = _repeated(part, tokens)
    with torch.inference_mode():
        layers = [_of_layer(layer, cells, on_block) for layer in part.layers]
    shared = [name for name in TEXT_MEASURES if all(name in layer for layer in layers)]
    return {name: torch.stack([layer[name] for layer in layers]).float().cpu().numpy() for name in shared}


def why_undefined(name: str, *, is_self_attention: bool) -> Sentence:
    """Why no prompt of a set has this measure of PROMPT_MEASURES."""
    if PROMPT_MEASURES[name].self_attention_only and not is_self_attention:
        return Sentence("compares positions of one text, and cross-attention joins two")
    if name == "duplicate_token":
        return Sentence("no prompt repeats a token")
    if name == "induction":
        return Sentence("no prompt repeats a token with two others or more in between")
    if name in NEED_NEIGHBOURS:
        return Sentence("each prompt has only one token")
    return Sentence("the output projection of this model is unknown")


def _repeated(part: PartRecord, tokens: Sequence[Token]) -> dict[str, Cells]:
    """The cells whose weights are averaged; of each kind only if there are any."""
    if part.query_side != part.key_side:
        return {}
    ids = np.array([token.id for token in tokens], dtype=np.int64)
    special = np.array([token.special for token in tokens], dtype=bool)
    keys_by_name = {"duplicate_token": last_occurrence(ids, special), "induction": induction_keys(ids, special)}
    queries = {name: np.flatnonzero(keys >= 0) for name, keys in keys_by_name.items()}
    return {
        name: (torch.from_numpy(positions), torch.from_numpy(keys_by_name[name][positions]))
        for name, positions in queries.items()
        if len(positions)
    }


def induction_cells(part: PartRecord, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Query and key of each cell that shows induction, for the tokens of the part's queries."""
    queries, keys = _repeated(part, tokens).get("induction", (torch.tensor([], dtype=torch.long),) * 2)
    return list(zip(queries.tolist(), keys.tolist(), strict=True))


def _of_layer(
    layer: LayerRecord, cells: dict[str, Cells], on_block: Callable[[], None] | None
) -> dict[str, Float[Tensor, " H"]]:
    attention = layer.attention
    heads, queries, keys = range(attention.num_heads), attention.num_queries, slice(0, attention.num_keys)
    sums = {"strongest_weight": torch.zeros(len(heads), dtype=torch.float64, device=layer.log_sum_exp.device)}
    norms = None
    if "norm_weighted" in known_stages(layer):
        norms = _stacked([key_norms(layer, head, "norm_weighted", keys) for head in heads])
    for start in range(0, queries, ROWS_PER_BLOCK):
        if on_block is not None:
            on_block()
        rows = slice(start, min(start + ROWS_PER_BLOCK, queries))
        weights = attention.weights(rows, keys, layer.log_sum_exp)[0].double()
        totals = {"strongest_weight": weights.amax(dim=-1).sum(dim=-1)}
        for name, (positions, key) in cells.items():
            here = (positions >= rows.start) & (positions < rows.stop)
            totals[name] = weights[:, (positions[here] - start).to(weights.device), key[here].to(weights.device)].sum(
                dim=-1
            )
        if norms is not None:
            totals["norm_weighted"] = torch.einsum("hqk,hk->h", weights, norms)
        for name, values in totals.items():
            sums[name] = sums[name] + values if name in sums else values
    counts = {name: len(at) for name, (at, _) in cells.items()}
    return {name: values / counts.get(name, queries) for name, values in sums.items()}


def _stacked(norms: Sequence[Float[Tensor, " K"] | None]) -> Float[Tensor, "H K"]:
    return torch.stack([each.double() for each in norms if each is not None])
