"""Activation and path patching with plain forward hooks on the library's eager attention: an oracle, one run at a time.

Queries, keys, values and head outputs are slices of what a linear map gives or takes, so this code knows nothing of
our attention. (Queries and keys are hooked before RoPE; at the same positions that is the same patch.)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

Span = slice


@dataclass(frozen=True)
class Tap:
    """A slice of the input or output of a linear map."""

    path: str
    is_input: bool
    columns: Callable[[int, int], tuple[int, int]]
    """(head, head size) → first and last column."""


def side_by_side(offset: int = 0) -> Callable[[int, int], tuple[int, int]]:
    """Heads in order, ``offset`` heads after the first."""
    return lambda head, size: ((head + offset) * size, (head + offset + 1) * size)


def interleaved(which: int) -> Callable[[int, int], tuple[int, int]]:
    """GPT-NeoX: query, key and value of a head beside each other."""
    return lambda head, size: ((3 * head + which) * size, (3 * head + which + 1) * size)


@dataclass(frozen=True)
class Eager:
    """One architecture's taps."""

    blocks: str
    heads: int
    kv_heads: int
    taps: Mapping[str, Tap]
    feed_forward: str = ""


def gpt2(heads: int) -> Eager:
    taps = {
        "queries": Tap("attn.c_attn", False, side_by_side()),
        "keys": Tap("attn.c_attn", False, side_by_side(heads)),
        "values": Tap("attn.c_attn", False, side_by_side(2 * heads)),
        "output": Tap("attn.c_proj", True, side_by_side()),
    }
    return Eager("transformer.h", heads, heads, taps, "mlp")


LLAMA = Eager(
    "model.layers",
    4,
    2,
    {
        "queries": Tap("self_attn.q_proj", False, side_by_side()),
        "keys": Tap("self_attn.k_proj", False, side_by_side()),
        "values": Tap("self_attn.v_proj", False, side_by_side()),
        "output": Tap("self_attn.o_proj", True, side_by_side()),
    },
    "mlp",
)
OLMO = replace(
    LLAMA,
    taps={
        **LLAMA.taps,
        # Behind their norm, which mixes all heads.
        "queries": Tap("self_attn.q_norm", False, side_by_side()),
        "keys": Tap("self_attn.k_norm", False, side_by_side()),
    },
)
NEOX = Eager(
    "gpt_neox.layers",
    4,
    4,
    {
        "queries": Tap("attention.query_key_value", False, interleaved(0)),
        "keys": Tap("attention.query_key_value", False, interleaved(1)),
        "values": Tap("attention.query_key_value", False, interleaved(2)),
        "output": Tap("attention.dense", True, side_by_side()),
    },
    "mlp",
)
BERT = Eager(
    "bert.encoder.layer",
    4,
    4,
    {
        "queries": Tap("attention.self.query", False, side_by_side()),
        "keys": Tap("attention.self.key", False, side_by_side()),
        "values": Tap("attention.self.value", False, side_by_side()),
        "output": Tap("attention.output.dense", True, side_by_side()),
    },
)
DISTILBERT = Eager(
    "distilbert.transformer.layer",
    4,
    4,
    {
        "queries": Tap("attention.q_lin", False, side_by_side()),
        "keys": Tap("attention.k_lin", False, side_by_side()),
        "values": Tap("attention.v_lin", False, side_by_side()),
        "output": Tap("attention.out_lin", True, side_by_side()),
    },
)


def vision(name: str, blocks: str = "layers") -> Eager:
    """Vision transformers, whose projections all have the same names."""
    taps = {
        "queries": Tap("attention.q_proj", False, side_by_side()),
        "keys": Tap("attention.k_proj", False, side_by_side()),
        "values": Tap("attention.v_proj", False, side_by_side()),
        "output": Tap("attention.o_proj", True, side_by_side()),
    }
    return Eager(f"{name}.{blocks}", 4, 4, taps, "mlp")


Place = tuple[str, int, int]
"""(queries, keys, values, output or residual; layer; head)"""


