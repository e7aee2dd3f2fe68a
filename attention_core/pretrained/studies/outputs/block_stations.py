"""Trace one token through a block of a pretrained model, with forward hooks.

The equations between the stations are those of ``attention_core.block``; that head outputs are weights times values is
checked too, with the weights that our attention computed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.block import (
    OF_ORDER,
    BlockWalk,
    Check,
    Guess,
    Station,
    embedding_stations,
    equation,
    equations,
    guesses,
)
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.outputs.block_layouts import Layout, layout_of
from attention_core.trace import to_array

EMBEDDING_NAMES = ("position_embedding", "segment_embedding")
"""Names of Layout.embeddings, in order."""
At = TypeVar("At", int, slice)


@dataclass(frozen=True, eq=False)
class PretrainedWalk:
    """The block trace, and the tokens of its text."""

    tokens: list[Token]
    walk: BlockWalk
    guesses: list[tuple[Guess, str]]
    """With their texts."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.walk.nbytes + 256 * len(self.tokens)


class Watch(Generic[At]):
    """Inputs and outputs of hooked modules at one token, or at all."""

    def __init__(self, token: At) -> None:
        self.token: At = token
        self.read: dict[nn.Module, Float[Tensor, "*N n"]] = {}
        self.written: dict[nn.Module, Float[Tensor, "*N n"]] = {}

    def __call__(self, module: nn.Module) -> None:
        """Hook this module."""
        module.register_forward_hook(self._note, with_kwargs=True)

    def _note(self, module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], output: Any) -> None:
        source = _batched(args[0] if args else kwargs["hidden_states"])
        written = _batched(output[0] if isinstance(output, tuple) else output)
        if source.is_floating_point():  # the input of a table is ids
            self.read[module] = source[0, self.token].clone()
        self.written[module] = written[0, self.token].clone()


def _batched(states: Tensor) -> Tensor:
    """OPT flattens its batch, which is of one text."""
    return states if states.ndim != 2 or not states.is_floating_point() else states.unsqueeze(0)


