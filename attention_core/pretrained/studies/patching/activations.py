"""What a run leaves to be patched into another: queries, keys, values, weights, head outputs, residual stream."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parts import PartName, part_of_modules
from attention_core.pretrained.recording.recorder import AttentionCall, LayerRecord, Recording
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.studies.outputs.block_layouts import layout_of


@dataclass(frozen=True, eq=False)
class LayerActivations:
    """One attention layer of one run, a batch of one."""

    record: LayerRecord
    head_outputs: Float[Tensor, "1 H Q V"]


@dataclass(eq=False)
class Hooked:
    """A model whose blocks can be read and changed; shares the weights of the loaded one."""

    loaded: LoadedModel
    part: PartName
    model: PreTrainedModel = field(init=False)
    on_stream: Callable[[int, Tensor], Tensor] | None = None
    """From the layer and the residual stream (B, N, D) before its block to the stream to go on with."""
    on_feed_forward: Callable[[int, Tensor], Tensor] | None = None
    """From the layer and what its feed-forward layer writes (B, N, D) to what is written instead."""
    _entered: int = 0
    _shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.model = copy_sharing_weights(self.loaded.model)
        self.part_of = part_of_modules(self.model, self.loaded.entry.kind)

    def watch_blocks(self, run: "Activations") -> None:
        """Call ``on_stream`` before each block that has an attention layer of this run in it.

        Raises UnsupportedAttentionError for a model without a list of blocks.
        """
        modules = dict(self.model.named_modules())
        names = {module: name for name, module in modules.items()}
        attentions = (layer.record.module for layer in run.layers)
        blocks = dict.fromkeys(block_of(names[each], modules) for each in attentions if each is not None)
        for block in blocks:
            block.register_forward_pre_hook(self._enter, with_kwargs=True)

    def watch_feed_forward(self) -> None:
        """Call ``on_feed_forward`` for each block. Raises ModelUnavailableError for an unknown kind of block."""
        layout = layout_of(self.loaded)
        blocks: nn.Module = body(self.model).get_submodule(layout.blocks)
        for layer, block in enumerate(blocks.children()):
            block.register_forward_pre_hook(self._measure, with_kwargs=True)
            block.get_submodule(layout.projections[1]).register_forward_hook(partial(self._fed, layer))

    def _fed(self, layer: int, _: nn.Module, __: tuple[Any, ...], written: Tensor) -> Tensor:
        if self.on_feed_forward is None:
            return written
        # OPT flattens runs and tokens.
        return self.on_feed_forward(layer, written.view(*self._shape[:-1], -1)).view(written.shape)

    def _measure(self, _: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._shape = (args[0] if args else kwargs["hidden_states"]).shape

    def _enter(self, _: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        layer, self._entered = self._entered, self._entered + 1
        if self.on_stream is None:
            return args, kwargs
        if args:
            return (self.on_stream(layer, args[0]), *args[1:]), kwargs
        return args, {**kwargs, "hidden_states": self.on_stream(layer, kwargs["hidden_states"])}

    @contextmanager
    def streaming(self, on_stream: Callable[[int, Tensor], Tensor] | None) -> Iterator[None]:
        """Use this ``on_stream`` for one forward pass."""
        self.on_stream, self._entered = on_stream, 0
        try:
            yield
        finally:
            self.on_stream = None


def block_of(name: str, modules: Mapping[str, nn.Module]) -> nn.Module:
    """The element of the outermost list of modules on the way to this one."""
    steps = name.split(".")
    for length in range(1, len(steps)):
        if isinstance(modules[".".join(steps[:length])], nn.ModuleList | nn.Sequential):
            return modules[".".join(steps[: length + 1])]
    raise UnsupportedAttentionError("this model has no list of blocks whose input could be patched")


@dataclass(eq=False)
class Keeping:
    """Receives one run, and keeps the layers of one part."""

    part_of: Callable[[nn.Module | None], PartName]
    part: PartName
    recording: Recording
    layers: list[LayerActivations] = field(default_factory=list)

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        """See Receiver."""
        outputs = self.recording.attend(call)
        record = self.recording.layers.pop()
        if self.part_of(call.module) == self.part:
            self.layers.append(LayerActivations(record, outputs))
        return outputs


@dataclass(frozen=True, eq=False)
class Activations:
    """One run: the layers of the part that is patched, and the logits at the answer's position."""

    layers: list[LayerActivations]
    streams: list[Float[Tensor, "1 N D"]]
    """The residual stream before each layer's block; empty unless asked for."""
    logits: Float[Tensor, " V"]


def stacked_inputs(inputs: Mapping[str, Tensor], runs: int) -> dict[str, Tensor]:
    """The same inputs for several runs in one batch."""
    return {name: tensor.repeat(runs, *[1] * (tensor.dim() - 1)) for name, tensor in inputs.items()}


def joined_inputs(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Two inputs as one batch."""
    return {name: torch.cat([tensor, second[name]]) for name, tensor in first.items()}
