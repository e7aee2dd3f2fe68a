"""LoRA adapters: found with their base, merged exactly, refused by name where they are anything else.

The oracle applies the adapter as PEFT does while a model runs: each adapted layer adds scaling · B(A(x)) to its output.
(PEFT itself is no dependency of the tests: it needs accelerate, which changes how transformers loads every model.)
"""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from adapter_folders import write_adapter
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.files.adapters import BaseName

QUERY = "model.layers.0.self_attn.q_proj"
KEY = "model.layers.1.self_attn.k_proj"
LLAMA = {QUERY: (24, 32), KEY: (12, 32)}
TOKENS = torch.arange(3, 20)[None]


@pytest.fixture
def models(tmp_path: Path, models_dir: Path) -> Path:
    for name in ("tiny-llama", "tiny-gpt2", "tiny-bert"):
        shutil.copytree(models_dir / name, tmp_path / "models" / name)
    return tmp_path / "models"


def catalog_of(models: Path) -> Catalog:
    return Catalog(models_dir=models, hub_models=(), device="cpu")


def reason(models: Path, name: str = "tuned") -> str | None:
    (entry,) = [each for each in catalog_of(models).entries() if each.id == name]
    assert entry.available == (entry.reason is None)
    return None if entry.reason is None else str(entry.reason)


def adapted(model: nn.Module, pairs: Mapping[str, tuple[Tensor, Tensor]], scalings: Mapping[str, float]) -> Tensor:
    """Logits of the base while every adapted layer adds its low-rank part to what it puts out."""

    def adding(module: str) -> Callable[..., Tensor]:
        down, up = pairs[module]
        return lambda _, inputs, output: output + scalings[module] * (inputs[0] @ down.T) @ up.T

    with ExitStack() as stack, torch.no_grad():
        for module in pairs:
            handle = model.get_submodule(module).register_forward_hook(adding(module))
            stack.callback(handle.remove)
        return Tensor(model(input_ids=TOKENS).logits)


@pytest.mark.parametrize(
    ("settings", "ranks", "scalings"),
    [
        ({}, {}, {QUERY: 10 / 4, KEY: 10 / 4}),
        ({"use_rslora": True}, {}, {QUERY: 10 / 2, KEY: 10 / 2}),
        ({"rank_pattern": {"k_proj": 3}}, {KEY: 3}, {QUERY: 10 / 4, KEY: 10 / 3}),
        ({"alpha_pattern": {"layers.1.self_attn.k_proj": 7}}, {}, {QUERY: 10 / 4, KEY: 7 / 4}),
        ({"alpha_pattern": {"^model\\.layers\\.0.self_attn.q_proj": 7}}, {}, {QUERY: 7 / 4, KEY: 10 / 4}),
        ({"alpha_pattern": {"^self_attn.q_proj": 7, "proj": 9}}, {}, {QUERY: 10 / 4, KEY: 10 / 4}),
        ({"rank_pattern": {"k_proj": 2}, "use_rslora": True}, {KEY: 2}, {QUERY: 10 / 2, KEY: 10 / math.sqrt(2)}),
    ],
)
def test_it_is_merged_as_it_was_trained(
    models: Path, settings: dict[str, Any], ranks: dict[str, int], scalings: dict[str, float]
) -> None:
    pairs = write_adapter(models / "owner" / "tuned", "tiny-llama", LLAMA, ranks=ranks, **settings)
    base = transformers.LlamaForCausalLM.from_pretrained(models / "tiny-llama").eval()
    expected = adapted(base, pairs, scalings)
    loaded = catalog_of(models).load("owner/tuned")
    assert (loaded.entry.base, loaded.entry.layers, loaded.revision) == ("tiny-llama", 2, None)
    with torch.no_grad():
        torch.testing.assert_close(loaded.model(input_ids=TOKENS).logits, expected, rtol=0, atol=1e-5)
        assert (base(input_ids=TOKENS).logits - expected).abs().max() > 0.01


@pytest.mark.parametrize("flag", [True, False])
def test_the_transposed_weights_of_gpt2(models: Path, flag: bool) -> None:
    """A Conv1D keeps its weight as (inputs, outputs), whatever fan_in_fan_out says."""
    module = "transformer.h.1.attn.c_attn"
    pairs = write_adapter(models / "tuned", "tiny-gpt2", {module: (96, 32)}, fan_in_fan_out=flag)
    base = transformers.GPT2LMHeadModel.from_pretrained(models / "tiny-gpt2").eval()
    expected = adapted(base, pairs, {module: 10 / 4})
    with torch.no_grad():
        logits = catalog_of(models).load("tuned").model(input_ids=TOKENS).logits
    torch.testing.assert_close(logits, expected, rtol=0, atol=1e-5)