@dataclass
class EagerRuns:
    """Hooked runs of one model on its eager attention; every edit is (place, positions, new numbers)."""

    model: PreTrainedModel
    eager: Eager
    head_dim: int
    seen: dict[Place, Tensor] = field(default_factory=dict)
    patterns: tuple[Tensor, ...] = ()
    fed: list[Tensor] = field(default_factory=list)
    """What each feed-forward module returned in the last run."""
    hold: list[Tensor] | None = None
    """What they return instead."""

    def run(self, inputs: Mapping[str, Tensor], edits: Mapping[Place, tuple[Span, Tensor]] | None = None) -> Tensor:
        """The logits [N, V], or of classes [V]; afterwards ``seen`` holds every place and ``patterns`` the weights."""
        self.seen, self.fed = {}, []
        with torch.inference_mode(), self._hooks(edits or {}):
            found = self.model(**inputs, output_attentions=True)
        self.patterns = found.attentions
        return found.logits[0].double()

    def mixed(self, inputs: Mapping[str, Tensor], layer: int, head: int, pattern: Tensor, rows: Span) -> Tensor:
        """The logits where a head's weights are ``pattern`` in these rows, on the values of this very run."""
        kv_head = head * self.eager.kv_heads // self.eager.heads
        self.run(inputs)
        # Nothing before this layer's attention changes, so the values of the unpatched run are those of this one.
        output = pattern @ self.seen["values", layer, kv_head]
        return self.run(inputs, {("output", layer, head): (rows, output[:, rows])})

    @contextmanager
    def _hooks(self, edits: Mapping[Place, tuple[Span, Tensor]]) -> Iterator[None]:
        with ExitStack() as stack:
            for layer, block in enumerate(self.model.get_submodule(self.eager.blocks).children()):
                stack.enter_context(self._stream(block, layer, edits))
                if self.eager.feed_forward:
                    stack.enter_context(self._feeding(block.get_submodule(self.eager.feed_forward), layer))
                for name, tap in self.eager.taps.items():
                    stack.enter_context(self._tapped(block.get_submodule(tap.path), name, tap, layer, edits))
            yield

    @contextmanager
    def _tapped(
        self, module: nn.Module, name: str, tap: Tap, layer: int, edits: Mapping[Place, tuple[Span, Tensor]]
    ) -> Iterator[None]:
        heads = self.eager.kv_heads if name in ("keys", "values") else self.eager.heads

        def edited(tensor: Tensor) -> Tensor:
            tensor = tensor.clone()
            for head in range(heads):
                first, last = tap.columns(head, self.head_dim)
                span, numbers = edits.get((name, layer, head), (slice(0, 0), tensor[:, :0, first:last]))
                tensor[:, span, first:last] = numbers
                self.seen[name, layer, head] = tensor[:, :, first:last].clone()
            return tensor

        if tap.is_input:
            handle = module.register_forward_pre_hook(lambda _, args: (edited(args[0]), *args[1:]))
        else:
            handle = module.register_forward_hook(lambda _module, _args, output: edited(output))
        yield
        handle.remove()

    @contextmanager
    def _feeding(self, module: nn.Module, layer: int) -> Iterator[None]:
        def leave(_module: nn.Module, _args: tuple[Tensor, ...], output: Tensor) -> Tensor:
            self.fed.append(output)
            return output if self.hold is None else self.hold[layer]

        handle = module.register_forward_hook(leave)
        yield
        handle.remove()

    @contextmanager
    def _stream(self, block: nn.Module, layer: int, edits: Mapping[Place, tuple[Span, Tensor]]) -> Iterator[None]:
        def enter(_: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            stream = args[0].clone()
            span, numbers = edits.get(("residual", layer, 0), (slice(0, 0), stream[:, :0]))
            stream[:, span] = numbers
            self.seen["residual", layer, 0] = stream.clone()
            return (stream, *args[1:])

        handle = block.register_forward_pre_hook(enter)
        yield
        handle.remove()
