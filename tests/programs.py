"""Which programs a test may start: those of the gate none but ours, since others start when they please.

Python's audit hook for `subprocess.Popen` sees each start, whatever calls it.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

OURS = {"git", "ldconfig", "make", "node"}
"""Beside this very Python: they answer at once, and from this checkout alone. Python itself asks ldconfig."""
INSTALLERS = {"build", "ensurepip", "pip", "venv"}
"""Modules of Python's that are programs of their own."""

_running: list[pytest.Item] = []


def watch() -> None:
    """Look at every start of a program in this process from now on."""
    sys.addaudithook(_look)


def begin(item: pytest.Item | None) -> None:
    """Hold this test to what its tier may start; None: nothing is held to anything."""
    _running[:] = [item] if item is not None and item.get_closest_marker("full") is None else []


def _look(event: str, details: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and _running and (program := other_program(details[0], details[1])):
        raise AssertionError(
            f"{_running[0].nodeid} starts {program}: a test of the gate starts none but ours. Mark it full."
        )


def other_program(executable: Any, arguments: Any) -> str | None:
    """The program's name if it is not ours."""
    words = [str(one) for one in arguments] if isinstance(arguments, list | tuple) else [str(arguments)]
    name = Path(str(executable)).name
    if Path(str(executable)).resolve() == Path(sys.executable).resolve() or name.startswith("python"):
        module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
        return module if module in INSTALLERS else None
    return None if name in OURS else name
