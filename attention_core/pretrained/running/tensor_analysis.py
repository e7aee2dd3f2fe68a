"""Analyse uploaded tensors (weights, or queries, keys and values) like a model's attention.

Weights are shown as given. Queries and keys go through ``BlockwiseAttention``, so every stage is available:
``weights = softmax(queries · keys · scale)`` under the mask.

Shapes: weights (L, H, Q, K), queries (L, H, Q, D), keys (L, Hkv, K, D), values (L, Hkv, K, V) for L layers, H query
heads that share Hkv key heads, Q queries and K keys; without L there is one layer, without H also one head. A batch
of one text, (L, 1, H, …), is also accepted. Boolean masks are true where attention is allowed: (Q, K) or (L, Q, K).

Texts: ``tokens`` are the queries and, without ``key_tokens``, also the keys. With ``key_tokens`` the attention is
cross-attention: ``tokens`` are then the target, ``key_tokens`` the source, as in an encoder–decoder model, whose parts
may all be in one file.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.arranged_tensors import PartTensors, arrange
from attention_core.pretrained.inputs.tensor_files import TensorFile
from attention_core.pretrained.inputs.tensor_layers import PartLayers, make_layers
from attention_core.pretrained.inputs.tokens import Token, with_words
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.recording.parts import PartName, PartRecord, Side, grouped_heads
from attention_core.pretrained.recording.weight_sweep import sweep_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.caveats import AnalysisWarning, rows_without_keys

MODEL_ID = "uploaded"
TITLE = "Uploaded tensors"
NO_VOCABULARY = -1
"""The id of a token given only as text."""
PARTS: tuple[PartName, ...] = ("encoder", "decoder", "cross")
SIDES: dict[PartName, tuple[Side, Side]] = {
    "encoder": ("source", "source"),
    "decoder": ("target", "target"),
    "cross": ("target", "source"),
}
"""Sides of queries and keys, by part, for two texts."""
SEPARATORS = frozenset({"[SEP]", "</s>", "<eos>", "<|endoftext|>"})
"""Tokens that the separator metric counts, known by their text."""
SPECIAL = SEPARATORS | {"[CLS]", "[PAD]", "[MASK]", "<s>", "<pad>", "<mask>", "<bos>", "<|begin_of_text|>"}


@dataclass(frozen=True)
class _Texts:
    """The key tokens and, for cross-attention, the query tokens."""

    source: list[Token]
    target: list[Token] | None

    def of(self, side: Side) -> list[Token]:
        """The tokens of this side."""
        return self.source if side == "source" or self.target is None else self.target


def analyse_tensors(file: TensorFile, *, max_tokens: int, cancelled: Callable[[], bool] | None = None) -> Analysis:
    """Check that everything fits together, then sweep the weights of every head.

    Raises TensorsError naming the array, with its sizes or the position of an invalid number.
    ``cancelled`` is called between blocks of work; Cancelled is raised once it returns true.
    """

    check = stopping(cancelled, "analysis")
    with torch.inference_mode():
        start = time.perf_counter()
        arranged = {name: arrange(file, name) for name in _part_names(file)}
        texts = _texts(file, arranged, max_tokens)
        made = {
            name: make_layers(each, file.scale, check, is_decoder=name == "decoder") for name, each in arranged.items()
        }
        forward_ms = (time.perf_counter() - start) * 1000.0
        parts, overview_ms, metrics_ms = [], 0.0, 0.0
        for name, layers in made.items():
            record = _record(name, layers, texts)
            separators = [token.index for token in texts.of(record.key_side) if token.text in SEPARATORS]
            swept = sweep_weights(record, separators, check)
            causal, grouped = record.name == "decoder", grouped_heads(record.layers[0].attention)
            measures = (swept.pooled_scores, None, swept.key_totals)
            parts.append(Part(record, swept.overview, swept.metrics, causal, grouped, *measures))
            overview_ms += swept.overview_ms
            metrics_ms += swept.metrics_ms
    return Analysis(
        model=_entry(file, parts),
        tokens=texts.source,
        target_tokens=texts.target,
        parts=parts,
        predictions=[],
        device="cpu",
        dtype=_dtype(arranged),
        timings_ms={"forward": forward_ms, "overview": overview_ms, "metrics": metrics_ms},
        parity=None,
        warnings=(
            *(AnalysisWarning(*caveat) for layers in made.values() for caveat in layers.caveats.items()),
            *rows_without_keys(parts),
        ),
    )


def _part_names(file: TensorFile) -> list[str]:
    """The parts named by the arrays, in display order; ``""`` for the unnamed one."""
    named = {name.rpartition(".")[0] for name in (*file.tensors, *file.masks)}
    if not file.tensors:
        raise TensorsError("The file holds no array: send weights, or queries and keys.", field="body")
    if "" in named and len(named) > 1:
        prefix = min(named - {""})
        plain = min(name for name in (*file.tensors, *file.masks) if "." not in name)
        raise TensorsError(
            "{field} and {prefix}.… are both given: put the part in the name of every array.", prefix, field=plain
        )
    return [name for name in ("", *PARTS) if name in named]


def _record(name: str, layers: PartLayers, texts: _Texts) -> PartRecord:
    if texts.target is None:
        part: PartName = "decoder" if layers.is_causal or name == "decoder" else "encoder"
        return PartRecord(part, layers.records, "source", "source")
    part = next((each for each in PARTS if each == name), "cross")
    return PartRecord(part, layers.records, *SIDES[part])


# --- tokens -------------------------------------------------------------------------------------------------------


def _texts(file: TensorFile, arranged: dict[str, PartTensors], max_tokens: int) -> _Texts:
    """The tokens of both sides, matching the arrays' rows and columns."""
    only = next(iter(arranged.values()))
    is_unnamed_cross = "" in arranged and (file.key_tokens is not None or _is_uneven(file, only))
    if len(arranged) == 1 and "cross" not in arranged and not is_unnamed_cross:
        counts = {only.rows_named: only.num_queries, only.cols_named: only.num_keys}
        if file.key_tokens is not None:
            raise TensorsError(
                "key_tokens belong to cross-attention: call its arrays cross.weights, cross.queries, …",
                field="key_tokens",
            )
        if only.num_queries != only.num_keys:
            raise TensorsError(
                "{rows_named} has {num_queries} queries, {cols_named} {num_keys} keys: give tokens and "
                "key_tokens, one name for each.",
                only.rows_named,
                only.num_queries,
                only.cols_named,
                only.num_keys,
                field=only.rows_named,
            )
        return _Texts(_tokens("tokens", file.tokens, counts, max_tokens), None)
    sides: dict[Side, dict[str, int]] = {"source": {}, "target": {}}
    for name, each in arranged.items():
        rows, cols = SIDES[next((part for part in PARTS if part == name), "cross")]
        sides[rows][each.rows_named] = each.num_queries
        if (rows, each.rows_named) != (cols, each.cols_named):
            sides[cols][each.cols_named] = each.num_keys
        elif each.num_queries != each.num_keys:
            raise TensorsError(
                "{field} must be square, not {num_queries} × {num_keys}.",
                each.num_queries,
                each.num_keys,
                field=each.rows_named,
            )
    return _Texts(
        _tokens("key_tokens", file.key_tokens, sides["source"], max_tokens),
        _tokens("tokens", file.tokens, sides["target"], max_tokens),
    )


