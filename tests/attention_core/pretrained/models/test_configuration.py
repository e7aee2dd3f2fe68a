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
        (transformers.T5Config(), "relative_bias"),
        (transformers.BloomConfig(), "alibi"),
    ],
)
def test_positions(config: transformers.PreTrainedConfig, positions: str) -> None:
    assert facts_from(config, None).positions == positions


def test_sizes_that_differ_from_layer_to_layer_are_not_known_as_one() -> None:
    facts = facts_from(ODD["gemma4"][1](), None)
    assert (facts.layers, facts.heads, facts.kv_heads, facts.head_dim) == (2, 4, 2, None)


def test_heads_that_differ_from_layer_to_layer() -> None:
    config = ODD["gemma4"][1]()
    config.per_layer_config = {0: {"num_attention_heads": 4}, 1: {"num_attention_heads": 2}}
    with pytest.raises(ModelUnavailableError, match="different numbers of heads"):
        facts_from(config, None)
