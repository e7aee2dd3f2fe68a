"""Record any Hugging Face model that runs here through our attention function, and show it, without a server.

What computes is ``attention_core``, which comes with the application (``pip install .`` in its repository).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attention_observatory.analysis import Analysis
from attention_observatory.notebook import displayed

if TYPE_CHECKING:
    from attention_observatory.notebook import Saved
    from attention_observatory.widget import Explorer

RECORDING = "attention_core.pretrained.recording"
MISSING = "{} needs the application in this Python: pip install . in its repository, or its wheel"


class Trace:
    """The attention of a model's last forward pass. Rows are queries, columns are keys; of a batch, the first text."""

    def __init__(self, model: Any, tokens: Sequence[str] | None, target_tokens: Sequence[str] | None) -> None:
        self.tokens = None if tokens is None else list(tokens)
        """One for each position, if they were given."""
        self.target_tokens = None if target_tokens is None else list(target_tokens)
        """Those of the decoder, where the model has an encoder, too."""
        self._model = model
        self._recording: Any = None
        self._shown: Analysis | None = None

    def __repr__(self) -> str:
        return f"<Trace: {len(self.layers)} layers>"

    @property
    def layers(self) -> list[Any]:
        """The attention of each layer, in the order in which they ran: ``attention_core``'s ``LayerRecord``."""
        calls = self._recording.layers
        last: dict[int, Any] = {}
        for call in calls:  # a later forward pass, such as that of the next token, takes the place of an earlier one
            last[id(call.module)] = call
        return list(last.values())

    def weights(self, layer: int, head: int, *, stage: str = "weights") -> Any:
        """One stage of one head, (queries, keys), a NumPy array."""
        windows = _imported(f"{RECORDING}.windows", "a trace")
        record = self.layers[layer]
        queries, keys = (each.shape[2] for each in (record.attention.queries, record.attention.keys))
        matrix = windows.stage_window(record, head, stage, slice(0, queries), slice(0, keys))
        return matrix.detach().float().cpu().numpy()

    def analysis(self) -> Analysis:
        """The trace as an analysis, with everything that can be asked of uploaded tensors; computed in this process.

        It has every stage and the vectors where ``POST /api/tensors`` can express the attention, else the weights
        alone: with a bias, a cap or sinks, with scales that differ between layers or masks that differ between heads.
        An encoder–decoder model has three parts, each decided on its own. Scores of half-precision vectors are
        computed in full precision, while ``weights`` of the trace rounds them like the model. Raises ValueError if the
        layers of a part differ in their numbers of heads or tokens.
        """
        if self._shown is None:
            local = importlib.import_module("attention_observatory.local").local()
            self._shown = local.send(**self._tensors(), **self._sides(), title=type(self._model).__name__)
        return self._shown

    def _sides(self) -> dict[str, Any]:
        """Whose tokens are whose."""
        if self._model.config.is_encoder_decoder:
            return {"tokens": self.target_tokens, "key_tokens": self.tokens}
        return {"tokens": self.tokens}

    def _tensors(self) -> dict[str, Any]:
        """The tensors of every part, as ``send`` takes them."""
        sent: dict[str, Any] = {}
        for prefix, layers in self._parts().items():
            _check_sizes(layers)
            scale = layers[0].attention.scale
            vectors = _vectors(layers) if sent.get("scale", scale) == scale else None  # an upload has one scale
            if vectors is None:
                sent[f"{prefix}weights"] = self._weights_of(layers)
            else:
                sent |= {f"{prefix}{name}": vector for name, vector in vectors.items()} | {"scale": scale}
        return sent

    def _parts(self) -> dict[str, list[Any]]:
        """The layers by the prefix of the names under which their tensors are sent."""
        if not self._model.config.is_encoder_decoder:
            return {"": self.layers}
        split = _imported(f"{RECORDING}.parts", "a trace").split_into_parts
        return {f"{part.name}_": part.layers for part in split(self._model, "encoder_decoder", self.layers)}

    def _weights_of(self, layers: list[Any]) -> list[list[Any]]:
        """Of each layer and head."""
        heads = layers[0].attention.queries.shape[1]
        places = {id(layer): index for index, layer in enumerate(self.layers)}
        return [[self.weights(places[id(layer)], head) for head in range(heads)] for layer in layers]

    def show(self, **selection: Any) -> Explorer | Saved:
        """The Explorer in the notebook, as that of any analysis: ``layer=…, head=…, query=…, key=…, height=…``."""
        return self.analysis().show(**selection)

    def _ipython_display_(self) -> None:
        displayed(self.show())


