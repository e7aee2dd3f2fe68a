"""Tiny random models of unusual architectures, each unusual in one respect."""

from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from further_decoders import FURTHER_DECODERS
from seeing_models import COMMON, LLAMA, SEEING, VISION
from tiny_models import FORWARD, LAYERS, SHAPE, SPECIAL, VOCABULARY, byte_pairs
from transformers import PreTrainedConfig

BART = {**COMMON, "d_model": 32, **LAYERS, **FORWARD, "max_position_embeddings": 64}
T5 = {
    **COMMON,
    "d_model": 32,
    "d_kv": 8,
    "num_heads": 4,
    "d_ff": 48,
    "num_layers": 2,
    "num_decoder_layers": 3,
}

ODD: dict[str, tuple[str, Callable[[], PreTrainedConfig]]] = {
    # Encoder–decoder models without a head, which have no generation_config, and T5 that names no start token.
    "bare-bart": ("BartModel", lambda: transformers.BartConfig(**BART)),
    "classifying-bart": ("BartForSequenceClassification", lambda: transformers.BartConfig(**BART)),
    "classifying-bert": (
        "BertForSequenceClassification",
        lambda: transformers.BertConfig(
            **{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64, num_labels=3
        ),
    ),
    "answering-t5": ("T5ForQuestionAnswering", lambda: transformers.T5Config(**T5)),
    "starting-t5": ("T5ForConditionalGeneration", lambda: transformers.T5Config(**T5)),
    # Its body has another name than that of all other classes of the type.
    "answering-llama": ("LlamaForQuestionAnswering", lambda: transformers.LlamaConfig(**LLAMA)),
    # More layers than the encoder has that its configuration still names.
    "half-bart": ("BartForCausalLM", lambda: transformers.BartConfig(**BART)),
    "doge": ("DogeForCausalLM", lambda: transformers.DogeConfig(**LLAMA)),
    "llama4": (
        "Llama4ForCausalLM",
        lambda: transformers.Llama4TextConfig(
            **LLAMA, head_dim=8, intermediate_size_mlp=48, num_local_experts=2, attention_chunk_size=8
        ),
    ),
    "both-ways": (
        "Gemma3TextModel",
        lambda: transformers.Gemma3TextConfig(**LLAMA, head_dim=8, use_bidirectional_attention=True),
    ),
    "clip": (
        "CLIPTextModel",
        lambda: transformers.CLIPTextConfig(**{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64),
    ),
    "reading-generator": (
        "BertGenerationEncoder",
        lambda: transformers.BertGenerationConfig(
            **{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64
        ),
    ),
    "jetmoe": (
        "JetMoeForCausalLM",
        lambda: transformers.JetMoeConfig(
            vocab_size=VOCABULARY,
            hidden_size=32,
            num_hidden_layers=2,
            num_key_value_heads=2,
            kv_channels=8,
            intermediate_size=48,
            num_local_experts=4,
            num_experts_per_tok=2,
            max_position_embeddings=64,
        ),
    ),
    # Scores that are capped, and one more learned score in each softmax.
    "gemma2": (
        "Gemma2ForCausalLM",
        lambda: transformers.Gemma2Config(
            **LLAMA,
            head_dim=8,
            query_pre_attn_scalar=8,
            attn_logit_softcapping=2.0,
            final_logit_softcapping=6.0,
            sliding_window=5,
        ),
    ),
    **FURTHER_DECODERS,
    "gpt_oss": (
        "GptOssForCausalLM",
        lambda: transformers.GptOssConfig(
            **LLAMA, head_dim=8, num_local_experts=2, num_experts_per_tok=1, sliding_window=5
        ),
    ),
    **SEEING,
    # Vision transformers: both towers in one, registers, a distillation token, biases by distance, patches alone.
    "both-towers": (
        "CLIPModel",
        lambda: transformers.CLIPConfig(
            vision_config={**VISION, "projection_dim": 16},
            text_config={**SHAPE, **COMMON, "intermediate_size": 48, "max_position_embeddings": 16},
        ),
    ),
    "registers": (
        "Dinov2WithRegistersModel",
        lambda: transformers.Dinov2WithRegistersConfig(**{**VISION, "image_size": 24, "num_register_tokens": 3}),
    ),
    "distilled": ("DeiTForImageClassificationWithTeacher", lambda: transformers.DeiTConfig(**VISION)),
    "biased": ("BeitModel", lambda: transformers.BeitConfig(**VISION, use_relative_position_bias=True)),
    "patches": ("SiglipVisionModel", lambda: transformers.SiglipVisionConfig(**VISION)),
    # Blocks of further kinds: parallel behind one norm, and norms before or after.
    "phi3": ("Phi3ForCausalLM", lambda: transformers.Phi3Config(**LLAMA)),
    "phi": (
        "PhiForCausalLM",
        lambda: transformers.PhiConfig(**{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64),
    ),
    "opt": (
        "OPTForCausalLM",
        lambda: transformers.OPTConfig(
            **{**SHAPE, **COMMON}, ffn_dim=48, word_embed_proj_dim=32, max_position_embeddings=64
        ),
    ),
    "opt-post": (
        "OPTForCausalLM",
        lambda: transformers.OPTConfig(
            **{**SHAPE, **COMMON},
            ffn_dim=48,
            word_embed_proj_dim=32,
            max_position_embeddings=64,
            do_layer_norm_before=False,
        ),
    ),
    # Attention in code of their own, in which ours replaces the middle.
    "gptj": (
        "GPTJForCausalLM",
        lambda: transformers.GPTJConfig(**COMMON, n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4),
    ),
    "codegen": (
        "CodeGenForCausalLM",
        lambda: transformers.CodeGenConfig(
            **COMMON, n_embd=32, n_layer=2, n_head=4, n_positions=64, n_ctx=64, rotary_dim=4
        ),
    ),
    "gpt_neo": (
        "GPTNeoForCausalLM",
        lambda: transformers.GPTNeoConfig(
            **COMMON,
            hidden_size=32,
            num_layers=2,
            num_heads=4,
            attention_types=[[["global", "local"], 1]],
            window_size=3,
            max_position_embeddings=64,
        ),
    ),
    "openai-gpt": (
        "OpenAIGPTLMHeadModel",
        lambda: transformers.OpenAIGPTConfig(
            vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=2
        ),
    ),
    "falcon": (
        "FalconForCausalLM",
        lambda: transformers.FalconConfig(**{**SHAPE, **COMMON}, multi_query=True, max_position_embeddings=64),
    ),
    "falcon-groups": (
        "FalconForCausalLM",
        lambda: transformers.FalconConfig(
            **{**SHAPE, **COMMON}, new_decoder_architecture=True, num_kv_heads=2, max_position_embeddings=64
        ),
    ),
    # As Falcon-RW.
    "falcon-alibi": (
        "FalconForCausalLM",
        lambda: transformers.FalconConfig(
            **{**SHAPE, **COMMON}, alibi=True, multi_query=False, parallel_attn=False, bias=True
        ),
    ),
    "mpt": (
        "MptForCausalLM",
        lambda: transformers.MptConfig(vocab_size=VOCABULARY, d_model=32, n_heads=4, n_layers=2, max_seq_len=64),
    ),
    "mpnet": (
        "MPNetForMaskedLM",
        lambda: transformers.MPNetConfig(**{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=66),
    ),
    "roformer": (
        "RoFormerForMaskedLM",
        lambda: transformers.RoFormerConfig(
            **{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64, rotary_value=True
        ),
    ),
    "rembert": (
        "RemBertForMaskedLM",
        lambda: transformers.RemBertConfig(
            **{**SHAPE, **COMMON},
            input_embedding_size=16,
            output_embedding_size=16,
            intermediate_size=48,
            max_position_embeddings=64,
        ),
    ),
    "xglm": (
        "XGLMForCausalLM",
        lambda: transformers.XGLMConfig(
            **COMMON, d_model=32, num_layers=2, attention_heads=4, ffn_dim=48, max_position_embeddings=64
        ),
    ),
    "mvp": ("MvpForConditionalGeneration", lambda: transformers.MvpConfig(**BART)),
    "bloom": (
        "BloomForCausalLM",
        lambda: transformers.BloomConfig(**COMMON, hidden_size=32, n_layer=2, n_head=4),
    ),
    **{
        name: (
            architecture,
            lambda made=made, further=further: made(
                **{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64, **further
            ),
        )
        for name, architecture, made, further in (
            ("visual_bert", "VisualBertModel", transformers.VisualBertConfig, {"visual_embedding_dim": 16}),
            ("luke", "LukeForMaskedLM", transformers.LukeConfig, {"entity_vocab_size": 8, "entity_emb_size": 16}),
            ("convbert", "ConvBertForMaskedLM", transformers.ConvBertConfig, {"embedding_size": 16, "head_ratio": 1}),
            ("squeezebert", "SqueezeBertForMaskedLM", transformers.SqueezeBertConfig, {"embedding_size": 32}),
            ("longformer", "LongformerForMaskedLM", transformers.LongformerConfig, {"attention_window": 4}),
            ("dpr", "DPRContextEncoder", transformers.DPRConfig, {}),
        )
    },
    "layoutlmv3": (
        "LayoutLMv3Model",
        lambda: transformers.LayoutLMv3Config(
            **{**SHAPE, **COMMON, "hidden_size": 36},
            intermediate_size=48,
            max_position_embeddings=64,
            coordinate_size=6,
            shape_size=6,
            visual_embed=False,
        ),
    ),
    **{
        name: (
            architecture,
            lambda made=made: made(
                n_words=VOCABULARY,
                emb_dim=32,
                n_layers=2,
                n_heads=4,
                max_position_embeddings=64,
                bos_index=0,
                pad_index=1,
                eos_index=2,
                **COMMON,
            ),
        )
        for name, architecture, made in (
            ("xlm", "XLMWithLMHeadModel", transformers.XLMConfig),
            ("flaubert", "FlaubertWithLMHeadModel", transformers.FlaubertConfig),
        )
    },
    "led": (
        "LEDForConditionalGeneration",
        lambda: transformers.LEDConfig(
            **COMMON,
            d_model=32,
            **LAYERS,
            **FORWARD,
            max_encoder_position_embeddings=64,
            max_decoder_position_embeddings=32,
            attention_window=4,
            decoder_start_token_id=2,
        ),
    ),
    # Attention in code of their own, which returns its weights.
    "deberta": (
        "DebertaV2ForMaskedLM",
        lambda: transformers.DebertaV2Config(
            **{**SHAPE, **COMMON},
            intermediate_size=48,
            max_position_embeddings=64,
            relative_attention=True,
            pos_att_type=["p2c", "c2p"],
        ),
    ),
    "deberta-first": (
        "DebertaForMaskedLM",
        lambda: transformers.DebertaConfig(
            **{**SHAPE, **COMMON},
            intermediate_size=48,
            max_position_embeddings=64,
            relative_attention=True,
            pos_att_type=["p2c", "c2p"],
        ),
    ),
    "xlnet": (
        "XLNetLMHeadModel",
        lambda: transformers.XLNetConfig(
            vocab_size=VOCABULARY, d_model=32, n_layer=2, n_head=4, d_inner=48, bos_token_id=0, eos_token_id=2
        ),
    ),
    "lilt": (
        "LiltModel",
        lambda: transformers.LiltConfig(
            **{**SHAPE, **COMMON, "hidden_size": 48},
            intermediate_size=48,
            max_position_embeddings=66,
            channel_shrink_ratio=2,
        ),
    ),
    "fsmt": (
        "FSMTForConditionalGeneration",
        lambda: transformers.FSMTConfig(
            langs=["en", "de"],
            src_vocab_size=VOCABULARY,
            tgt_vocab_size=VOCABULARY,
            d_model=32,
            **LAYERS,
            **FORWARD,
            max_position_embeddings=64,
            **SPECIAL,
            decoder_start_token_id=2,
        ),
    ),
    "data2vec": (
        "Data2VecVisionModel",
        lambda: transformers.Data2VecVisionConfig(**VISION, use_relative_position_bias=True),
    ),
    "yoso": (
        "YosoModel",
        lambda: transformers.YosoConfig(**{**SHAPE, **COMMON}, intermediate_size=48, max_position_embeddings=64),
    ),
    # Attention that is not recorded, or not recorded as what it is.
    "diffllama": ("DiffLlamaForCausalLM", lambda: transformers.DiffLlamaConfig(**LLAMA)),
    "longt5": ("LongT5Model", lambda: transformers.LongT5Config(**T5)),
    "pegasus_x": ("PegasusXModel", lambda: transformers.PegasusXConfig(**BART)),
    "bigbird_pegasus": ("BigBirdPegasusModel", lambda: transformers.BigBirdPegasusConfig(**BART)),
}


IMAGE_TYPES = frozenset({"clip", "dinov2_with_registers", "deit", "beit", "siglip_vision_model", "data2vec-vision"})


RANDOM_NORMS = (
    "gemma2",
    "gemma3",
    "olmo2",
    "olmo3",
    "granite",
    "cohere",
    "cohere2",
    "stablelm",
    "stablelm-parallel",
    "starcoder2",
    "mixtral",
    "qwen2_moe",
    "qwen3_moe",
)
"""Their norms begin with weights of 0 or 1, which would hide whether they are multiplied with; and some with biases."""
RANDOM_BIASES = ("starcoder2",)
"""Biases begin with 0, which would hide whether they are added."""


def write_odd_model(directory: Path, name: str, **options: object) -> Path:
    """Write one of ODD with a tokenizer into a folder of that name; ``options`` change its configuration.

    Its weights are large enough for heads to be far from uniform.
    """
    architecture, make_config = ODD[name]
    config = make_config()
    for option, value in options.items():
        setattr(config, option, value)
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model = getattr(transformers, architecture)(config)
        for parameter_name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.data.normal_(std=0.2)
            elif parameter_name.endswith("sinks"):
                parameter.data.normal_(mean=1.0)
        for path, parameter in model.named_parameters():
            is_random_norm = name in RANDOM_NORMS and "norm" in path
            if is_random_norm or (name in RANDOM_BIASES and path.endswith("bias")):
                parameter.data.add_(torch.randn_like(parameter), alpha=0.3)
    folder = directory / name
    model.save_pretrained(folder)
    if config.model_type not in IMAGE_TYPES:
        byte_pairs(specials=True).save_pretrained(folder)
    return folder
