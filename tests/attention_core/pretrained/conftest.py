"""Fixtures: real MiniLM, and tiny random models in folders."""

from collections.abc import Callable
from pathlib import Path

import pytest
from odd_models import write_odd_model
from tiny_models import CONFIGS, write_model_folder

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def minilm() -> LoadedModel:
    return Catalog(device="cpu").load(MINILM)


@pytest.fixture(scope="session")
def make_model_folder() -> Callable[[Path, str], Path]:
    """Write one of CONFIGS with its tokenizer into a folder of that name inside a directory."""
    return write_model_folder


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a folder for each of CONFIGS. Only to be read."""
    directory = tmp_path_factory.mktemp("models")
    for name in CONFIGS:
        write_model_folder(directory, name)
    return directory


@pytest.fixture(scope="session")
def catalog(models_dir: Path) -> Catalog:
    """All tiny models and MiniLM."""
    return Catalog(models_dir=models_dir, device="cpu")


@pytest.fixture(scope="session")
def decoder(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], LoadedModel]:
    """One of the tiny models, or of ``odd_models``, loaded once; only to be read."""
    directory = tmp_path_factory.mktemp("odd")
    kept: dict[str, LoadedModel] = {}

    def load(name: str) -> LoadedModel:
        if name in CONFIGS:
            return catalog.load(name)
        if name not in kept:
            write_odd_model(directory, name)
            kept[name] = Catalog(models_dir=directory, hub_models=(), device="cpu").load(name)
        return kept[name]

    return load
