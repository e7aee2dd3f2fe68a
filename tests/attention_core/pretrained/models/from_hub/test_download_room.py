"""Models of a hub on the loopback that are too large for the memory, the cache or the disk, before their first byte."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub
from small_disk import small_disk

from attention_core.disk_room import NoRoomError
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.from_hub.download_room import MARK, RESERVE, DownloadRoom
from attention_core.pretrained.models.from_hub.hub import Hub

LARGE = 1_000_000
ROOM = DownloadRoom(max_model_bytes=2**40, max_cache_bytes=2**40, number_bytes=4)


@pytest.fixture
def hub_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    folders = {}
    for name in ("one", "two", "three"):
        folder = folders[f"owner/{name}"] = tmp_path / "published" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(name.encode())
        os.truncate(folder / "model.safetensors", LARGE)
    hub = LoopbackHub(folders)
    yield hub
    hub.close()


def fetched(hub: LoopbackHub, cache: Path, name: str, room: DownloadRoom) -> Path:
    return Hub(endpoint=hub.address, cache_dir=cache, timeout_s=60.0).fetch(f"owner/{name}", room=room)


def sent(hub: LoopbackHub) -> list[str]:
    return [path for path in hub.asked if "/resolve/" in path]


@pytest.mark.parametrize(
    ("room", "says"),
    [
        (
            DownloadRoom(LARGE - 1, 2**40, 4),
            "It needs 1,000,000 bytes; models may use at most 999,999",
        ),
        (DownloadRoom(LARGE // 2 - 1, 2**40, 2), "It needs 500,000 bytes; models may use at most 499,999"),
        (DownloadRoom(2**40, LARGE, 4), "Its files have 1,000,002 bytes; models of the Hub may take at most 1,000,000"),
    ],
    ids=["memory", "half precision", "cache"],
)
def test_what_is_too_large_is_refused_before_its_first_byte(
    hub_with: LoopbackHub, tmp_path: Path, room: DownloadRoom, says: str
) -> None:
    with pytest.raises(ModelUnavailableError) as refused:
        fetched(hub_with, tmp_path / "cache", "one", room)
    assert str(refused.value).startswith(says)
    assert sent(hub_with) == []
    assert not (tmp_path / "cache").exists()


@pytest.mark.full
@pytest.mark.parametrize("announces", [True, False], ids=["length told", "length not told"])
def test_a_hub_that_sends_more_than_it_has_said_is_stopped_in_the_middle(
    hub_with: LoopbackHub, tmp_path: Path, announces: bool
) -> None:
    cache = tmp_path / "cache"
    hub_with.lies = {"model.safetensors": 1_000}
    hub_with.announces = announces
    hub_with.hold("model.safetensors")  # so that its end never comes
    with pytest.raises(ModelUnavailableError, match="sent more of this model than it had said"):
        fetched(hub_with, cache, "one", ROOM)
    assert not hub_with.is_released
    assert (
        sum(path.stat().st_size for path in cache.rglob("*") if path.is_file() and not path.is_symlink()) < LARGE // 2
    )
    assert list(cache.rglob("*.incomplete")) == []
    hub_with.lies = {}
    hub_with.release()
    assert (fetched(hub_with, cache, "one", ROOM) / "model.safetensors").stat().st_size == LARGE


@pytest.mark.full
def test_a_disk_without_room_is_said_before_the_first_byte(hub_with: LoopbackHub, tmp_path: Path) -> None:
    with small_disk(tmp_path / "cache", RESERVE + 2 * LARGE) as disk:
        disk.fill(leaving=RESERVE + LARGE // 2)
        with pytest.raises(NoRoomError, match=r"^The cache of the Hugging Face Hub \(HF_HOME\) has [\d,]+ bytes left;"):
            fetched(hub_with, disk.folder, "one", ROOM)
        assert sent(hub_with) == []
        disk.make_room()
        assert (fetched(hub_with, disk.folder, "one", ROOM) / "model.safetensors").stat().st_size == LARGE


@pytest.mark.full
def test_the_cache_is_bounded_and_what_others_put_there_is_theirs(hub_with: LoopbackHub, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    theirs = cache / "models--somebody--else" / "snapshots" / "0"
    theirs.mkdir(parents=True)
    (theirs / "model.safetensors").write_bytes(bytes(LARGE))
    room = DownloadRoom(2**40, 2 * LARGE + 1_000, 4)
    for age, name in ((200, "one"), (100, "two")):
        fetched(hub_with, cache, name, room)
        mark = cache / f"models--owner--{name}" / MARK
        os.utime(mark, (mark.stat().st_mtime - age,) * 2)
    fetched(hub_with, cache, "one", room)  # again: nothing leaves for what is there
    assert {path.name for path in cache.glob("models--*")} == {
        "models--somebody--else", "models--owner--one", "models--owner--two",
    }  # fmt: skip
    fetched(hub_with, cache, "three", room)
    assert {path.name for path in cache.glob("models--*")} == {
        "models--somebody--else", "models--owner--two", "models--owner--three",
    }  # fmt: skip
