"""Downloads in a process of their own, from a real server on the loopback."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback_hub import COMMIT, LoopbackHub

from attention_core.line_process import ROOT
from attention_core.pretrained.errors import Cancelled
from attention_core.pretrained.models.from_hub.download import DownloadError, _Bar, download
from attention_core.pretrained.models.load_progress import LoadProgress

MODEL = "some/tiny"
PROMPT_S = 5.0
"""A download that waited for the rest of the file would take a minute."""


@pytest.fixture
def hub(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    hub = LoopbackHub({MODEL: models_dir / "tiny-gpt2"})
    yield hub
    hub.close()


@pytest.fixture
def options(hub: LoopbackHub, tmp_path: Path) -> dict[str, Any]:
    return {"repo_id": MODEL, "cache_dir": str(tmp_path / "cache"), "endpoint": hub.address}


@pytest.mark.full
def test_a_snapshot_is_fetched_and_its_bytes_told(hub: LoopbackHub, options: dict[str, Any]) -> None:
    progress = LoadProgress()
    folder = download(progress, offline=False, **options)
    assert folder.name == COMMIT
    for file in hub.folders[MODEL].iterdir():
        assert (folder / file.name).read_bytes() == file.read_bytes()
    assert progress.state.stage == "fetching"
    assert progress.state.done_bytes == progress.state.total_bytes > 0


@pytest.mark.full
def test_one_that_nobody_needs_ends_at_once_and_goes_on_later(hub: LoopbackHub, options: dict[str, Any]) -> None:
    hub.hold("model.safetensors")
    told = threading.Event()
    ended: list[BaseException] = []

    def run() -> None:
        try:
            download(LoadProgress(told.is_set), offline=False, **options)
        except Cancelled as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert hub.waits.wait(60)
    told.set()
    start = time.monotonic()
    thread.join(60)
    assert len(ended) == 1
    assert time.monotonic() - start < PROMPT_S
    hub.release()
    assert (download(LoadProgress(), offline=False, **options) / "model.safetensors").is_file()


@pytest.mark.full
def test_it_ends_where_its_parent_has_gone(hub: LoopbackHub, options: dict[str, Any]) -> None:
    hub.hold("model.safetensors")
    process = subprocess.Popen(
        [sys.executable, "-m", "attention_core.pretrained.models.from_hub.download"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "0"},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(options).encode() + b"\n")
    process.stdin.flush()
    assert hub.waits.wait(60)
    process.stdin.close()
    assert process.wait(60) == 1


@pytest.mark.full
def test_what_went_wrong_is_told(hub: LoopbackHub, options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DownloadError) as caught:
        download(LoadProgress(), offline=False, **{**options, "repo_id": "no/where"})
    assert "RepositoryNotFoundError" in caught.value.kinds
    with pytest.raises(DownloadError, match="HF_HUB_OFFLINE"):
        download(LoadProgress(), offline=True, **options)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"Not a directory|exists"):
        download(LoadProgress(), offline=False, **{**options, "cache_dir": str(tmp_path / "file")})


def test_what_nobody_needs_is_not_begun(hub: LoopbackHub, options: dict[str, Any]) -> None:
    with pytest.raises(Cancelled):
        download(LoadProgress(lambda: True), offline=False, **options)
    assert hub.asked == []


def test_the_bar_of_bytes_counts_and_others_show_nothing() -> None:
    said: list[tuple[int, int]] = []

    def report(done: int, total: int) -> None:
        said.append((done, total))

    with _Bar(report, {"desc": "Fetching 5 files", "total": 5}) as files:
        files.update(1)
        files.set_description("whatever")
    _Bar(report, {"desc": "Downloading bytes", "unit": "B", "total": 0}).update(77)
    assert said == []
    disk = _Bar(report, {"desc": "Reconstructing (incomplete total...)", "unit": "B", "total": 0})
    disk.total += 100
    disk.refresh()
    disk.update(40)
    disk.update(60)
    assert (said[0], said[-1]) == ((0, 100), (100, 100)), "the first and the last, others ten times a second"
    disk.total += 900
    disk.refresh()
    assert said[-1] == (100, 1000), "another file is told of at once: it may send nothing for long"
    assert not hasattr(disk, "__iter__")
