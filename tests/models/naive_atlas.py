"""What a scan measures, from the library's eager attention, one window and one query after another."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from attention_core.atlas.texts.windows import Window
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import eager_copy


@dataclass
class NaiveHead:
    """One head over all windows."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    offset_weights: Counter[int] = field(default_factory=Counter)
    offset_strongest: Counter[int] = field(default_factory=Counter)
    strongest: list[tuple[float, int, int, int]] = field(default_factory=list)
    """(weight, window, query, key) of each query."""
    without_sinks: list[tuple[float, int, int, int]] = field(default_factory=list)
    forced: list[set[tuple[int, int]]] = field(default_factory=lambda: [set(), set()])
    """(window, query) of queries that no head of the layer lets attend to a second key, of all and of no sinks."""
    rows: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)


def eager_weights(loaded: LoadedModel, window: Window) -> np.ndarray:
    """(layers, heads, N, N) float64; the tokens are those of an analysis of the window's text."""
    inputs, tokens = tokenise(loaded, window.text)
    assert [token.id for token in tokens] == window.tokens.ids.tolist()
    assert [token.special for token in tokens] == window.tokens.special.tolist()
    spans = [(-1 if token.start is None else token.start, -1 if token.end is None else token.end) for token in tokens]
    assert spans == list(zip(window.tokens.starts.tolist(), window.tokens.ends.tolist(), strict=True))
    model: Any = eager_copy(loaded.model)
    inner = model.get_encoder() if loaded.entry.kind == "encoder_decoder" else body(model)
    with torch.inference_mode():
        found = inner(**inputs, output_attentions=True).attentions
    return torch.cat(found).double().numpy()


def naive_heads(loaded: LoadedModel, windows: list[Window]) -> dict[tuple[int, int], NaiveHead]:
    """Every head by layer and number."""
    heads: dict[tuple[int, int], NaiveHead] = defaultdict(NaiveHead)
    tokenizer = loaded.tokenizer
    separators = {tokenizer.sep_token_id, tokenizer.eos_token_id}
    for window in windows:
        weights = eager_weights(loaded, window)
        ids, special = window.tokens.ids.tolist(), window.tokens.special.tolist()
        sinks = {0} | {at for at, token in enumerate(ids) if token in separators}
        for layer, head in np.ndindex(*weights.shape[:2]):
            one = heads[layer, head]
            met = (weights[layer] > 0).any(axis=0)
            for variant, keys in enumerate((met, np.delete(met, sorted(sinks), axis=-1))):
                alone = np.flatnonzero(keys.sum(axis=-1) < 2).tolist()
                one.forced[variant].update((window.id, query) for query in alone)
            for query, row in enumerate(weights[layer, head].tolist()):
                _add_query(one, window.id, query, row, ids, special, sinks, separators)
    return heads


def _add_query(
    one: NaiveHead,
    window: int,
    query: int,
    row: list[float],
    ids: list[int],
    special: list[bool],
    sinks: set[int],
    separators: set[int],
) -> None:
    add = one.values
    add["entropy"].append(-sum(weight * math.log(weight) for weight in row if weight > 0))
    add["strongest_weight"].append(max(row))
    add["mean_distance"].append(sum(weight * abs(query - key) for key, weight in enumerate(row)))
    if query > 0:
        add["previous_token"].append(row[query - 1])
    if query + 1 < len(row):
        add["next_token"].append(row[query + 1])
    add["same_token"].append(row[query])
    add["first_token"].append(row[0])
    add["separator"].append(sum(weight for key, weight in enumerate(row) if ids[key] in separators))
    earlier = [key for key in range(query) if ids[key] == ids[query]]
    if earlier and not special[query]:
        add["duplicate_token"].append(row[earlier[-1]])
        if earlier[-1] + 1 < query - 1:  # on the previous token it could be told apart from no previous-token head
            add["induction"].append(row[earlier[-1] + 1])
    for key, weight in enumerate(row):
        one.offset_weights[key - query] += weight
    best = max(range(len(row)), key=lambda key: row[key])
    one.offset_strongest[best - query] += 1
    one.strongest.append((row[best], window, query, best))
    others = [key for key in range(len(row)) if key not in sinks and row[key] > 0]
    if others:
        best = max(others, key=lambda key: row[key])
        one.without_sinks.append((row[best], window, query, best))
    one.rows[window, query] = np.array(row)
