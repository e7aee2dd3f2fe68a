"""Broken or unsupported folders report their reason; intact ones load correctly."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse

Break = Callable[[Path], Any]


@pytest.fixture
def folder(tmp_path: Path, models_dir: Path) -> Path:
    """A whole GPT-2 to be broken."""
    return Path(shutil.copytree(models_dir / "tiny-gpt2", tmp_path / "models" / "tiny-gpt2"))


def edit_json(name: str, **changes: object) -> Break:
    def edit(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({**content, **changes}))

    return edit


def write(name: str, content: str) -> Break:
    return lambda folder: (folder / name).write_text(content)


def remove(*names: str) -> Break:
    return lambda folder: [(folder / name).unlink() for name in names]


def cut_weights(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[:-100])


def only_a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def edit_weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Break:
    def edit(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        change(weights)
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    return edit


def link_out(folder: Path) -> None:
    outside = folder.parent.parent / "outside.safetensors"
    (folder / "model.safetensors").rename(outside)
    (folder / "model.safetensors").symlink_to(outside)


def missing_shard(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    weight_map = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


def shard_elsewhere(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../other.safetensors"}}))


def config_of(model_type: str, **changes: object) -> Break:
    return write("config.json", json.dumps({"model_type": model_type, **changes}))


LISTED = {
    "config not JSON": (write("config.json", "{"), "config.json is not valid JSON"),
    "config nested too deep": (write("config.json", "[" * 100_000), "config.json is not valid JSON"),
    "config no object": (write("config.json", "[]"), "config.json is not a JSON object"),
    "config not text": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe\x00"), "config.json is not valid JSON"),
    "no model type": (write("config.json", "{}"), "does not give model_type"),
    "unknown architecture": (config_of("warp-drive"), "does not know the architecture 'warp-drive'"),
    "code of its own": (edit_json("config.json", auto_map={"AutoModel": "m.M"}), "custom code .auto_map."),
    "tokenizer with code": (edit_json("tokenizer_config.json", auto_map={"AutoTokenizer": ["t.T", None]}), "auto_map"),
    "wrong type in config": (edit_json("config.json", n_head="four"), "does not fit the architecture gpt2"),
    "no layers": (edit_json("config.json", n_layer=0), "does not give num_hidden_layers"),
    "architectures no list": (
        edit_json("config.json", architectures={"a": 1}),
        "values from which no model can be built",
    ),
    "more layers than weights": (
        edit_json("config.json", n_layer=1000),
        "config.json gives 1000 layers, but there are only 28",
    ),
    "more layers than any model": (
        edit_json("config.json", n_layer=10**9),
        "config.json gives n_layer as more than 100000, the most that is taken",
    ),
    "quantized": (edit_json("config.json", quantization_config={"quant_method": "gptq"}), "quantized"),
    "recurrent layers": (config_of("qwen3_next"), "not compute attention that can be shown: linear_attention"),
    "images and text": (config_of("blip"), "no base model of the type blip_text_model"),
    "two towers": (config_of("owlvit"), "neither part can be shown alone"),
    "no attention": (config_of("fnet"), "mixes tokens by Fourier transforms"),
    "no tokenizer": (remove("tokenizer.json"), "has no tokenizer"),
    "tokenizer settings not JSON": (write("tokenizer_config.json", "{"), "tokenizer_config.json is not valid JSON"),
    "half a tokenizer": (write("tokenizer.json", '{"model": {'), "tokenizer.json is truncated or not JSON"),
    "no weights": (remove("model.safetensors"), "has no weights: model.safetensors is missing"),
    "pickle": (only_a_pickle, "not in safetensors format .pytorch_model.bin."),
    "truncated weights": (cut_weights, "model.safetensors is truncated"),
    "empty weights": (write("model.safetensors", ""), "model.safetensors is truncated"),
    "text for weights": (write("model.safetensors", "version https://git-lfs.github.com/spec/v1\n" * 3), "truncated"),
    "missing shard": (
        missing_shard,
        "2 of its 2 weight files are missing, the first being model-00001-of-00002.safetensors",
    ),
    "shard elsewhere": (shard_elsewhere, "no valid weight_map"),
    "link that leads out": (link_out, "model.safetensors is a link to a place outside the models directory"),
}


def as_codes(dtype: torch.dtype, *, scales: bool) -> Break:
    """Store a matrix as a quantizer does, without saying so in config.json."""
    name = "transformer.h.0.attn.c_attn.weight"

    def change(weights: dict[str, torch.Tensor]) -> None:
        scale = weights[name].abs().max() / 100
        weights[name] = (weights[name] / scale).to(dtype)
        weights.update({f"{name}_scale": scale.reshape(1)} if scales else {})

    return edit_weights(change)


QUANTIZED = r"weights are quantized \(1 tensors, the first being transformer.h.0.attn.c_attn.weight in {}\), but"
LISTED |= {
    "int8": (as_codes(torch.int8, scales=True), QUANTIZED.format("I8")),
    "int8 without scales": (as_codes(torch.int8, scales=False), QUANTIZED.format("I8")),
    "uint8": (as_codes(torch.uint8, scales=False), QUANTIZED.format("U8")),
    "int32": (as_codes(torch.int32, scales=False), QUANTIZED.format("I32")),
    "float8 with scales": (as_codes(torch.float8_e4m3fn, scales=True), QUANTIZED.format("F8_E4M3")),
}
WHEN_LOADED = {
    "tokenizer not JSON": (write("tokenizer.json", "{{}"), r"cannot be read: JSONDecodeError: .* \(char 1\)\.$"),
    "tokenizer panics": (
        edit_json("tokenizer.json", normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "tokenizer cannot be read",
    ),
    "tokenizer panics when used": (
        edit_json(
            "tokenizer.json",
            post_processor={
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "no", "type_id": 0}}],
                "pair": [],
                "special_tokens": {},
            },
        ),
        "tokenizer does not work: .*no",
    ),
    "weights missing": (edit_weights(lambda w: w.pop("transformer.h.1.ln_1.weight")), "1 of its weights are missing"),
    "another width": (edit_json("config.json", n_embd=16), "weights do not fit its config.json"),
    "smaller vocabulary": (
        edit_weights(lambda w: w.update({"transformer.wte.weight": w["transformer.wte.weight"][:200].clone()})),
        "weights do not fit its config.json",
    ),
    "not a number": (edit_weights(lambda w: w["transformer.ln_f.bias"].fill_(float("nan"))), "not all finite"),
}


def entry_of(catalog: Catalog, model_id: str) -> ModelEntry:
    return next(entry for entry in catalog.entries() if entry.id == model_id)


def check_refused(folder: Path, reason: str, catalog: Catalog) -> None:
    with pytest.raises(ModelUnavailableError, match=f"^tiny-gpt2 cannot be used. .*{reason}") as caught:
        catalog.load("tiny-gpt2")
    entry = entry_of(catalog, "tiny-gpt2")
    assert not entry.available
    assert str(caught.value) == f"tiny-gpt2 cannot be used. {entry.reason}"
    assert (caught.value.code, caught.value.field) == ("model_unavailable", "model")
    assert str(folder.parent) not in str(caught.value)


@pytest.mark.parametrize(("damage", "reason"), LISTED.values(), ids=LISTED.keys())
def test_the_list_says_what_is_wrong(folder: Path, damage: Break, reason: str) -> None:
    damage(folder)
    catalog = Catalog(models_dir=folder.parent, hub_models=(), device="cpu")
    assert not entry_of(catalog, "tiny-gpt2").available
    check_refused(folder, reason, catalog)


@pytest.mark.parametrize(("damage", "reason"), WHEN_LOADED.values(), ids=WHEN_LOADED.keys())
def test_loading_says_what_is_wrong_and_the_list_remembers(folder: Path, damage: Break, reason: str) -> None:
    damage(folder)
    catalog = Catalog(models_dir=folder.parent, hub_models=(), device="cpu")
    assert entry_of(catalog, "tiny-gpt2").available
    check_refused(folder, reason, catalog)


def test_tokenizer_that_knows_more_than_the_model(folder: Path) -> None:
    edit_json("config.json", vocab_size=200)(folder)
    edit_weights(lambda w: w.update({"transformer.wte.weight": w["transformer.wte.weight"][:200].clone()}))(folder)
    reason = "tokenizer's ids go up to 375, but the model has only 200"
    check_refused(folder, reason, Catalog(models_dir=folder.parent, hub_models=(), device="cpu"))


def test_repaired_files_are_seen_at_once(folder: Path) -> None:
    whole = (folder / "tokenizer.json").read_text()
    write("tokenizer.json", "{")(folder)
    catalog = Catalog(models_dir=folder.parent, hub_models=(), device="cpu")
    check_refused(folder, "tokenizer cannot be read", catalog)
    write("tokenizer.json", whole)(folder)
    assert entry_of(catalog, "tiny-gpt2").available
    assert catalog.load("tiny-gpt2").entry.available


# --- whole models ---------------------------------------------------------------------------------------------------


def test_minilm_is_loaded_as_published(minilm: LoadedModel) -> None:
    assert type(minilm.model).__name__ == "BertModel"
    assert not minilm.model.training
    assert not any(parameter.requires_grad for parameter in minilm.model.parameters())
    assert (minilm.device, minilm.dtype) == (torch.device("cpu"), torch.float32)
    assert minilm.model.config._attn_implementation == "observatory"
    assert minilm.nbytes == sum(t.nbytes for t in (*minilm.model.parameters(), *minilm.model.buffers()))


@pytest.mark.full
def test_every_architecture_gives_what_transformers_gives(catalog: Catalog, models_dir: Path) -> None:
    """Same class, same numbers as the library's own eager loading; tied weights stay tied."""
    texts = [entry for entry in catalog.entries() if entry.source == "directory" and entry.reads == "text"]
    available = [entry for entry in texts if entry.available]
    assert len(available) == 12
    for entry in available:
        loaded = catalog.load(entry.id)
        model_class = getattr(transformers, str(entry.architecture))
        expected = model_class.from_pretrained(models_dir / entry.id, attn_implementation="eager").eval()
        assert type(loaded.model) is type(expected)
        assert {n: t.tolist() for n, t in loaded.model.state_dict().items()} == {
            n: t.tolist() for n, t in expected.state_dict().items()
        }
        if expected.get_output_embeddings() is not None and expected.config.tie_word_embeddings:
            assert loaded.model.get_output_embeddings().weight is loaded.model.get_input_embeddings().weight


