"""The command behind `make test`: what failed is tried once more and named, and one run goes at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

import checks

STRAY = """
from pathlib import Path

def test_that_holds():
    pass

def test_that_fails_once():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""
BROKEN = STRAY + "\ndef test_that_never_holds():\n    assert False\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout with one part, whose tests are in `test_small.py`."""
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(checks, "MEASURED", tmp_path / "measured.json")
    monkeypatch.setattr(checks, "TIERS", {"gate": (checks.Part("small", ("test_small.py",)),)})
    monkeypatch.setattr(checks, "LOCK", tmp_path / "lock")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_what_fails_once_is_named_and_refuses_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "test_small.py").write_text(STRAY)
    assert checks.main(["gate"]) == 0
    said = capfd.readouterr().out
    assert "1 failed, 1 passed" in said
    assert "1 passed" in said.partition("Once more, alone")[2]
    assert "failed first: test_small.py::test_that_fails_once\n" in said
    assert "passed at the second try: 1" in said


def test_what_fails_twice_refuses(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "test_small.py").write_text(BROKEN)
    assert checks.main(["gate"]) == 1
    assert "failed first: test_small.py::test_that_never_holds\n" in capfd.readouterr().out


@pytest.mark.parametrize("text", ["import nothing_of_this_name\n", "import os\nos._exit(1)\n", "\n"])
def test_a_part_that_did_not_run_to_its_end_is_not_tried_again(
    folder: Path, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "test_small.py").write_text(text)
    assert checks.main(["gate"]) == 1
    assert "Once more" not in capfd.readouterr().out


def test_only_one_run_goes_at_a_time(tmp_path: Path) -> None:
    waiting = "import sys, pathlib, checks\nwith checks.only_run(pathlib.Path(sys.argv[1])):\n    print('runs')"
    command = [sys.executable, "-c", waiting, str(tmp_path / "lock")]
    tools = Path(checks.__file__).parent
    with checks.only_run(tmp_path / "lock"):
        second = subprocess.Popen(command, cwd=tools, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        assert second.stdout.readline().startswith("waiting for another run on this machine: process ")
        assert second.poll() is None
    assert second.communicate()[0] == "runs\n"
    assert second.returncode == 0