def test_a_model_that_was_wrapped_without_its_head(models: Path) -> None:
    """PEFT names the modules of the class that was trained: of BertModel, not of BertForMaskedLM."""
    short = "encoder.layer.0.attention.self.query"
    (down, up) = write_adapter(models / "tuned", "tiny-bert", {short: (32, 32)}, task_type="FEATURE_EXTRACTION")[short]
    base = load_file(models / "tiny-bert" / "model.safetensors")[f"bert.{short}.weight"]
    merged = catalog_of(models).load("tuned").model.get_parameter(f"bert.{short}.weight")
    torch.testing.assert_close(merged, base + 10 / 4 * up @ down, rtol=0, atol=1e-6)


def test_weights_that_are_saved_in_whole(models: Path) -> None:
    norm = torch.linspace(0.5, 1.5, 32)
    whole = {"model.norm.weight": norm}
    write_adapter(models / "tuned", "tiny-llama", LLAMA, whole=whole, modules_to_save=["norm"])
    assert torch.equal(catalog_of(models).load("tuned").model.get_parameter("model.norm.weight"), norm)


def test_an_adapted_embedding(models: Path) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA)
    down, up = torch.randn(4, 384), torch.randn(32, 4)
    path = models / "tuned" / "adapter_model.safetensors"
    name = "base_model.model.model.embed_tokens.lora_embedding_"
    save_file({**load_file(path), f"{name}A": down, f"{name}B": up}, path)
    base = load_file(models / "tiny-llama" / "model.safetensors")["model.embed_tokens.weight"]
    merged = catalog_of(models).load("tuned").model.get_input_embeddings().weight
    torch.testing.assert_close(merged, base + 10 / 4 * (up @ down).T, rtol=0, atol=1e-5)


@pytest.mark.full
def test_numbers_of_an_adapter_are_not_those_of_its_base(models: Path) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA)
    write_adapter(models / "other", "tiny-llama", LLAMA, lora_alpha=11)
    catalog = catalog_of(models)
    prints = {catalog.load(name).fingerprint for name in ("tuned", "other", "tiny-llama")}
    assert len(prints) == 3


def test_another_base_under_the_same_name_is_loaded_anew(models: Path) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA)
    catalog = catalog_of(models)
    first = catalog.load("tuned")
    path = models / "tiny-llama" / "model.safetensors"
    save_file({name: 2 * value for name, value in load_file(path).items()}, path, metadata={"format": "pt"})
    assert catalog.load("tuned").fingerprint != first.fingerprint


# --- its base -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "revision", "candidates"),
    [
        ("org/name", None, ["org/name"]),
        ("org/name", "main", ["org/name"]),
        ("org/name", "step1000", ["org/name@step1000"]),
        ("gpt2", None, ["gpt2", "openai-community/gpt2"]),
        ("/data/org/name", None, ["/data/org/name", "org/name", "name"]),
        ("./name/", None, ["./name/", "name"]),
        ("C:\\models\\name", None, ["C:\\models\\name", "models/name", "name"]),
    ],
)
def test_names_of_a_base(name: str, revision: str | None, candidates: list[str]) -> None:
    assert BaseName(name, revision).candidates() == candidates


@pytest.mark.full
def test_a_base_that_comes_with_the_installation(models: Path) -> None:
    module = "encoder.layer.2.attention.self.value"
    write_adapter(models / "tuned", "sentence-transformers/all-MiniLM-L6-v2", {module: (384, 384)})
    assert catalog_of(models).load("tuned").entry.heads == 12


def test_a_base_that_is_missing_says_what_to_do(models: Path) -> None:
    write_adapter(models / "tuned", "some/base", LLAMA)
    assert reason(models) == (
        "It is an adapter of some/base, which is not on this machine. Put that model into the models directory under "
        "this name, or into the Hugging Face cache."
    )
    shutil.copytree(models / "tiny-llama", models / "some" / "base")
    assert reason(models) is None
    (models / "some" / "base" / "model.safetensors").unlink()
    assert reason(models) == ("Its base some/base cannot be used. It has no weights: model.safetensors is missing.")