@contextmanager
def trace(
    model: Any, *, tokens: Sequence[str] | None = None, target_tokens: Sequence[str] | None = None
) -> Iterator[Trace]:
    """Record every attention of forward passes within the block.

    ``model`` is one of transformers, in evaluation mode; ``tokens`` are the texts of its positions, ``target_tokens``
    those of the decoder of an encoder–decoder model::

        with trace(model, tokens=tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])) as traced:
            model(**inputs)
        traced.weights(5, 1)
        traced.show()

    Raises ImportError without the application, ValueError if the model's attention cannot be replaced by ours.
    """
    recorder = _imported(f"{RECORDING}.recorder", "trace")
    before = model.config._attn_implementation
    model.set_attn_implementation(recorder.IMPLEMENTATION)
    traced = Trace(model, tokens, target_tokens)
    try:
        if model.config._attn_implementation != recorder.IMPLEMENTATION:
            raise ValueError(f"the attention of {type(model).__name__} is code of its own, which cannot be recorded")
        with recorder.record() as traced._recording:
            yield traced
    finally:
        model.set_attn_implementation(before)


def _check_sizes(layers: list[Any]) -> None:
    """Raise ValueError if the layers differ in heads, queries or keys."""
    if len({(each.attention.queries.shape[1:3], each.attention.keys.shape[2]) for each in layers}) != 1:
        raise ValueError("the layers differ in heads or tokens; ask weights(layer, head) of each")


def _vectors(layers: list[Any]) -> dict[str, Any] | None:
    """Queries, keys, values and mask of the first text; None if the weights do not follow from them and one scale."""
    attentions = [layer.attention for layer in layers]
    sizes = {(each.queries.shape[3], each.keys.shape[1], each.values.shape[1::2], each.scale) for each in attentions}
    if len(sizes) != 1 or any(
        each.bias is not None or each.cap is not None or each.sinks is not None for each in attentions
    ):
        return None
    mask = _mask(attentions)
    if mask is None:
        return None
    tensors = {name: [getattr(each, name)[0] for each in attentions] for name in ("queries", "keys", "values")}
    return {**tensors, "mask": mask}


def _mask(attentions: list[Any]) -> Any:
    """The layers' masks: ``"none"``, ``"causal"``, one of all layers, or a list; None if heads differ in theirs."""
    rules = {id(each.mask): each.mask for each in attentions}
    if all(rule is None for rule in rules.values()):
        return "none"
    queries, keys = attentions[0].num_queries, attentions[0].num_keys
    everything = attentions[0].queries.new_ones(queries, keys).bool()
    allowed = {}
    for name, rule in rules.items():
        window = everything if rule is None else rule.window(slice(0, queries), slice(0, keys))
        heads = window[0] if window.ndim > 3 else window.reshape(-1, queries, keys)
        if not bool((heads == heads[:1]).all()):
            return None
        allowed[name] = heads[0]
    first = allowed[id(attentions[0].mask)]
    if any(not each.equal(first) for each in allowed.values()):
        return [allowed[id(each.mask)] for each in attentions]
    return "causal" if queries <= keys and first.equal(everything.tril(keys - queries)) else first


def _imported(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(MISSING.format(what)) from error
