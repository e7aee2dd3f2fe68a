"""The trial run on unusual architectures."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from odd_models import ODD, write_odd_model
from safetensors.torch import load_file, save_file

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.files.folders import inspect_folder
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.trial.trial_run import SOURCE_TOKENS, TARGET_TOKENS, trial_inputs

ENCODER_DECODER = {"encoder": 2, "decoder": 3, "cross": 3}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("odd")
    for name in ODD:
        write_odd_model(directory, name)
    return directory


@pytest.fixture(scope="module")
def odd(directory: Path) -> Catalog:
    return Catalog(models_dir=directory, device="cpu", hub_models=())


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "kind", "layers"),
    [
        ("bare-bart", "encoder_decoder", ENCODER_DECODER),
        ("classifying-bart", "encoder_decoder", ENCODER_DECODER),
        ("answering-t5", "encoder_decoder", ENCODER_DECODER),
        ("starting-t5", "encoder_decoder", ENCODER_DECODER),
        ("half-bart", "decoder", {"decoder": 3}),
        ("doge", "decoder", {"decoder": 2}),
        ("llama4", "decoder", {"decoder": 2}),
        ("both-ways", "encoder", {"encoder": 2}),
        ("clip", "decoder", {"decoder": 2}),
        ("reading-generator", "encoder", {"encoder": 2}),
        ("jetmoe", "decoder", {"decoder": 2}),
        ("gemma4", "decoder", {"decoder": 2}),
    ],
)
def test_kind_and_layers_are_those_that_were_seen(odd: Catalog, name: str, kind: str, layers: dict[str, int]) -> None:
    loaded = odd.load(name)
    assert (loaded.entry.kind, {part.name: part.layers for part in loaded.parts}) == (kind, layers)
    assert [part.causal for part in loaded.parts] == [part.name == "decoder" for part in loaded.parts]
    listed = next(entry for entry in odd.entries() if entry.id == name)
    assert listed == loaded.entry


@pytest.mark.parametrize(("name", "sizes"), [("jetmoe", (4, 2, 8)), ("gemma4", (4, 2, None)), ("doge", (4, 2, 8))])
def test_heads_are_those_that_were_seen(odd: Catalog, name: str, sizes: tuple[int | None, ...]) -> None:
    entry = odd.load(name).entry
    assert (entry.heads, entry.kv_heads, entry.head_dim) == sizes


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("diffllama", "It computes attention 4 times in 2 layers"),
        ("longt5", "Only 0 of the 2 layers of its encoder part have an attention"),
        ("pegasus_x", "Only 0 of the 2 layers of its encoder part have an attention"),
        ("bigbird_pegasus", "Only 0 of the 2 layers of its encoder part have an attention"),
    ],
)
def test_what_is_not_recorded_whole_is_refused_and_listed_so(odd: Catalog, name: str, reason: str) -> None:
    with pytest.raises(ModelUnavailableError, match=reason):
        odd.load(name)
    listed = next(entry for entry in odd.entries() if entry.id == name)
    assert not listed.available
    assert reason in str(listed.reason)


def test_layers_with_other_numbers_of_heads_are_refused(tmp_path: Path) -> None:
    """A picture of all heads has as many columns in every row."""
    path = write_odd_model(tmp_path, "gemma4") / "config.json"
    config = json.loads(path.read_text())
    config["per_layer_config"] = {"0": {"num_attention_heads": 4}, "1": {"num_attention_heads": 2}}
    path.write_text(json.dumps(config))
    entry = next(each for each in Catalog(models_dir=tmp_path, device="cpu").entries() if each.id == "gemma4")
    assert str(entry.reason) == "Its layers have different numbers of heads, which is not supported here."


def test_a_model_that_does_not_run_is_listed_with_what_was_raised(tmp_path: Path) -> None:
    write_odd_model(tmp_path, "classifying-bert", type_vocab_size=0)
    catalog = Catalog(models_dir=tmp_path, device="cpu", hub_models=())
    with pytest.raises(RuntimeError) as raised:
        torch.nn.Embedding(0, 32)(torch.zeros(1, dtype=torch.long))
    reason = f"It does not run: RuntimeError: {raised.value}."
    with pytest.raises(ModelUnavailableError):
        catalog.load("classifying-bert")
    assert [str(each.reason) for each in catalog.entries() if each.id == "classifying-bert"] == [reason]


def test_a_model_that_overflows_in_half_precision_is_refused(tmp_path: Path, models_dir: Path) -> None:
    folder = shutil.copytree(models_dir / "tiny-bert", tmp_path / "tiny-bert")
    tensors = load_file(folder / "model.safetensors")
    for name, tensor in tensors.items():
        if name.endswith(("layer.0.intermediate.dense.bias", "layer.0.output.dense.weight")):
            tensor.add_(1_000)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("tiny-bert")
    with pytest.raises(ModelUnavailableError, match="In float16 its numbers overflow"):
        Catalog(models_dir=tmp_path, device="cpu", dtype="float16", hub_models=()).load("tiny-bert")


def test_inputs_are_ordinary_tokens_and_the_same_every_time(odd: Catalog, directory: Path) -> None:
    loaded: LoadedModel = odd.load("starting-t5")
    facts = inspect_folder(directory / "starting-t5").facts
    inputs = trial_inputs(loaded.model, loaded.tokenizer, facts, None)
    assert inputs["input_ids"].shape == (1, SOURCE_TOKENS)
    assert inputs["decoder_input_ids"].shape == (1, TARGET_TOKENS)
    assert not set(inputs["input_ids"].flatten().tolist()) & set(loaded.tokenizer.all_special_ids)
    again = trial_inputs(loaded.model, loaded.tokenizer, facts, None)
    assert all(torch.equal(inputs[each], again[each]) for each in inputs)
