"""The folder of atlases, which other servers may use too."""

import os
from pathlib import Path

import pytest
from atlas_folders import FakeAtlas, write_atlas

from attention_core.atlas.file_lock import locked
from server.stores.atlas_library import AtlasLibrary
from server.web.errors import ApiError


def tiny(root: Path, number: int, **facts: str) -> FakeAtlas:
    atlas = FakeAtlas(id=f"{number:016x}", layers=1, heads=1, windows=1, sampled=1, **facts)  # type: ignore[arg-type]
    about = write_atlas(root, atlas) / "atlas.json"
    os.utime(about, (number, number))
    return atlas


def test_a_name_that_is_no_id_is_no_atlas(tmp_path: Path) -> None:
    library = AtlasLibrary(tmp_path / "atlases")
    write_atlas(tmp_path / "atlases", FakeAtlas(id="a", layers=1, heads=1, windows=1, sampled=1))
    assert library.all() == ([], [])
    for name in ("a", "../atlases/a", "0" * 16, ""):
        assert not library.has(name)
        with pytest.raises(ApiError, match="no such atlas"):
            library.get(name)


def test_a_deleted_atlas_leaves_nothing_but_its_lock(tmp_path: Path) -> None:
    library = AtlasLibrary(tmp_path)
    atlas = tiny(tmp_path, 1)
    library.remove(atlas.id)
    assert [path.name for path in tmp_path.iterdir()] == [f"{atlas.id}.lock"]
    library.remove(atlas.id)


def test_what_another_server_scans_is_not_deleted(tmp_path: Path) -> None:
    library = AtlasLibrary(tmp_path)
    atlas = tiny(tmp_path, 1)
    with locked(tmp_path / f"{atlas.id}.lock"), pytest.raises(ApiError, match="Another server is scanning"):
        library.remove(atlas.id)
    assert library.has(atlas.id)


def test_the_oldest_leave_but_not_those_that_are_kept(tmp_path: Path) -> None:
    library = AtlasLibrary(tmp_path)
    for number in (3, 1, 4, 2):
        tiny(tmp_path, number, corpus_hash="own" if number == 1 else "uploaded")
    size = library.all()[0][0].facts.nbytes
    library.make_room(int(2.5 * size), {"own"})
    assert [int(atlas.facts.id, 16) for atlas in library.all()[0]] == [1, 4]
    library.make_room(0, {"own"})
    assert [int(atlas.facts.id, 16) for atlas in library.all()[0]] == [1]
