"""Facts from a model's configuration."""

import pytest
import transformers
from odd_models import ODD

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.configuration import facts_from


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bare-bart", "encoder_decoder"),
        ("classifying-bart", "encoder_decoder"),
        ("half-bart", "decoder"),
        ("both-ways", "encoder"),
        ("clip", "decoder"),
        ("reading-generator", "encoder"),
        ("doge", "decoder"),
    ],
)
def test_kind(name: str, kind: str) -> None:
    architecture, make_config = ODD[name]
    config = make_config()
    config.architectures = [architecture]
    if name == "half-bart":
        config.is_encoder_decoder, config.is_decoder = False, True
    assert facts_from(config, None).kind == kind


@pytest.mark.parametrize(
    ("config", "positions"),
    [
        (transformers.CTRLConfig(), "sinusoidal"),
        (transformers.MarianConfig(), "sinusoidal"),
        (transformers.DistilBertConfig(sinusoidal_pos_embds=True), "sinusoidal"),
        (transformers.DistilBertConfig(), "learned"),
        (transformers.GPT2Config(), "learned"),
        (transformers.LlamaConfig(), "rope"),
        (transformers.LEDConfig(), "learned"),
        (transformers.T5Config(), "relative_bias"),
        (transformers.BloomConfig(), "alibi"),
    ],
)
def test_positions(config: transformers.PreTrainedConfig, positions: str) -> None:
    assert facts_from(config, None).positions == positions


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (transformers.BartConfig(max_position_embeddings=48), (48, 48)),
        (transformers.LEDConfig(max_encoder_position_embeddings=96, max_decoder_position_embeddings=32), (96, 32)),
        (transformers.WhisperConfig(max_target_positions=20), (20, 20)),
        (transformers.RobertaConfig(max_position_embeddings=66), (64, None)),
        (transformers.MarkupLMConfig(max_position_embeddings=66, pad_token_id=1), (64, None)),
        (transformers.MPNetConfig(max_position_embeddings=66, pad_token_id=0), (64, None)),
    ],
)
def test_each_side_has_its_own_limit(config: transformers.PreTrainedConfig, most: tuple[int, int | None]) -> None:
    facts = facts_from(config, None)
    assert (facts.max_tokens, facts.max_target_tokens) == most


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (transformers.XLNetConfig(), "encoder"),
        (transformers.XLNetConfig(attn_type="uni"), "decoder"),
        (transformers.AutoConfig.for_model("molmo2_text"), "decoder"),
        (transformers.AutoConfig.for_model("paddleocr_vl_text"), "decoder"),
    ],
)
def test_kind_by_the_masks_of_the_class_itself(config: transformers.PreTrainedConfig, kind: str) -> None:
    assert facts_from(config, None).kind == kind


FALCON = {"hidden_size": 56, "num_attention_heads": 7}
LATENT = {"num_attention_heads": 7, "num_key_value_heads": 7, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4}


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (transformers.FalconConfig(**FALCON), (7, 1, 8)),
        (transformers.FalconConfig(**FALCON, multi_query=False), (7, 7, 8)),
        (transformers.FalconConfig(hidden_size=64, num_attention_heads=8, num_kv_heads=2), (8, 1, 8)),
        (
            transformers.FalconConfig(
                hidden_size=64, num_attention_heads=8, num_kv_heads=2, new_decoder_architecture=True
            ),
            (8, 2, 8),
        ),
        (transformers.GPTBigCodeConfig(n_embd=56, n_head=7), (7, 1, 8)),
        (transformers.GPTBigCodeConfig(n_embd=56, n_head=7, multi_query=False), (7, 7, 8)),
        (transformers.DeepseekV3Config(**LATENT), (7, 7, 10)),
        (transformers.ConvBertConfig(hidden_size=48, num_attention_heads=6, head_ratio=3), (2, 2, 12)),
        (transformers.MobileBertConfig(intra_bottleneck_size=48, num_attention_heads=6), (6, 6, 8)),
        (transformers.MiMoV2FlashConfig(num_key_value_heads=4), (64, None, 192)),
        (transformers.LlamaConfig(hidden_size=64, num_attention_heads=8, num_key_value_heads=2), (8, 2, 8)),
    ],
)
def test_heads(config: transformers.PreTrainedConfig, shape: tuple[int, int | None, int]) -> None:
    facts = facts_from(config, None)
    assert (facts.heads, facts.kv_heads, facts.head_dim) == shape


def test_sizes_that_differ_from_layer_to_layer_are_not_known_as_one() -> None:
    facts = facts_from(ODD["gemma4"][1](), None)
    assert (facts.layers, facts.heads, facts.kv_heads, facts.head_dim) == (2, 4, 2, None)


def test_heads_that_differ_from_layer_to_layer() -> None:
    config = ODD["gemma4"][1]()
    config.per_layer_config = {0: {"num_attention_heads": 4}, 1: {"num_attention_heads": 2}}
    with pytest.raises(ModelUnavailableError, match="different numbers of heads"):
        facts_from(config, None)
