"""Export a trained network as an equivalent model folder in transformers' format.

- RoPE or no positions: ``LlamaForCausalLM``; with cosine scores or QK-norm ``Qwen3ForCausalLM``. Without positions
  RoPE is slowed by a factor of 2⁴⁰, so that float32 rotates nothing. RMS norm with a scale of ``√(10/√D)`` on queries
  and keys makes Qwen3's scores 10 · cosine. Attention only: a feed-forward layer of one unit whose weights are 0.
- Sinusoidal positions: ``GPT2LMHeadModel`` of twice the width, because its LayerNorm subtracts the mean: every vector
  is stored with its negative, ``[x, −x]``, whose mean is 0 and whose LayerNorm is x's RMSNorm. Heads are twice as wide
  too, half of it zeros.
- transformers has no architecture for the rest (``why_not`` gives the reason).
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch import Tensor

from attention_core.refusal import InvalidValueError, Sentence
from attention_core.sinusoidal import encode
from attention_core.training.config import COSINE_SCALE, TrainingConfig
from attention_core.training.tasks import LENGTH, TASKS

STANDSTILL = 2.0**40
"""Factor by which RoPE is slowed down in a network without positions."""

LENGTHEN = 2.0**10
"""Factor of query and key weights: cosines do not depend on length, but Qwen3's RMS norm, with its ε, does for short
vectors."""

LLAMA = {
    "attention_norm.weight": "input_layernorm.weight",
    "attention.query_projection.weight": "self_attn.q_proj.weight",
    "attention.key_projection.weight": "self_attn.k_proj.weight",
    "attention.value_projection.weight": "self_attn.v_proj.weight",
    "attention.output_projection.weight": "self_attn.o_proj.weight",
    "attention.qk_norm.query_scale": "self_attn.q_norm.weight",
    "attention.qk_norm.key_scale": "self_attn.k_norm.weight",
    "feed_forward_norm.weight": "post_attention_layernorm.weight",
    "feed_forward.gate.weight": "mlp.gate_proj.weight",
    "feed_forward.up.weight": "mlp.up_proj.weight",
    "feed_forward.down.weight": "mlp.down_proj.weight",
}
"""Names within a block, ours and Llama's (Qwen3's are the same and two more)."""


def why_not(config: TrainingConfig) -> Sentence | None:
    """Why transformers cannot represent this network, as a sentence; None if it can."""
    if config.positions == "alibi":
        return Sentence("transformers has no architecture with ALiBi whose attention can be replaced by ours.")
    if config.positions == "sinusoidal" and config.mechanism != "scaled":
        return Sentence("transformers has no architecture that adds its positions and normalises queries and keys.")
    if config.positions == "sinusoidal" and config.feed_forward:
        return Sentence("transformers has no architecture that adds its positions and has this feed-forward layer.")
    return None


def export_arrays(config: TrainingConfig, weights: Mapping[str, NDArray[np.float32]], folder: Path) -> None:
    """``export`` from numpy arrays."""
    export(config, {name: torch.from_numpy(array) for name, array in weights.items()}, folder)


def export(config: TrainingConfig, weights: dict[str, Tensor], folder: Path) -> None:
    """Write configuration, weights, tokenizer and card into the folder. Raises ValueError where ``why_not`` says so."""
    if (reason := why_not(config)) is not None:
        raise InvalidValueError(reason)
    as_gpt2 = config.positions == "sinusoidal"
    settings, tensors = _gpt2(config, weights) if as_gpt2 else _llama(config, weights)
    folder.mkdir(parents=True, exist_ok=True)
    settings |= {"vocab_size": config.vocab_size, "dtype": "float32", "tie_word_embeddings": False}
    settings |= {"bos_token_id": None, "eos_token_id": None}
    _write_json(folder / "config.json", settings)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, folder / "model.safetensors", PYTORCH)
    _write_tokenizer(config, folder)
    (folder / "README.md").write_text(_card(config, settings["architectures"][0]), encoding="utf-8")


PYTORCH = {"format": "pt"}
"""Metadata that transformers expects in the header of a safetensors file."""


def _llama(config: TrainingConfig, weights: dict[str, Tensor]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    decoder = config.decoder()
    normed = config.mechanism != "scaled"
    head_dim = config.d_model // config.num_heads
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": decoder.rope.base}
    if config.positions == "none":
        rope |= {"rope_type": "linear", "factor": STANDSTILL}
    settings = {
        "architectures": ["Qwen3ForCausalLM" if normed else "LlamaForCausalLM"],
        "model_type": "qwen3" if normed else "llama",
        "hidden_size": config.d_model,
        "intermediate_size": decoder.width if config.feed_forward else 1,
        "num_hidden_layers": config.num_layers,
        "num_attention_heads": config.num_heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": head_dim,
        "max_position_embeddings": LENGTH,
        "rms_norm_eps": decoder.norm_epsilon,
        "rope_parameters": rope,
        "hidden_act": "silu",
        "attention_bias": False,
    }
    tensors = {
        "model.embed_tokens.weight": weights["token_embedding.weight"],
        "model.norm.weight": weights["final_norm.weight"],
        "lm_head.weight": weights["output.weight"],
    }
    for layer in range(config.num_layers):
        theirs, ours = f"model.layers.{layer}.", f"blocks.{layer}."
        tensors |= {theirs + LLAMA[name.removeprefix(ours)]: t for name, t in weights.items() if name.startswith(ours)}
        if config.mechanism == "cosine":
            scale = torch.full((head_dim,), math.sqrt(COSINE_SCALE / math.sqrt(head_dim)))
            for side in "qk":
                tensors[f"{theirs}self_attn.{side}_norm.weight"] = scale.clone()
                tensors[f"{theirs}self_attn.{side}_proj.weight"] = (
                    LENGTHEN * tensors[f"{theirs}self_attn.{side}_proj.weight"]
                )
        if not config.feed_forward:
            tensors |= {f"{theirs}{name}": t for name, t in _no_feed_forward(config.d_model).items()}
    return settings, tensors


def _no_feed_forward(d_model: int) -> dict[str, Tensor]:
    """A feed-forward layer of one unit that adds nothing."""
    return {
        "post_attention_layernorm.weight": torch.ones(d_model),
        "mlp.gate_proj.weight": torch.zeros(1, d_model),
        "mlp.up_proj.weight": torch.zeros(1, d_model),
        "mlp.down_proj.weight": torch.zeros(d_model, 1),
    }


def _gpt2(config: TrainingConfig, weights: dict[str, Tensor]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    width, heads = 2 * config.d_model, config.num_heads
    settings = {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "n_embd": width,
        "n_layer": config.num_layers,
        "n_head": heads,
        "n_inner": 1,
        "n_positions": LENGTH,
        "layer_norm_epsilon": config.decoder().norm_epsilon,
    }
    output = weights["output.weight"]
    tensors = {
        "transformer.wte.weight": _beside_negative(weights["token_embedding.weight"]),
        "transformer.wpe.weight": _beside_negative(encode(torch.arange(LENGTH), config.d_model)),
        "transformer.ln_f.weight": weights["final_norm.weight"].repeat(2),
        "lm_head.weight": torch.cat((output, torch.zeros_like(output)), dim=1),
    }
    zeros = {"ln_1.bias": width, "ln_2.bias": width, "attn.c_attn.bias": 3 * width, "attn.c_proj.bias": width}
    zeros |= {"mlp.c_fc.bias": 1, "mlp.c_proj.bias": width}
    for layer in range(config.num_layers):
        block = {
            name.removeprefix(f"blocks.{layer}."): tensor
            for name, tensor in weights.items()
            if name.startswith(f"blocks.{layer}.")
        }
        tensors |= {f"transformer.h.{layer}.{name}": t for name, t in _gpt2_block(config, block).items()}
        tensors |= {f"transformer.h.{layer}.{name}": torch.zeros(size) for name, size in zeros.items()}
    return settings, tensors | {"transformer.ln_f.bias": torch.zeros(width)}


def _gpt2_block(config: TrainingConfig, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """GPT-2 stores matrices as (in, out), with query, key and value concatenated."""
    width, heads, head_dim = 2 * config.d_model, config.num_heads, config.d_model // config.num_heads
    group = heads // config.kv_heads

    def widened(name: str, factor: float, repeats: int) -> Tensor:
        """(in, heads · 2 · head_dim): each head followed by zeros, read from x alone."""
        rows = weights[f"attention.{name}_projection.weight"].view(-1, head_dim, config.d_model) * factor
        rows = rows.repeat_interleave(repeats, dim=0)
        wide = torch.zeros(heads, 2 * head_dim, width)
        wide[:, :head_dim, : config.d_model] = rows
        return wide.flatten(0, 1).T

    projections = [widened("query", math.sqrt(2), 1), widened("key", 1.0, group), widened("value", 1.0, group)]
    output = weights["attention.output_projection.weight"].view(config.d_model, heads, head_dim)
    written = torch.zeros(heads, 2 * head_dim, width)
    written[:, :head_dim] = _beside_negative(output.permute(1, 2, 0))
    return {
        "ln_1.weight": weights["attention_norm.weight"].repeat(2),
        "ln_2.weight": torch.ones(width),
        "attn.c_attn.weight": torch.cat(projections, dim=1),
        "attn.c_proj.weight": written.flatten(0, 1),
        "mlp.c_fc.weight": torch.zeros(width, 1),
        "mlp.c_proj.weight": torch.zeros(1, width),
    }


def _beside_negative(vectors: Tensor) -> Tensor:
    return torch.cat((vectors, -vectors), dim=-1)


def _write_tokenizer(config: TrainingConfig, folder: Path) -> None:
    """A word-level tokenizer; an unknown word becomes the first token."""
    words = TASKS[config.task].vocabulary
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    _write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": LENGTH,
            "clean_up_tokenization_spaces": False,
        },
    )


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


CARD = """\
# A small network that learned: {task}

