"""Work in a Python process of our own that hears and says lines of JSON, and can be ended at any moment.

For what a thread cannot do, since a thread can be neither stopped nor left behind: a client that waits for a silent
server, a program of strangers. ``multiprocessing`` would import the caller's main module again. The process ends by
itself where its parent has gone.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NICENESS = 10
"""Analyses have priority."""

_saying = threading.Lock()


class LineProcess:
    """A process that runs ``python -m module``, with these variables in its environment beside ours."""

    def __init__(self, module: str, **environment: str) -> None:
        paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        ours = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ours, **environment},
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._hearing = threading.Thread(
            target=_forward, args=(self._process.stdout, self._lines), name=module, daemon=True
        )
        self._hearing.start()

    def tell(self, order: Any) -> None:
        """Send one line; ignored if the process has ended."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError, ValueError):  # the latter where it was closed
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def hear(self, patience_s: float) -> Any:
        """The next line it says. Raises TimeoutError if it says none in this time, EOFError if it has ended."""
        try:
            line = self._lines.get(timeout=patience_s)
        except queue.Empty:
            raise TimeoutError(f"not a word within {patience_s} s") from None
        if not line:
            self._lines.put("")
            raise EOFError("the process has ended")
        return json.loads(line)

    def close(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()
        self._hearing.join()  # it hears the end
        with suppress(BrokenPipeError), self._process:
            pass


def _forward(output: Iterable[str], lines: "queue.SimpleQueue[str]") -> None:
    for line in output:
        lines.put(line)
    lines.put("")


# --- in the process -------------------------------------------------------------------------------------------------


def begin() -> None:
    """Have low priority, and leave Control-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):  # not available on every platform
        os.nice(NICENESS)


def end_with_parent() -> None:
    """From now on, end as soon as the parent has gone. For a process that has heard all its orders."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def say(said: Any) -> None:
    """Say one line to the parent. May be called from any thread."""
    with _saying:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