def test_other_bases_that_cannot_be(models: Path) -> None:
    write_adapter(models / "tuned", "", LLAMA)
    assert "does not say which model it changes" in str(reason(models))
    write_adapter(models / "twice", "tuned", LLAMA)
    assert "adapter of an adapter" in str(reason(models, "twice"))
    write_adapter(models / "itself", "itself", LLAMA)
    assert "which is not on this machine" in str(reason(models, "itself"))


# --- refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"peft_type": "IA3"}, "peft_type IA3"),
        ({"use_dora": True}, "DoRA (use_dora)"),
        ({"bias": "all"}, "bias all"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights pissa"),
        ({"layer_replication": [[0, 1]]}, "layer_replication"),
        ({"from_the_future": 1}, "from_the_future"),
        ({"alpha_pattern": {"(a+)+$": 3}}, "the pattern (a+)+$"),
    ],
)
def test_what_is_not_plain_lora_is_refused_by_name(models: Path, settings: dict[str, Any], what: str) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA, **settings)
    assert reason(models) == (
        f"It is an adapter with {what}; only plain LoRA is merged here. Merge it with PEFT (merge_and_unload), save "
        "the merged model and put that folder here."
    )


def drop(end: str) -> Callable[[dict[str, Tensor]], dict[str, Tensor]]:
    return lambda tensors: {name: value for name, value in tensors.items() if not name.endswith(end)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop(f"{KEY}.lora_B.weight"), f"has only one of the two matrices of {KEY}"),
        (lambda _: {}, "holds no LoRA matrices"),
        (lambda tensors: {**tensors, "base_model.model.lm_head.weight": torch.ones(384, 32)}, "weight lm_head.weight"),
        (lambda tensors: {name: value.reshape(*value.shape, 1, 1) for name, value in tensors.items()}, "convolutions"),
        (lambda tensors: {name: torch.ones(5, 5) for name in tensors}, "do not have the rank 4 of adapter_config.json"),
    ],
)
def test_damaged_weights(models: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]], message: str) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA)
    path = models / "tuned" / "adapter_model.safetensors"
    save_file(change(load_file(path)), path)
    assert message in str(reason(models))


def test_files_that_are_not_there_or_not_read(models: Path) -> None:
    write_adapter(models / "tuned", "tiny-llama", LLAMA)
    (models / "tuned" / "adapter_model.safetensors").rename(models / "tuned" / "adapter_model.bin")
    assert "not in safetensors format (adapter_model.bin)" in str(reason(models))
    (models / "tuned" / "adapter_model.bin").unlink()
    assert reason(models) == "It has no weights: adapter_model.safetensors is missing."
    (models / "tuned" / "adapter_config.json").write_text("{")
    assert "does not say which model" in str(reason(models))


@pytest.mark.parametrize(
    ("base", "shapes", "settings", "message"),
    [
        (
            "tiny-llama",
            {"model.layers.7.mlp.up_proj": (48, 32)},
            {},
            r"layers\.7\.mlp\.up_proj, which its base does not",
        ),
        ("tiny-llama", {QUERY: (32, 32)}, {}, r"does not fit model\.layers\.0\.self_attn\.q_proj of its base"),
        ("tiny-llama", {"model.norm": (32, 32)}, {}, r"does not fit model\.norm"),
        ("tiny-gpt2", {"lm_head": (384, 32)}, {}, r"lm_head\.weight, which its base uses in two places"),
    ],
)
def test_what_does_not_fit_its_base(
    models: Path, base: str, shapes: dict[str, tuple[int, int]], settings: dict[str, Any], message: str
) -> None:
    write_adapter(models / "tuned", base, shapes, **settings)
    with pytest.raises(ModelUnavailableError, match=message):
        catalog_of(models).load("tuned")
    assert catalog_of(models).load(base).entry.available


def test_a_link_out_of_the_directory_is_not_followed(models: Path) -> None:
    write_adapter(models.parent / "outside", "tiny-llama", LLAMA)
    (models / "tuned").symlink_to(models.parent / "outside")
    assert reason(models) == "tuned is a link to a place outside the models directory."


def test_a_whole_model_with_a_stray_adapter_beside_it_is_that_model(models: Path) -> None:
    (models / "tiny-llama" / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"}))
    assert catalog_of(models).load("tiny-llama").entry.base is None