Trained from random weights in {steps} steps (seed {seed}, AdamW at {learning_rate:g}, 64 fresh sequences a step) by the
Attention Observatory's live training, built from its own modules, and exported as an equivalent `{architecture}`.

- Network: {layers} layers, {heads} heads ({kv_heads} KV heads), width {width}, positions: {positions},
  scores: {mechanism}, {feed_forward}.
- Tokens: {tokens}, separated by spaces; any other word becomes `{first}`. At most {length} tokens.
- It knows nothing but this task and is meant for inspection.
"""

MODEL_CARD_NAMES: dict[str, Callable[[TrainingConfig], Any]] = {
    "layers": lambda config: config.num_layers,
    "heads": lambda config: config.num_heads,
    "kv_heads": lambda config: config.kv_heads,
    "width": lambda config: config.d_model,
    "feed_forward": lambda config: "with a feed-forward layer" if config.feed_forward else "attention only",
    "tokens": lambda config: " ".join(f"`{word}`" for word in TASKS[config.task].vocabulary),
    "first": lambda config: TASKS[config.task].vocabulary[0],
}


def _card(config: TrainingConfig, architecture: str) -> str:
    names = ("task", "steps", "seed", "learning_rate", "positions", "mechanism")
    facts = {name: getattr(config, name) for name in names}
    facts |= {name: of(config) for name, of in MODEL_CARD_NAMES.items()}
    return CARD.format(architecture=architecture, length=LENGTH, **facts)
