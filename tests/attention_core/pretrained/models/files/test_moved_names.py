"""Adapters with the names of older releases of transformers, beside the library's own older names.

The library still writes most checkpoints under their older names: what it writes is the oracle.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from adapter_folders import write_adapter
from odd_models import write_odd_model
from safetensors.torch import load_file
from seeing_models import LLAMA, SEEING, VISION
from tiny_models import VOCABULARY
from transformers import PreTrainedConfig, PreTrainedModel

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.files.moved_names import places

SEEN = {"vision_config": transformers.CLIPVisionConfig(**VISION), "text_config": transformers.LlamaConfig(**LLAMA)}
SIGLIP = transformers.SiglipVisionConfig(**VISION, vision_use_head=False)
MOVED: dict[str, tuple[str, Callable[[], PreTrainedConfig]]] = {
    **SEEING,
    "llava-next": (
        "LlavaNextForConditionalGeneration",
        lambda: transformers.LlavaNextConfig(**SEEN, image_token_index=VOCABULARY - 1),
    ),
    "vip-llava": (
        "VipLlavaForConditionalGeneration",
        lambda: transformers.VipLlavaConfig(**SEEN, image_token_index=VOCABULARY - 1, vision_feature_layers=[-1]),
    ),
    "paligemma": (
        "PaliGemmaForConditionalGeneration",
        lambda: transformers.PaliGemmaConfig(
            vision_config=SIGLIP,
            text_config=transformers.GemmaConfig(**LLAMA, head_dim=8),
            image_token_index=VOCABULARY - 1,
            projection_dim=32,
            hidden_size=32,
        ),
    ),
    "qwen2-vl": (
        "Qwen2VLForConditionalGeneration",
        lambda: transformers.Qwen2VLConfig(
            vision_config={"depth": 1, "embed_dim": 32, "num_heads": 4, "hidden_size": 32},
            text_config={
                **LLAMA,
                "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]},
            },
        ),
    ),
}


def made(name: str) -> PreTrainedModel:
    kind, config = MOVED[name]
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model: PreTrainedModel = getattr(transformers, kind)(config())
    return model


@pytest.mark.parametrize("name", MOVED)
def test_every_linear_map_is_found_under_the_names_that_the_library_writes(tmp_path: Path, name: str) -> None:
    model = made(name)
    model.save_pretrained(tmp_path)
    now = dict(model.named_parameters())
    written = {name: each for name, each in load_file(tmp_path / "model.safetensors").items() if each.ndim == 2}
    assert sum(".self_attn." in each for each in written) >= 8
    assert any(each not in now for each in written)
    found = places(model, written)
    for old, value in written.items():
        assert torch.equal(now[found[old]], value), old
    today = [each for each, parameter in now.items() if parameter.ndim == 2]
    assert places(model, today) == {each: each for each in today}


@pytest.mark.full
@pytest.mark.parametrize("inner", ["language_model.model", "model.language_model"])
def test_the_merged_weights_of_a_llava_are_those_of_one_merged_by_hand(tmp_path: Path, inner: str) -> None:
    write_odd_model(tmp_path, "seeing-llava")
    before = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("seeing-llava").model
    shapes = {"layers.0.self_attn.q_proj": (32, 32), "layers.1.mlp.up_proj": (48, 32)}
    named = {f"{inner}.{module}": shape for module, shape in shapes.items()}
    pairs = write_adapter(tmp_path / "tuned", "seeing-llava", named)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("tuned")
    assert loaded.entry.text_part_of == "llava"
    merged = {}
    for module in shapes:
        down, up = pairs[f"{inner}.{module}"]
        merged[f"model.{module}.weight"] = before.get_parameter(f"model.{module}.weight") + 10 / 4 * (up @ down)
    for name, old in before.named_parameters():
        found = loaded.model.get_parameter(name)
        torch.testing.assert_close(found, merged.get(name, old), rtol=0, atol=1e-6, msg=name)


def test_a_weight_that_is_kept_in_another_form_is_refused() -> None:
    config = transformers.MixtralConfig(**LLAMA, num_local_experts=2)
    model = transformers.MixtralForCausalLM(config)
    attention = "model.layers.0.self_attn.q_proj.weight"
    expert = "model.layers.0.block_sparse_moe.experts.1.w1.weight"
    assert places(model, [attention]) == {attention: attention}
    with pytest.raises(ModelUnavailableError, match=r"experts\.1\.w1, which this version .* keeps in another form"):
        places(model, [attention, expert])


def test_a_name_that_no_release_has_had_is_refused() -> None:
    model = made("seeing-llava")
    with pytest.raises(
        ModelUnavailableError, match=r"language_model\.model\.layers\.7\.mlp\.up_proj, which its base d"
    ):
        places(model, ["language_model.model.layers.7.mlp.up_proj.weight"])
