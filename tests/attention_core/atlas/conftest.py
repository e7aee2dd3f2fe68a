"""Fixtures: both carried models, and tiny random ones."""

import pytest
from odd_models import write_odd_model
from tiny_models import CONFIGS, write_model_folder

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """All tiny models and the carried ones."""
    directory = tmp_path_factory.mktemp("models")
    for name in CONFIGS:
        write_model_folder(directory, name)
    for name in ("gemma2", "gpt_oss", "gemma4-shared"):
        write_odd_model(directory, name)
    return Catalog(models_dir=directory, device="cpu")


@pytest.fixture(scope="session")
def mini(models: Catalog) -> LoadedModel:
    """The small decoder."""
    return models.load("observatory-gpt2-mini")


@pytest.fixture(scope="session")
def minilm(models: Catalog) -> LoadedModel:
    """The small encoder."""
    return models.load("sentence-transformers/all-MiniLM-L6-v2")
