"""Run the checks part by part: `python tools/checks.py gate` (what `make test` calls) or `… full` (`make test-full`).

Each part's time is printed at the end. What fails in a part does not keep the others from running. Tests of pytest
that fail are run once more, alone, after everything else: what passes then does not refuse a change, but is named.
Only one such run goes at a time on a machine; a second one says for whom it waits.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".pytest_cache"
LOCK = Path(tempfile.gettempdir()) / "attention-observatory-checks.lock"
MEASURED = ROOT / "tests" / "measured.json"
TESTS_FAILED = 1
"""pytest's exit status when it ran to the end and some tests failed. With any other there is nothing to try again."""

# Each process takes half of the tests, file after file, and whichever is done first takes over some of the other's.
SIDE_BY_SIDE = ("--numprocesses=auto", "--maxprocesses=4", "--dist=worksteal")
NO_BROWSER = ("--ignore=tests/browser",)
CLUSTER = "tests/server/cluster"


@dataclass(frozen=True)
class Part:
    """A part of the checks."""

    name: str
    command: tuple[str, ...]
    """Arguments of make, or of pytest."""
    is_pytest: bool = True
    spread: tuple[str, ...] = ()
    """How its tests are spread over processes; when they are tried again there is one."""
    is_measured: bool = False
    """Whether it writes down how long its tests take."""

    def run(self, *, again: bool = False) -> int:
        """Run it, or only what failed in it; return the exit status."""
        if not self.is_pytest:
            return _run(["make", "--no-print-directory", "--keep-going", *self.command])
        cache = self._cache()
        if not again:
            shutil.rmtree(cache, ignore_errors=True)
        how = ("--last-failed", "--last-failed-no-failures=none") if again else self.spread
        if self.is_measured and not again:
            how = (*how, f"--measure={self._measured()}")
        return _run([sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *how, *self.command])

    def failed(self) -> list[str]:
        """The ids of the tests that failed in it last."""
        try:
            return sorted(json.loads((self._cache() / "v" / "cache" / "lastfailed").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return []

    def measured(self) -> dict[str, float]:
        """Seconds of its long tests by their ids."""
        return json.loads(self._measured().read_text(encoding="utf-8")) if self._measured().exists() else {}

    def _cache(self) -> Path:
        return CACHE / self.name

    def _measured(self) -> Path:
        return self._cache() / "measured.json"


CHECKS = (Part("check", ("check",), is_pytest=False), Part("js", ("test-js",), is_pytest=False))
GATE = (
    *CHECKS,
    Part("python", ("-m", "not full", *NO_BROWSER), spread=SIDE_BY_SIDE),
    # Apart from the others: Playwright keeps an event loop running in its process, and some of them start their own.
    # One browser beside one server is all that two cores carry without delays that no user has.
    Part("browser", ("-m", "not full", "tests/browser")),
)
FULL = (
    *CHECKS,
    Part("python", (*NO_BROWSER, f"--ignore={CLUSTER}"), spread=SIDE_BY_SIDE, is_measured=True),
    # A cluster is a dozen processes.
    Part("cluster", (CLUSTER,), is_measured=True),
    Part("browser", ("tests/browser",), spread=SIDE_BY_SIDE, is_measured=True),
)
TIERS = {"gate": GATE, "full": FULL}


@dataclass
class Outcome:
    """How a part ended."""

    part: Part
    seconds: float
    status: int
    failed: list[str]
    """What failed first, before it was tried again."""

    def __str__(self) -> str:
        word = "failed" if self.status else f"passed at the second try: {len(self.failed)}" if self.failed else "passed"
        return f"{self.part.name:<8} {_clock(self.seconds):>6}  {word}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a tier, or some of its parts; return the exit status."""
    parser = argparse.ArgumentParser(description="Run the checks, part by part.")
    parser.add_argument("tier", choices=TIERS)
    parser.add_argument("parts", nargs="*", help="some of its parts; without any, all")
    asked = parser.parse_args(arguments)
    parts = {part.name: part for part in TIERS[asked.tier]}
    if unknown := [name for name in asked.parts if name not in parts]:
        parser.error(f"no part of {asked.tier}: {', '.join(unknown)}; there are {', '.join(parts)}")
    # A shell that starts this in the background lets it ignore Control-C, and all that it starts as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with only_run(LOCK):
        outcomes = [_first(parts[name]) for name in asked.parts or parts]
        for outcome in outcomes:
            _again(outcome)
    if asked.tier == "full" and not asked.parts:
        write_measured(outcomes)
    report(outcomes)
    return int(any(outcome.status for outcome in outcomes))


def _first(part: Part) -> Outcome:
    began = time.monotonic()
    status = part.run()
    return Outcome(part, time.monotonic() - began, status, part.failed() if part.is_pytest and status else [])


def _again(outcome: Outcome) -> None:
    if not outcome.failed or outcome.status != TESTS_FAILED:
        return
    say(f"\nOnce more, alone, what failed in {outcome.part.name}:")
    began = time.monotonic()
    outcome.status = outcome.part.run(again=True)
    outcome.seconds += time.monotonic() - began


def write_measured(outcomes: list[Outcome]) -> None:
    """Write how long the tests took, the longest first; `tests/test_tiers.py` reads it."""
    seconds = {name: took for outcome in outcomes for name, took in outcome.part.measured().items()}
    ordered = dict(sorted(seconds.items(), key=lambda each: (-each[1], each[0])))
    MEASURED.write_text(json.dumps(ordered, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def report(outcomes: list[Outcome]) -> None:
    """Print what failed first, and how long each part took."""
    say("")
    for outcome in outcomes:
        for name in outcome.failed:
            say(f"failed first: {name}")
    for outcome in outcomes:
        say(str(outcome))
    say(f"{'in all':<8} {_clock(sum(outcome.seconds for outcome in outcomes)):>6}")


@contextmanager
def only_run(lock: Path) -> Iterator[None]:
    """Wait until no other run goes on this machine; two of them take each other's time, and tests fail of it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run on this machine: {os.read(descriptor, 1000).decode(errors='replace')}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} in {ROOT}, since {time.strftime('%H:%M')}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _run(command: Sequence[str]) -> int:
    say(f"\n{' '.join(command)}")
    return subprocess.run(command, check=False, cwd=ROOT, stdin=subprocess.DEVNULL).returncode


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def say(line: str) -> None:
    """Print a line between what the parts print."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
