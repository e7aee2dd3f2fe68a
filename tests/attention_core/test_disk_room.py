"""Files written whole or not at all, and disks without room, by what real ones say."""

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file
from small_disk import small_disk

from attention_core.disk_room import NoRoomError, free_bytes, is_partial, replacing, room_in
from attention_core.refusal import InvalidValueError, Sentence

PLACE = Sentence("The folder of atlases")
NUMBERS = np.random.default_rng(0).random(100_000)


def save_npz(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, a=NUMBERS)


WRITERS = {
    "python": lambda path: path.write_bytes(NUMBERS.tobytes()),
    "parquet": lambda path: pq.write_table(pa.table({"a": NUMBERS}), path),
    "npz": save_npz,
    "safetensors": lambda path: save_file({"a": NUMBERS}, path),
}


def said(place: Sentence | Path, target: Path, write: Callable[[Path], object]) -> str:
    with pytest.raises(NoRoomError) as raised, room_in(place), replacing(target) as partial:
        write(partial)
    return str(raised.value)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_one_error_whoever_writes_and_nothing_half_is_left(tmp_path: Path, writer: str) -> None:
    with small_disk(tmp_path / "disk", 2**18) as disk:
        target = disk.folder / "file"
        assert said(PLACE, target, WRITERS[writer]) == "The folder of atlases is full. Try again once there is room."
        assert list(disk.folder.iterdir()) == []
        disk.protect()
        read_only = "The folder disk cannot be written (Read-only file system). Try again once it can be."
        assert said(disk.folder, target, WRITERS[writer]) == read_only
        disk.protect(False)


def test_what_is_written_takes_the_place_of_what_was_there_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with suppress(KeyError), replacing(target) as partial:
        partial.write_text("ne")
        assert is_partial(partial)
        raise KeyError
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_text() == "old"
    with replacing(target) as partial:
        partial.write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_text() == "new"
    assert not is_partial(target)


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOENT, "x"), OSError(errno.ECONNRESET, "x"), ValueError("os error 28"), InvalidValueError("x")],
    ids=repr,
)
def test_other_errors_stay_what_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, room_in(PLACE):
        raise error
    assert raised.value is error


def test_the_room_of_a_folder_is_that_of_its_disk_before_it_is_made(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2**20) as disk:
        assert free_bytes(disk.folder / "not" / "yet") == 2**20
        disk.fill(leaving=2**16)
        assert free_bytes(disk.folder) == 2**16
