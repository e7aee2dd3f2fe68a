"""The sums of a residual stream, made naively: the library's eager run, one vector at a time, then breadth first."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from transformers.pytorch_utils import Conv1D

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.replaced.swapping import restore_modules

Part = tuple[str, int | None, int]
"""Kind, head and source token; kind ``bias`` comes from nowhere."""
Station = list[tuple[Tensor, dict[Part, Tensor]]]
"""By token: the state, and its parts."""
Sums = list[Station]
"""From the first station to the last."""


class Eager:
    """The library's own run, in float64: what each module read and wrote."""

    def __init__(self, loaded: LoadedModel, inputs: dict[str, Any]) -> None:
        self.model: Any = deepcopy(loaded.model).double()
        if not restore_modules(self.model):
            self.model.set_attn_implementation("eager")
        if hasattr(self.model.config, "num_experts_per_tok"):
            self.model.set_experts_implementation("eager")  # the default knows no float64
        self.read: dict[str, Any] = {}
        self.written: dict[str, Any] = {}
        for name, module in self.model.named_modules():
            module.register_forward_hook(self._note(name), with_kwargs=True)
        with torch.inference_mode():
            found = self.model(**inputs, output_attentions=True)
        self.weights = [each[0] for each in found.attentions]
        self.logits: Tensor | None = found.logits[0] if "logits" in found else None

    def _note(self, name: str) -> Any:
        def note(_module: Any, args: Any, kwargs: Any, output: Any) -> None:
            read = args[0] if args else kwargs.get("hidden_states")
            self.read[name] = read[0] if isinstance(read, Tensor) else None
            written = output[0] if isinstance(output, tuple) else output
            self.written[name] = written[0] if isinstance(written, Tensor) else None

        return note

    def of_heads(self, layer: int, values: Tensor, written: Tensor, query: int) -> dict[Part, Tensor]:
        """``written`` is W_O with one row for each number of the concatenated heads."""
        weights = self.weights[layer]
        heads, size = len(weights), len(written) // len(weights)
        group = heads * size // values.shape[-1]
        parts: dict[Part, Tensor] = {}
        for head in range(heads):
            own = values[:, head // group * size : (head // group + 1) * size]
            rows = written[head * size : (head + 1) * size]
            for key in range(len(values)):
                parts["head", head, key] = float(weights[head, query, key]) * (own[key] @ rows)
        return parts


def sequential_sums(
    blocks: str, middle: str, values: str, output: str, feed_forward: str, factor: float = 1.0
) -> Callable[[Eager], Sums]:
    """Blocks of attention, then a feed-forward layer, each added to the stream; ``middle`` is what reads it between.

    What the two write is multiplied with ``factor`` before.
    """

    def sums(run: Eager) -> Sums:
        found: Sums = []
        for layer, block in enumerate(run.model.get_submodule(blocks)):
            name = f"{blocks}.{layer}"
            projection = block.get_submodule(output)
            # GPT-2 keeps its matrices the other way round.
            rows = factor * (projection.weight if isinstance(projection, Conv1D) else projection.weight.T)
            before, between, after = run.read[name], run.read[f"{name}.{middle}"], run.written[name]
            attention: Station = []
            fed: Station = []
            for token in range(len(before)):
                parts: dict[Part, Tensor] = {("residual", None, token): before[token]}
                if projection.bias is not None:
                    parts["bias", None, -1] = factor * projection.bias
                own = run.written[f"{name}.{values}"][:, -len(rows) :]  # behind queries and keys, where it writes all
                parts |= run.of_heads(layer, own, rows, token)
                attention.append((between[token], parts))
                written = factor * run.written[f"{name}.{feed_forward}"][token]
                parts = {("residual", None, token): between[token], ("feed_forward", None, token): written}
                fed.append((after[token], parts))
            found += [attention, fed]
        return found

    return sums


gpt2_sums = sequential_sums("transformer.h", "ln_2", "attn.c_attn", "attn.c_proj", "mlp")
llama_sums = sequential_sums("model.layers", "post_attention_layernorm", "self_attn.v_proj", "self_attn.o_proj", "mlp")
vit_sums = sequential_sums("vit.layers", "layernorm_after", "attention.v_proj", "attention.o_proj", "mlp")


def written_normed_sums(run: Eager) -> Sums:
    """Gemma 2 and 3, OLMo 2 and 3: the sum of all heads is normed, then added; so is what the feed-forward writes."""
    found: Sums = []
    for layer, block in enumerate(run.model.model.layers):
        name = f"model.layers.{layer}"
        norm = block.post_attention_layernorm
        gain = norm.weight + (1.0 if "Gemma" in type(norm).__name__ else 0.0)
        values, rows = run.written[f"{name}.self_attn.v_proj"], block.self_attn.o_proj.weight.T
        attention: Station = []
        fed: Station = []
        for token, before in enumerate(run.read[name]):
            heads = run.of_heads(layer, values, rows, token)
            root = (torch.stack(list(heads.values())).sum(dim=0).square().mean() + epsilon(norm)).sqrt()
            parts: dict[Part, Tensor] = {part: each / root * gain for part, each in heads.items()}
            between = before + run.written[f"{name}.post_attention_layernorm"][token]
            attention.append((between, {("residual", None, token): before, **parts}))
            written = run.written[f"{name}.post_feedforward_layernorm"][token]
            both: dict[Part, Tensor] = {("residual", None, token): between, ("feed_forward", None, token): written}
            fed.append((run.written[name][token], both))
        found += [attention, fed]
    return found


def epsilon(norm: Any) -> float:
    return float(norm.eps if hasattr(norm, "eps") else norm.variance_epsilon)


def bert_sums(run: Eager) -> Sums:
    sums: Sums = []
    for layer, block in enumerate(run.model.encoder.layer):
        name = f"encoder.layer.{layer}"
        values = run.written[f"{name}.attention.self.value"]
        before, middle, after = run.read[name], run.written[f"{name}.attention.output"], run.written[name]
        attention: Station = []
        fed: Station = []
        for token in range(len(before)):
            output = block.attention.output
            parts: dict[Part, Tensor] = {
                ("residual", None, token): before[token],
                ("bias", None, -1): output.dense.bias,
            }
            parts |= run.of_heads(layer, values, output.dense.weight.T, token)
            attention.append((middle[token], through_norm(output.LayerNorm, parts)))
            written = run.written[f"{name}.output.dense"][token]
            parts = {("residual", None, token): middle[token], ("feed_forward", None, token): written}
            fed.append((after[token], through_norm(block.output.LayerNorm, parts)))
        sums += [attention, fed]
    return sums


def parallel_sums(blocks: str, values: str, output: str, feed_forward: str) -> Callable[[Eager], Sums]:
    """Blocks in which attention and feed-forward layer read the same norm: one sum of all parts."""

    def sums(run: Eager) -> Sums:
        found: Sums = []
        for layer, block in enumerate(run.model.get_submodule(blocks)):
            name = f"{blocks}.{layer}"
            projection = block.get_submodule(output)
            station: Station = []
            for token in range(len(run.read[name])):
                parts: dict[Part, Tensor] = {
                    ("residual", None, token): run.read[name][token],
                    ("feed_forward", None, token): run.written[f"{name}.{feed_forward}"][token],
                }
                if projection.bias is not None:
                    parts["bias", None, -1] = projection.bias
                parts |= run.of_heads(layer, run.written[f"{name}.{values}"], projection.weight.T, token)
                station.append((run.written[name][token], parts))
            found.append(station)
        return found

    return sums


OWN = ("self_attn.v_proj", "self_attn.o_proj", "mlp")
DECODERS: dict[str, Callable[[Eager], Sums]] = {
    "tiny-gpt2": gpt2_sums,
    "tiny-llama": llama_sums,
    "tiny-gemma": llama_sums,
    "gptj": parallel_sums("transformer.h", "attn.v_proj", "attn.out_proj", "mlp"),
    "phi": parallel_sums("model.layers", "self_attn.v_proj", "self_attn.dense", "mlp"),
    "gpt_neo": sequential_sums(
        "transformer.h", "ln_2", "attn.attention.v_proj", "attn.attention.out_proj", "mlp.c_proj"
    ),
    "gemma2": written_normed_sums,
    "gemma3": written_normed_sums,
    "olmo2": written_normed_sums,
    "olmo3": written_normed_sums,
    "granite": sequential_sums("model.layers", "post_attention_layernorm", *OWN, factor=0.6),
    "cohere": parallel_sums("model.layers", *OWN),
    "cohere2": parallel_sums("model.layers", *OWN),
    "stablelm": llama_sums,
    "stablelm-parallel": parallel_sums("model.layers", *OWN),
    "starcoder2": llama_sums,
    "mixtral": llama_sums,
    "qwen2_moe": llama_sums,
    "qwen3_moe": llama_sums,
}
"""Decoders of ``tiny_models`` and ``odd_models`` by name."""
LOGIT_FACTORS = {"cohere": 0.7, "cohere2": 1.9, "granite": 1 / 0.4}
"""What their logits are multiplied with, as they are configured."""
LAST_NORMS = ("transformer.ln_f", "gpt_neox.final_layer_norm", "model.final_layernorm", "model.norm")


def last_norm(model: Any) -> Any:
    """The norm before the output matrix, by its name in each of them."""
    return next(model.get_submodule(name) for name in LAST_NORMS if name in dict(model.named_modules()))


def through_norm(norm: Any, parts: dict[Part, Tensor]) -> dict[Part, Tensor]:
    """``(z − mean z) / σ · g`` of every part, with σ of their sum; the norm's own bias joins the biases."""
    total = torch.stack(list(parts.values())).sum(dim=0)
    sigma = (total.var(correction=0) + norm.eps).sqrt()
    normed = {part: (each - each.mean()) / sigma * norm.weight for part, each in parts.items()}
    bias = ("bias", None, -1)
    return {**normed, bias: normed.get(bias, 0.0) + norm.bias}


def shares_of(state: Tensor, parts: dict[Part, Tensor]) -> dict[Part, float]:
    near = {part: max(0.0, float(state.abs().sum() - (state - each).abs().sum())) for part, each in parts.items()}
    return {part: each / sum(near.values()) for part, each in near.items()}


def breadth_first(sums: Sums, position: int, threshold: float) -> tuple[set[Any], dict[Any, float]]:
    """Nodes as (depth, token), and edges with their importance."""
    nodes, edges, level = {(len(sums), position)}, {}, {position}
    for depth in range(len(sums), 0, -1):
        found = set()
        for token in level:
            for (kind, head, source), share in shares_of(*sums[depth - 1][token]).items():
                if share >= threshold and kind != "bias":
                    edges[kind, head, (depth - 1, source), (depth, token)] = share
                    found.add(source)
        nodes |= {(depth - 1, token) for token in found}
        level = found
    return nodes, edges
