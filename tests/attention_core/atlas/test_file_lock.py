"""Locks between processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from attention_core.atlas.file_lock import locked

HOLD = """
import sys
from pathlib import Path
from attention_core.atlas.file_lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


class GaveUpError(Exception):
    pass


def give_up() -> None:
    raise GaveUpError


def test_another_process_waits_until_the_holder_dies(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "new folder" / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=root, **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(GaveUpError), locked(path, give_up):
            pytest.fail("two processes hold it")
        attempts = []

        def wait() -> None:
            attempts.append(1)
            holder.kill()
            holder.wait()

        with locked(path, wait):
            assert attempts == [1]


def test_a_lock_can_be_held_again(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / "a.lock", give_up):
            pass
