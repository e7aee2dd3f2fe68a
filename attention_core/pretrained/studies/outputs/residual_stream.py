"""Decompose a decoder's residual stream at one token into what each block adds (Elhage et al. 2021).

``stream_0`` is the embedding (with its position, where that is learned); every block adds what its heads and its
feed-forward layer write, and the sum goes through the last norm and the output matrix:
``logits = norm(stream_L) W_U + b``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.output_projections import OutputProjection, as_projection, candidates
from attention_core.pretrained.recording.parity import body
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.rerun import prepare


@dataclass(frozen=True)
class Layout:
    """Submodule paths of a decoder's residual stream."""

    blocks: str
    norm: str
    """The final norm, before the output matrix."""
    attention: str
    """Within a block."""
    feed_forward: str


LLAMA = Layout("model.layers", "model.norm", "self_attn", "mlp")
LAYOUTS: dict[str, Layout] = {
    "GPT2LMHeadModel": Layout("transformer.h", "transformer.ln_f", "attn", "mlp"),
    "GPTNeoXForCausalLM": Layout("gpt_neox.layers", "gpt_neox.final_layer_norm", "attention", "mlp"),
    "LlamaForCausalLM": LLAMA,
    "GemmaForCausalLM": LLAMA,
    "MistralForCausalLM": LLAMA,
    "Qwen2ForCausalLM": LLAMA,
    "Qwen3ForCausalLM": LLAMA,
}
"""Architectures whose blocks only add to the stream, verified numerically; by transformers' class name."""


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """One token's residual stream, in float32. L layers, width D."""

    position: int
    stream: Float[Tensor, "states D"]
    """Before each of the L blocks, and after the last: L + 1 states."""
    head_outputs: Float[Tensor, "L HV"]
    """Outputs of all heads concatenated, before the output projection."""
    projections: list[OutputProjection]
    feed_forward: Float[Tensor, "L D"]
    norm: nn.Module
    unembedding: nn.Module


def residual_stream(
    loaded: LoadedModel, analysis: Analysis, position: int, check: Callable[[], None] | None = None
) -> ResidualStream:
    """Rerun the analysis's text and record the residual stream at ``position``.

    Raises ModelUnavailableError for an architecture missing from LAYOUTS, SelectionError for a position that does not
    exist. ``check`` is called before each block of work and may raise.
    """
    layout = LAYOUTS.get(type(loaded.model).__name__)
    if layout is None:
        names = ", ".join(name.split("For")[0].removesuffix("LMHeadModel") for name in LAYOUTS)
        raise ModelUnavailableError(
            "This is available only for decoders of these kinds: {names}; {id} is of another kind.",
            names,
            loaded.entry.id,
        )
    shared = replace(loaded, model=copy_sharing_weights(loaded.model))
    rerun = prepare(shared, analysis)
    check_index("position", position, len(rerun.tokens))
    seen: dict[str, list[Tensor]] = {"stream": [], "head_outputs": [], "feed_forward": []}

    def keep(name: str, tensor: Tensor) -> None:
        seen[name].append(tensor[0, position].float().clone())

    def before(name: str) -> Callable[[nn.Module, Any, Any], None]:
        return lambda _module, args, kwargs: keep(name, args[0] if args else kwargs["hidden_states"])

    def after(name: str) -> Callable[[nn.Module, Any, Any], None]:
        return lambda _module, _args, output: keep(name, output)

    blocks = list(shared.model.get_submodule(layout.blocks).children())
    norm = shared.model.get_submodule(layout.norm)
    linear = candidates(shared.model)
    projections = [linear[block.get_submodule(layout.attention)] for block in blocks]
    for module in (*blocks, norm):
        module.register_forward_pre_hook(before("stream"), with_kwargs=True)
    for projection in projections:
        projection.register_forward_pre_hook(before("head_outputs"), with_kwargs=True)
    for block in blocks:
        block.get_submodule(layout.feed_forward).register_forward_hook(after("feed_forward"))
    with torch.inference_mode(), record(check, rerun.change):
        body(shared.model)(**rerun.inputs, use_cache=False)
    return ResidualStream(
        position,
        **{name: torch.stack(tensors) for name, tensors in seen.items()},
        projections=[as_projection(projection) for projection in projections],
        # Of the model itself: the copy's modules are hooked.
        norm=loaded.model.get_submodule(layout.norm),
        unembedding=loaded.model.get_output_embeddings(),
    )
