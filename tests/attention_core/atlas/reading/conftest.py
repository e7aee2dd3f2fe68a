"""Fixtures: an atlas of six layers of twelve heads."""

from pathlib import Path

import pytest
from atlas_folders import write_atlas

from attention_core.atlas.reading.atlas import Atlas, open_atlas


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_atlas(tmp_path_factory.mktemp("atlases"))


@pytest.fixture
def atlas(folder: Path) -> Atlas:
    return open_atlas(folder)