@pytest.mark.parametrize(
    ("more", "architecture"),
    [
        ({"num_labels": 3}, "RobertaForSequenceClassification"),
        ({"num_labels": 1}, "RobertaModel"),
        ({"num_labels": 3, "problem_type": "multi_label_classification"}, "RobertaModel"),
    ],
)
def test_a_classifier_has_its_head_if_it_tells_one_of_several_classes(
    tmp_path: Path, models_dir: Path, more: dict[str, Any], architecture: str
) -> None:
    folder = shutil.copytree(models_dir / "tiny-roberta", tmp_path / "classifier")
    config = transformers.AutoConfig.from_pretrained(folder, **more)
    classifier = transformers.RobertaForSequenceClassification(config)
    classifier.save_pretrained(folder)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("classifier")
    assert type(loaded.model).__name__ == architecture
    layer = "encoder.layer.1.attention.self.query.weight"
    assert torch.equal(loaded.model.base_model.state_dict()[layer], classifier.roberta.state_dict()[layer])
    assert (loaded.class_names is None) == (architecture == "RobertaModel")
    if loaded.class_names is not None:
        head = "classifier.out_proj.weight"
        assert torch.equal(loaded.model.state_dict()[head], classifier.state_dict()[head])


def test_half_precision_files_are_loaded_in_float32(tmp_path: Path, models_dir: Path) -> None:
    folder = shutil.copytree(models_dir / "tiny-llama", tmp_path / "half")
    model = transformers.LlamaForCausalLM.from_pretrained(models_dir / "tiny-llama").half()
    model.save_pretrained(folder)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("half")
    assert {p.dtype for p in loaded.model.parameters()} == {torch.float32}
    assert all(torch.equal(p, q.float()) for p, q in zip(loaded.model.parameters(), model.parameters(), strict=True))