def pretrained_walk(
    loaded: LoadedModel,
    text: str,
    *,
    layer: int,
    token: int,
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> PretrainedWalk:
    """Run the model on the text and trace one token through one of its blocks.

    Raises the errors of ``tokenise``, SelectionError for a layer or token that does not exist, ModelUnavailableError
    for an architecture missing from LAYOUTS, one that norms or rescales what its layers write, or one with mixtures of
    experts.
    """
    loaded.check_carried()
    layout = layout_of(loaded)
    if layout.written_norms is not None or layout.multiplier is not None:
        raise ModelUnavailableError(
            "{id} norms or rescales what its attention and its feed-forward layer write before it is added: the steps "
            "of such blocks are not shown yet.",
            loaded.entry.id,
        )
    if layout.has_experts:
        raise ModelUnavailableError(
            "The feed-forward layers of {id} are mixtures of experts: the steps of such blocks are not shown yet.",
            loaded.entry.id,
        )
    inputs, tokens = tokenise(loaded, text, max_tokens=max_tokens)
    check_index("token", token, len(tokens))
    shared: Any = body(copy_sharing_weights(loaded.model))
    blocks = list(shared.get_submodule(layout.blocks).children())
    check_index("layer", layer, len(blocks))
    watch = Watch(token)
    tables = [shared.get_input_embeddings(), *(shared.get_submodule(name) for name in layout.embeddings)]
    for module in (*tables, *blocks, *(block.get_submodule(name) for block in blocks for name in layout.projections)):
        watch(module)
    for name in layout.norms:
        watch(blocks[layer].get_submodule(name))
    with torch.inference_mode():
        with record(stopping(cancelled, "walk")) as recording:
            last = shared(
                **inputs, **({"use_cache": False} if loaded.entry.kind == "decoder" else {})
            ).last_hidden_state
        chances = _guesses(loaded, last[0, token])
        # Recompute with the model's own modules: those of the copy are hooked.
        walk = _walk(layout, body(loaded.model), (shared, watch), layer, recording.layers[layer], chances)
    return PretrainedWalk(tokens, walk, [(chance, vocabulary_text(loaded.tokenizer, chance.id)) for chance in chances])


def _walk(
    layout: Layout,
    model: nn.Module,
    watched: tuple[nn.Module, Watch[int]],
    layer: int,
    seen: LayerRecord,
    chances: list[Guess],
) -> BlockWalk:
    shared, watch = watched
    blocks = list(shared.get_submodule(layout.blocks).children())
    projections = [[block.get_submodule(name) for name in layout.projections] for block in blocks]
    stations = _stations(layout, blocks[layer], watch)
    row = slice(watch.token, watch.token + 1)
    weights = seen.attention.weights(row, slice(0, seen.attention.num_keys), seen.log_sum_exp)[0, :, 0]
    own = model.get_submodule(f"{layout.blocks}.{layer}")
    norms, checks = equations(
        layout.order,
        stations,
        [own.get_submodule(name) for name in layout.norms],
        [own.get_submodule(name) for name in layout.projections],
    )
    embedding, check = _embedding(layout, model, shared, watch, watch.read[blocks[0]])
    return BlockWalk(
        order=layout.order,
        layer=layer,
        token=watch.token,
        embedding=embedding,
        stations=[Station(name, to_array(stations[name].float())) for name in OF_ORDER[layout.order]],
        norms=norms,
        checks=[check, _mixing(seen, weights, stations["head_outputs"]), *checks],
        weights=to_array(weights.float()),
        stream_norms=_lengths([*(watch.read[block] for block in blocks), watch.written[blocks[-1]]]),
        attention_norms=_lengths([watch.written[first] for first, _ in projections]),
        feed_forward_norms=_lengths([watch.written[second] for _, second in projections]),
        guesses=chances,
    )


def _stations(layout: Layout, block: nn.Module, watch: Watch[int]) -> dict[str, Float[Tensor, " n"]]:
    """Stations by name, each as a module's input or output: no sum is recomputed here."""
    first, second = (block.get_submodule(name) for name in layout.norms)
    attention, feed_forward = (block.get_submodule(name) for name in layout.projections)
    stations = {
        "inputs": watch.read[block],
        "head_outputs": watch.read[attention],
        "attention_output": watch.written[attention],
        "feed_forward_hidden": watch.read[feed_forward],
        "feed_forward_output": watch.written[feed_forward],
        "outputs": watch.written[block],
    }
    if layout.order == "post":
        sums = {"attention_sum": watch.read[first], "feed_forward_sum": watch.read[second]}
        return {**stations, **sums, "after_attention": watch.written[first]}
    normed = {"attention_normed": watch.written[first], "feed_forward_normed": watch.written[second]}
    return {**stations, **normed, **({"after_attention": watch.read[second]} if layout.order == "pre" else {})}


def _embedding(
    layout: Layout, model: nn.Module, shared: Any, watch: Watch[int], whole: Float[Tensor, " d"]
) -> tuple[list[Station], Check]:
    parts = {"token_embedding": watch.written[shared.get_input_embeddings()]}
    for name, path in zip(EMBEDDING_NAMES, layout.embeddings, strict=False):
        parts[name] = watch.written[shared.get_submodule(path)]
    norm = None if layout.embedding_norm is None else model.get_submodule(layout.embedding_norm)
    return embedding_stations(parts, whole, norm)


def _mixing(seen: LayerRecord, weights: Float[Tensor, "H N"], head_outputs: Float[Tensor, " HV"]) -> Check:
    """Each head's output as weights times values; heads in a KV group repeat the values."""
    values = seen.attention.values[0]
    values = values.repeat_interleave(len(weights) // len(values), dim=0)
    mixed = (weights.unsqueeze(1).to(values.dtype) @ values).flatten()
    return equation("head_outputs", "weights · values", head_outputs, mixed)


def _guesses(loaded: LoadedModel, last: Float[Tensor, " d"]) -> list[Guess]:
    unembedding = loaded.model.get_output_embeddings()
    if loaded.entry.kind != "decoder" or unembedding is None:
        return []
    return guesses(unembedding(last))


def _lengths(vectors: list[Float[Tensor, " d"]]) -> np.ndarray:
    return np.array([float(vector.float().norm()) for vector in vectors])
