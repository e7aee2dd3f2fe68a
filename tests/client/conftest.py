"""Fixtures: a real server for the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import serving


@pytest.fixture(scope="session")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server."""
    with serving(root, tmp_path_factory.mktemp("server") / "log") as address:
        yield address