@pytest.mark.parametrize(("name", "dtype"), [("float16", torch.float16), ("bfloat16", torch.bfloat16)])
def test_precision_of_the_operators_choice(models_dir: Path, name: str, dtype: torch.dtype) -> None:
    loaded = Catalog(models_dir=models_dir, hub_models=(), device="cpu", dtype=name).load("tiny-gpt2")
    assert loaded.dtype == dtype
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {dtype}
    assert torch.get_default_dtype() == torch.float32


def test_shards_are_one_model(tmp_path: Path, models_dir: Path) -> None:
    folder = shutil.copytree(models_dir / "tiny-llama", tmp_path / "sharded")
    (folder / "model.safetensors").unlink()
    model = transformers.LlamaForCausalLM.from_pretrained(models_dir / "tiny-llama")
    model.save_pretrained(folder, max_shard_size="40KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("sharded")
    assert all(torch.equal(p, q) for p, q in zip(loaded.model.parameters(), model.parameters(), strict=True))


@pytest.mark.full
def test_fingerprint_is_of_the_content_alone(folder: Path, tmp_path: Path) -> None:
    """A copy has the same, other weights of the same shape another."""
    copy = Path(shutil.copytree(folder, tmp_path / "copies" / "tiny-gpt2", copy_function=shutil.copyfile))
    catalogs = [Catalog(models_dir=f.parent, hub_models=(), device="cpu") for f in (folder, copy)]
    first, second = (catalog.load("tiny-gpt2").fingerprint for catalog in catalogs)
    assert first == second
    edit_weights(lambda w: [t.mul_(1.5) for t in w.values()])(copy)
    assert catalogs[1].load("tiny-gpt2").fingerprint != first


def test_heads_that_cannot_share(tmp_path: Path, models_dir: Path) -> None:
    folder = Path(shutil.copytree(models_dir / "tiny-llama", tmp_path / "uneven"))
    edit_json("config.json", num_key_value_heads=3)(folder)
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu")
    with pytest.raises(ModelUnavailableError, match="4 heads, which cannot share 3 key/value heads evenly"):
        catalog.load("uneven")


def test_a_layer_without_our_attention_is_found_by_trying(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose layers do not all come through our attention is refused, whatever its source says."""
    model_class = transformers.GPT2LMHeadModel
    forward = model_class.forward
    monkeypatch.setattr(
        model_class, "forward", lambda self, **inputs: (self.transformer.h.__delitem__(1), forward(self, **inputs))
    )
    catalog = Catalog(models_dir=folder.parent, hub_models=(), device="cpu")
    with pytest.raises(ModelUnavailableError, match="Only 1 of its 2 layers have an attention that can be recorded"):
        catalog.load("tiny-gpt2")


def caveats(folder: Path) -> list[str]:
    """What an analysis says of a model's weights."""
    loaded = Catalog(models_dir=folder.parent, hub_models=(), device="cpu").load(folder.name)
    found = analyse(loaded, AnalysisRequest("A small model."), max_tokens=20).warnings
    return [str(each.message) for each in found if each.code == "weights"]


@pytest.mark.parametrize("left", [1, 2])
def test_fewer_layers_than_the_weights_hold_are_said(folder: Path, left: int) -> None:
    held = json.loads((folder / "config.json").read_text())["n_layer"]
    edit_json("config.json", n_layer=left)(folder)
    first = f"transformer.h.{left}.attn.c_attn.weight"
    assert caveats(folder) == ([
        "Its weights hold more layers (or experts) than config.json counts, so this is not the model that was trained: "
        f"{first} and others are left out."
    ] if left < held else [])  # fmt: skip


def test_other_weights_may_be_left_out(folder: Path) -> None:
    edit_weights(lambda w: w.update({"score.0.weight": torch.ones(2, 2), "transformer.h.0.attn.bias": torch.ones(1)}))(
        folder
    )
    assert caveats(folder) == []


def test_small_floats_without_scales_are_read_and_said(folder: Path) -> None:
    name = "transformer.h.0.attn.c_attn.weight"
    edit_weights(lambda w: w.update({name: w[name].to(torch.float8_e5m2)}))(folder)
    stored = load_file(folder / "model.safetensors")[name]
    [said] = caveats(folder)
    assert said == (
        f"1 of its weights are stored in 8 bits or fewer and without scales, the first being {name} (F8_E5M2); they "
        "are read as they are."
    )
    loaded = Catalog(models_dir=folder.parent, hub_models=(), device="cpu").load(folder.name)
    assert torch.equal(dict(loaded.model.named_parameters())[name], stored.float())
