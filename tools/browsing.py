"""Run the real server in a separate process with Chromium, for screenshots and measurements."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@dataclass(frozen=True)
class Served:
    """A running server."""

    address: str
    pid: int


@contextmanager
def serving(folder: Path = ROOT, **environment: str) -> Iterator[Served]:
    """A server as `make serve` starts it, on a free port and without network access, until the block ends.

    ``folder`` is the checkout whose server it is.
    """
    defaults = {"HOST": "127.0.0.1", "PORT": "0", "HF_HUB_OFFLINE": "1", "OBSERVATORY_PREPARE_ATLASES": "false"}
    settings = os.environ | defaults | environment
    command = [sys.executable, "-m", "server"]
    with subprocess.Popen(command, cwd=folder, env=settings, stdout=subprocess.PIPE, text=True) as server:
        announcement = server.stdout.readline() if server.stdout else ""
        if not announcement:
            sys.exit(server.wait() or 1)
        try:
            yield Served(announcement.split()[-1], server.pid)
        finally:
            server.terminate()


@contextmanager
def browsing() -> Iterator[Browser]:
    """The system's Chromium, headless and without GPU, until the block ends."""
    executable = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
