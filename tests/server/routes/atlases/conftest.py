"""Fixtures: a server with two atlases of six layers of twelve heads, and one of another model."""

from pathlib import Path

import pytest
from atlas_folders import FakeAtlas, write_atlas

from server.settings import Settings

ATLAS, OTHER, SMALL = "00000000000000a1", "00000000000000a2", "00000000000000a3"


@pytest.fixture(scope="module")
def atlases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("atlases")
    write_atlas(root, FakeAtlas(id=ATLAS))
    write_atlas(root, FakeAtlas(id=OTHER, seed=1))
    write_atlas(root, FakeAtlas(id=SMALL, model="small", layers=1, heads=2, windows=2, sampled=2, has_relations=False))
    return root


@pytest.fixture(scope="module")
def settings(atlases: Path) -> Settings:
    return Settings(device="cpu", hub_models=(), preload=False, atlases_dir=atlases)


@pytest.fixture
def atlas() -> str:
    """The address of the first."""
    return f"/api/atlases/{ATLAS}"


@pytest.fixture
def small() -> str:
    """The address of the one of another model."""
    return f"/api/atlases/{SMALL}"


@pytest.fixture
def other() -> str:
    """The id of the second."""
    return OTHER
