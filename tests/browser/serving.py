"""Run the real server in a separate process.

Importing torch and transformers takes seconds of a processor; the processes are forked from one that has done it.
"""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO, Any, Protocol

import pytest

OFFLINE = {"HOST": "127.0.0.1", "PORT": "0", "HF_HUB_OFFLINE": "1"}
AT_IMPORT = "HF_"
"""Environment variables that are read when modules are imported begin with this: such a server starts by itself."""


class Process(Protocol):
    """A process that can be asked to end."""

    def terminate(self) -> None:
        """Send SIGTERM."""
        ...


@contextmanager
def serving(root: Path, log: Path, **environment: str) -> Iterator[str]:
    """The address of a server started as `make serve` starts it, on a free port and without a network."""
    start = _started if any(name.startswith(AT_IMPORT) for name in environment) else _forked
    with start(root, log, os.environ | OFFLINE | environment) as (server, said):
        announcement = said.readline()
        if not announcement:
            pytest.fail(f"the server did not start:\n{log.read_text()}")
        yield announcement.split()[-1]
        errors = log.read_text()  # what it still computes for a page that is gone is called off when it stops
        server.terminate()
    assert "Traceback" not in errors, errors


@contextmanager
def _started(root: Path, log: Path, environment: dict[str, str]) -> Iterator[tuple[Process, IO[str]]]:
    command = [sys.executable, "-m", "server"]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as server,
    ):
        assert server.stdout is not None
        yield server, server.stdout


@contextmanager
def _forked(root: Path, log: Path, environment: dict[str, str]) -> Iterator[tuple[Process, IO[str]]]:
    source = multiprocessing.get_context("forkserver")
    source.set_forkserver_preload(["server.command", "server.serving"])
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the process that they are forked from begins with the first
    receiver, sender = source.Pipe(duplex=False)
    log.touch()
    server: ForkServerProcess = source.Process(target=_serve, args=(root, log, environment, sender))
    server.start()
    sender.close()
    with os.fdopen(os.dup(receiver.fileno()), "r") as said:
        receiver.close()
        try:
            yield server, said
        finally:
            server.terminate()
            server.join()


def _serve(root: Path, log: Path, environment: dict[str, str], announced: "Connection[Any, Any]") -> None:
    """In the forked process: what `python -m server` does, with this environment and these streams."""
    from server.command import main  # noqa: PLC0415 - imported already in the process that this one is forked from

    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(announced.fileno(), 1)
    errors = os.open(log, os.O_WRONLY | os.O_TRUNC)
    os.dup2(errors, 2)
    main(["serve"])
