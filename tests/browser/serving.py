"""Run the real server in a separate process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def serving(root: Path, log: Path, **environment: str) -> Iterator[str]:
    """The address of a server started as `make serve` starts it, on a free port and without a network."""
    with log.open("w") as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", "server"],
            cwd=root,
            env=os.environ | {"HOST": "127.0.0.1", "PORT": "0", "HF_HUB_OFFLINE": "1"} | environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert server.stdout is not None
    announcement = server.stdout.readline()
    if not announcement:
        server.communicate()
        pytest.fail(f"the server did not start:\n{log.read_text()}")
    yield announcement.split()[-1]
    said = log.read_text()  # what it still computes for a page that is gone is called off when it stops
    server.send_signal(signal.SIGTERM)
    server.communicate()
    assert "Traceback" not in said, said
