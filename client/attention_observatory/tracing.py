"""Record any Hugging Face model that runs here through our attention function, and show it, without a server.

What computes is ``attention_core``, which comes with the application (``pip install attention-observatory``).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attention_observatory.analysis import Analysis

if TYPE_CHECKING:
    from attention_observatory.notebook import Saved
    from attention_observatory.widget import Explorer

RECORDING = "attention_core.pretrained.recording"
MISSING = "{} needs the application in this Python: pip install attention-observatory"


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
        """The trace as an analysis, with everything that can be asked of uploaded weights; computed in this process.

        Of an encoder–decoder model it has three parts. Raises ValueError if the layers of a part differ in their
        numbers of heads or tokens.
        """
        if self._shown is None:
            local = importlib.import_module("attention_observatory.local").local()
            weights = {name: self._weights_of(layers) for name, layers in self._parts().items()}
            sides: dict[str, Any] = {"tokens": self.tokens}
            if "weights" not in weights:
                sides = {"tokens": self.target_tokens, "key_tokens": self.tokens}
            self._shown = local.send(**weights, **sides, title=type(self._model).__name__)
        return self._shown

    def _parts(self) -> dict[str, list[Any]]:
        """The layers by the name under which their weights are sent."""
        if not self._model.config.is_encoder_decoder:
            return {"weights": self.layers}
        split = _imported(f"{RECORDING}.parts", "a trace").split_into_parts
        return {f"{part.name}_weights": part.layers for part in split(self._model, "encoder_decoder", self.layers)}

    def _weights_of(self, layers: list[Any]) -> list[list[Any]]:
        """Of each layer and head. Raises ValueError if the layers differ in their shapes."""
        shapes = {(each.attention.queries.shape[1:3], each.attention.keys.shape[2]) for each in layers}
        if len(shapes) != 1:
            raise ValueError("the layers differ in heads or tokens; ask weights(layer, head) of each")
        heads = layers[0].attention.queries.shape[1]
        places = {id(layer): index for index, layer in enumerate(self.layers)}
        return [[self.weights(places[id(layer)], head) for head in range(heads)] for layer in layers]

    def show(self, **selection: Any) -> Explorer | Saved:
        """The Explorer in the notebook, as that of any analysis: ``layer=…, head=…, query=…, key=…, height=…``."""
        return self.analysis().show(**selection)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.show()._repr_mimebundle_(**options)


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


def _imported(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(MISSING.format(what)) from error
