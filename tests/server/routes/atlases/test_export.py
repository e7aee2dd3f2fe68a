"""GET /api/atlases/{id}/export."""

import io
import zipfile
from pathlib import Path

from starlette.testclient import TestClient


def test_the_archive_is_the_folder(client: TestClient, atlas: str, atlases: Path) -> None:
    name = atlas.rpartition("/")[2]
    answer = client.get(f"{atlas}/export")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == f'attachment; filename="atlas-{name}.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        packed = {member: archive.read(member) for member in archive.namelist()}
    assert packed == {f"{name}/{path.name}": path.read_bytes() for path in (atlases / name).iterdir()}
    assert answer.content == client.get(f"{atlas}/export").content