def _is_uneven(file: TensorFile, arranged: PartTensors) -> bool:
    """Whether rows and columns can only be two texts, without an explicit statement."""
    return arranged.num_queries != arranged.num_keys and file.tokens is None


def _tokens(field: str, names: list[str] | None, counts: dict[str, int], max_tokens: int) -> list[Token]:
    """``counts`` holds each array's token count; all must agree. Unnamed tokens are called by their index."""
    known, count = next(iter(counts.items()))
    for name, other in counts.items():
        if other != count:
            raise TensorsError("{field} has {given} tokens, {known} has {count}.", other, known, count, field=name)
    if count > max_tokens:
        raise TensorsTooLargeError(
            "{field} has {count} tokens; this server accepts at most {limit}.", count, field=known, limit=max_tokens
        )
    if names is None:
        names = [str(index) for index in range(count)]
    if len(names) != count:
        raise TensorsError(
            "{field} has {given} names, {known} has {count} tokens.", len(names), known, count, field=field
        )
    tokens = [
        Token(
            index=index,
            id=NO_VOCABULARY,
            text=name,
            token=name,
            start=None,
            end=None,
            special=name in SPECIAL,
            segment=0,
        )
        for index, name in enumerate(names)
    ]
    return with_words(tokens, [])


# --- title, warnings, number format -----------------------------------------------------------------------------------


def _entry(file: TensorFile, parts: list[Part]) -> ModelEntry:
    first = parts[0]
    queries = first.record.layers[0].attention.queries
    return ModelEntry(
        id=MODEL_ID,
        title=file.title or TITLE,
        architecture=None,
        kind="encoder_decoder" if len(parts) > 1 or first.name == "cross" else first.name,
        layers=first.layers,
        heads=first.heads,
        kv_heads=first.kv_heads,
        head_dim=queries.shape[-1] or None,
        max_tokens=None,
        positions=None,
        source="upload",
        available=True,
        reason=None,
    )


def _dtype(arranged: dict[str, PartTensors]) -> str:
    """The number format of the upload."""
    first = next(iter(arranged.values()))
    tensor = first.queries if first.weights is None else first.weights
    return str(None if tensor is None else tensor.dtype).removeprefix("torch.")
