"""An image of the product and containers made from it, by podman."""

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BASE = "docker.io/library/python:3.11-slim"
"""What the Dockerfile begins with."""
TEMPORARY = "/tmp"  # noqa: S108 - in the container
NEEDED = ("podman", "runc")
PULL_S = 60
CONNECTS = 8
"""Attempts, each after twice the wait of the one before: a server takes some seconds to start."""
BUILD_S = 3000
OWN_BASE = "python3,python3-venv,python3-pip,ca-certificates"
"""Packages of a base that is made here, where no registry of images can be reached."""


def missing() -> str:
    """Why no image can be built here; empty where one can."""
    absent = [name for name in NEEDED if not shutil.which(name)]
    if absent:
        return f"{', '.join(absent)} not installed (deploy/image/README.md)"
    if os.geteuid() != 0:
        return "building needs root here"
    return ""


def run(*command: str | Path, timeout: float = 120, is_checked: bool = True) -> str:
    """What a program prints. Raises AssertionError with its last lines where it fails."""
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=timeout, check=False)
    if is_checked and done.returncode:
        raise AssertionError(
            f"{command[0]} {command[1]}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def with_base(folder: Path) -> None:
    """See to it that the base is there: kept, fetched, or made of Debian's packages, which have the same Python.

    The test is skipped where it cannot be had.
    """
    if subprocess.run(["podman", "image", "exists", BASE], check=False).returncode == 0:
        return
    pull = ("timeout", str(PULL_S), "podman", "pull", "--quiet", BASE)
    if subprocess.run(pull, check=False, capture_output=True).returncode == 0:
        return
    if not shutil.which("debootstrap"):
        pytest.skip("no registry of images can be reached, and debootstrap is not installed")
    tree = folder / "base"
    run("debootstrap", "--variant=minbase", f"--include={OWN_BASE}", "bookworm", tree, timeout=BUILD_S)
    (tree / "usr" / "bin" / "python").symlink_to("python3")
    archive = folder / "base.tar"
    run("tar", "-C", tree, "-cf", archive, ".", timeout=600)
    shutil.rmtree(tree)
    run("podman", "import", "--quiet", archive, BASE, timeout=600)
    archive.unlink()


def strict_checkout(folder: Path) -> Path:
    """What git knows, as a checkout under umask 077, with an operator's own files beside it."""
    place = folder / "checkout"
    for name in run("git", "-C", ROOT, "ls-files").splitlines():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)
    for name in ("models/own/config.json", "corpora/own.txt", ".env", "server/.env.local"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("private", encoding="utf-8")
    for path in [place, *place.rglob("*")]:
        path.chmod(path.stat().st_mode & 0o700)
    return place


def build(checkout: Path, name: str) -> None:
    """Build the image as the README says, with the folders and arguments that this machine needs for pip."""
    volumes = os.environ.get("IMAGE_BUILD_VOLUMES", "").split()
    arguments = os.environ.get("IMAGE_BUILD_ARGS", "").split()
    run(
        *(
            "podman",
            "build",
            "--format",
            "docker",
            "--layers=false",
            "--pull=false",
            "--network",
            "host",
            "--tag",
            name,
        ),
        *(f"--volume={one}" for one in volumes),
        *(f"--build-arg={one}" for one in arguments),
        checkout,
        timeout=BUILD_S,
    )


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Container:
    """A container of the image, hardened as compose.yaml has it."""

    image: str
    name: str
    volume: str
    port: int

    def start(self) -> None:
        """Start it, and wait until it answers."""
        run(
            *("podman", "run", "--detach", "--replace", "--name", self.name, "--network", "host"),
            *("--read-only", "--tmpfs", TEMPORARY, "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--volume", f"{self.volume}:/app/atlases", "--env", f"PORT={self.port}", "--env", "HF_HUB_OFFLINE=1"),
            *("--env", "HOST=127.0.0.1", self.image),
        )
        try:
            self.ask("/healthz")
        except httpx.HTTPError as error:
            raise AssertionError(run("podman", "logs", self.name, is_checked=False)) from error

    def stop(self) -> float:
        """Stop it as an engine does; how many seconds it takes."""
        began = time.monotonic()
        run("podman", "stop", "--time", "30", self.name)
        return time.monotonic() - began

    def ask(self, path: str, body: Any = None) -> Any:
        """What it answers, as JSON or as text: to a file where the body is one, to JSON where it is something else."""
        method = "GET" if body is None else "POST"
        given: Any = {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
        with httpx.Client(transport=httpx.HTTPTransport(retries=CONNECTS), timeout=60) as client:
            answer = client.request(method, f"http://127.0.0.1:{self.port}{path}", **given)
        answer.raise_for_status()
        return answer.json() if "json" in answer.headers["Content-Type"] else answer.text

    def inside(self, *command: str) -> str:
        """What a command in it prints."""
        return run("podman", "exec", self.name, *command)
