"""Tiny random decoders whose blocks differ in their factors, their norms or their experts, for ``odd_models``."""

from collections.abc import Callable

import transformers
from seeing_models import LLAMA
from tiny_models import VOCABULARY
from transformers import PreTrainedConfig

FURTHER_DECODERS: dict[str, tuple[str, Callable[[], PreTrainedConfig]]] = {
    "gemma4": (
        "Gemma4ForCausalLM",
        lambda: transformers.Gemma4TextConfig(
            **LLAMA,
            layer_types=["sliding_attention", "full_attention"],
            head_dim=8,
            global_head_dim=16,
            vocab_size_per_layer_input=VOCABULARY,
            hidden_size_per_layer_input=8,
        ),
    ),
    # As the published E2B: the last layers of each kind read the keys and values of an earlier one.
    "gemma4-shared": (
        "Gemma4ForCausalLM",
        lambda: transformers.Gemma4TextConfig(
            **{**LLAMA, "num_hidden_layers": 6, "num_key_value_heads": 1},
            layer_types=["sliding_attention", "sliding_attention", "full_attention"] * 2,
            num_kv_shared_layers=3,
            use_double_wide_mlp=True,
            sliding_window=5,
            head_dim=8,
            global_head_dim=16,
            vocab_size_per_layer_input=VOCABULARY,
            hidden_size_per_layer_input=8,
        ),
    ),
    # Norms of what attention and feed-forward layer write, before it is added; OLMo norms nothing that they read.
    "gemma3": (
        "Gemma3ForCausalLM",
        lambda: transformers.Gemma3TextConfig(
            **LLAMA, head_dim=8, layer_types=["sliding_attention", "full_attention"], sliding_window=5
        ),
    ),
    "olmo2": ("Olmo2ForCausalLM", lambda: transformers.Olmo2Config(**LLAMA)),
    "olmo3": (
        "Olmo3ForCausalLM",
        lambda: transformers.Olmo3Config(
            **LLAMA, layer_types=["sliding_attention", "full_attention"], sliding_window=5
        ),
    ),
    # Factors of what is added to the stream and of the logits; blocks in parallel behind one norm.
    "granite": (
        "GraniteForCausalLM",
        lambda: transformers.GraniteConfig(
            **LLAMA,
            embedding_multiplier=3.0,
            residual_multiplier=0.6,
            attention_multiplier=0.5,
            logits_scaling=0.4,
        ),
    ),
    "cohere": ("CohereForCausalLM", lambda: transformers.CohereConfig(**LLAMA, logit_scale=0.7)),
    "cohere2": (
        "Cohere2ForCausalLM",
        lambda: transformers.Cohere2Config(
            **LLAMA, logit_scale=1.9, layer_types=["sliding_attention", "full_attention"], sliding_window=5
        ),
    ),
    "stablelm": ("StableLmForCausalLM", lambda: transformers.StableLmConfig(**LLAMA)),
    "stablelm-parallel": (
        "StableLmForCausalLM",
        lambda: transformers.StableLmConfig(**LLAMA, use_parallel_residual=True, qk_layernorm=True),
    ),
    "starcoder2": ("Starcoder2ForCausalLM", lambda: transformers.Starcoder2Config(**LLAMA)),
    # Mixtures of experts, in Qwen's not in every block.
    "mixtral": (
        "MixtralForCausalLM",
        lambda: transformers.MixtralConfig(**LLAMA, num_local_experts=4, num_experts_per_tok=2, sliding_window=5),
    ),
    **{
        name: (
            architecture,
            lambda made=made, further=further: made(
                **LLAMA,
                num_experts=4,
                num_experts_per_tok=2,
                moe_intermediate_size=24,
                mlp_only_layers=[0],
                **further,
            ),
        )
        for name, architecture, made, further in (
            (
                "qwen2_moe",
                "Qwen2MoeForCausalLM",
                transformers.Qwen2MoeConfig,
                {"shared_expert_intermediate_size": 24},
            ),
            ("qwen3_moe", "Qwen3MoeForCausalLM", transformers.Qwen3MoeConfig, {"head_dim": 10}),
        )
    },
}
