"""What a model will take in memory, counted before any of it is allocated."""

import json
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from odd_models import write_odd_model
from safetensors.torch import load_file, save_file
from tiny_models import CONFIGS
from transformers import AutoModel

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.model_size import nbytes
from attention_core.pretrained.models.weight_loading import allocated_bytes

PLENTY = 10**12
KILOBYTES = 1024


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CONFIGS)
def test_it_is_what_the_loaded_model_takes(models_dir: Path, name: str, dtype: str) -> None:
    catalog = Catalog(models_dir=models_dir, hub_models=(), device="cpu", dtype=dtype)
    inspection = catalog.inspect(name)
    assert inspection is not None
    counted = allocated_bytes(inspection, catalog.dtype, PLENTY)
    assert counted == allocated(catalog, name)


def allocated(catalog: Catalog, name: str) -> int:
    """Bytes of what a model holds, also beside its parameters and buffers; what is shared counts once."""
    modules = list(catalog.load(name).model.modules())
    held = [
        tensor
        for module in modules
        for store in (vars(module), module._parameters, module._buffers)
        for tensor in store.values()
        if isinstance(tensor, torch.Tensor)
    ]
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in held}
    return sum(storages.values())


def counted_and_allocated(folder: Path) -> tuple[int, int]:
    catalog = Catalog(models_dir=folder.parent, hub_models=(), device="cpu")
    inspection = catalog.inspect(folder.name)
    assert inspection is not None
    return allocated_bytes(inspection, catalog.dtype, PLENTY), allocated(catalog, folder.name)


EXPERTS = ["gpt_oss", "mixtral", "qwen2_moe", "jetmoe", "llama4"]
SHARED = ["gemma4-shared", "reading-generator", "starting-t5", "falcon", "rembert"]
TWO_STACKS = ["bare-bart", "answering-t5", "half-bart", "fsmt", "led", "mvp"]
OF_OWN_TABLES = ["xlnet", "deberta", "registers", "biased", "gpt_neo", "codegen", "layoutlmv3"]


@pytest.mark.full
@pytest.mark.parametrize("name", [*EXPERTS, *SHARED, *TWO_STACKS, *OF_OWN_TABLES])
def test_it_is_so_of_unusual_models_too(tmp_path: Path, name: str) -> None:
    counted, real = counted_and_allocated(write_odd_model(tmp_path, name))
    assert real <= counted <= 1.3 * real


def test_it_is_so_where_files_are_in_parts_and_lack_a_layer(models_dir: Path, tmp_path: Path) -> None:
    model = AutoModel.from_pretrained(models_dir / "tiny-bert")
    without_pooler = {name: each for name, each in model.state_dict().items() if not name.startswith("pooler")}
    folder = tmp_path / "parts"
    shutil.copytree(models_dir / "tiny-bert", folder, ignore=shutil.ignore_patterns("*.safetensors"))
    model.save_pretrained(folder, state_dict=without_pooler, max_shard_size="20KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    counted, real = counted_and_allocated(folder)
    assert (
        real
        == counted
        == sum(4 * each.numel() for each in model.parameters()) + sum(each.nbytes for each in model.buffers())
    )


def test_a_text_part_is_counted_as_the_whole_model_that_is_read_for_it(tmp_path: Path) -> None:
    folder = write_odd_model(tmp_path, "seeing-llava")
    in_file = sum(tensor.nbytes for tensor in load_file(folder / "model.safetensors").values())
    counted, kept = counted_and_allocated(folder)
    assert kept < in_file <= counted <= 1.3 * in_file


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tiny-bert", {"vocab_size": 4 * 10**7}),
        ("tiny-bert", {"type_vocab_size": 4 * 10**7}),
        ("tiny-gpt2", {"n_positions": 4 * 10**7}),
        ("tiny-llama", {"intermediate_size": 10**8}),
        ("tiny-t5", {"d_ff": 10**10}),
    ],
)
def test_what_the_configuration_gives_and_the_file_lacks_is_counted(
    tmp_path: Path, make_model_folder: Callable[[Path, str], Path], name: str, changes: dict[str, int]
) -> None:
    config = make_model_folder(tmp_path, name) / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | changes))
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu", max_model_bytes=200 * 2**20)
    assert catalog.entries()[0].available  # by what its file holds
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelUnavailableError, match=r"It needs [\d,]+ bytes; models may use at most 209,715,200"):
        catalog.load(name)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * KILOBYTES
    assert not catalog.entries()[0].available


def test_numbers_of_eight_bits_are_counted_as_the_floats_that_they_become(models_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny-bert"
    shutil.copytree(models_dir / "tiny-bert", folder)
    weights = load_file(folder / "model.safetensors")
    save_file({name: tensor.to(torch.float8_e4m3fn) for name, tensor in weights.items()}, folder / "model.safetensors")
    whole = Catalog(models_dir=models_dir, hub_models=(), device="cpu")
    loaded = whole.load("tiny-bert").nbytes
    assert (folder / "model.safetensors").stat().st_size < loaded / 2
    catalog = Catalog(models_dir=tmp_path, hub_models=(), device="cpu", max_model_bytes=loaded - 1)
    with pytest.raises(ModelUnavailableError, match="models may use at most"):
        catalog.load("tiny-bert")


def test_a_model_of_too_many_tensors_is_not_built_to_its_end(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Catalog(models_dir=models_dir, hub_models=(), device="cpu")
    inspection = catalog.inspect("tiny-bert")
    assert inspection is not None
    monkeypatch.setattr("attention_core.pretrained.models.model_size.MOST_TENSORS", 5)
    assert allocated_bytes(inspection, torch.float32, PLENTY) > PLENTY


def test_a_tensor_of_whole_numbers_keeps_its_type() -> None:
    assert nbytes(torch.zeros(3, dtype=torch.int64), torch.bfloat16) == 24
    assert nbytes(torch.zeros(3), torch.bfloat16) == 6
