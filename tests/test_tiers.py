"""What `make test` runs is short, starts no other program, and holds few tests in a browser."""

import itertools
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import programs, tiers


def test_no_long_test_is_in_the_gate(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("lf", default=False):
        pytest.fail("it sees the tests that are collected with it, so it is not tried again alone")
    took = tiers.measured()
    free = [item for item in request.session.items if tiers.is_in_gate(item) and not item.get_closest_marker("gate")]
    here = {item.nodeid for item in free}
    long = {name: seconds for name, seconds in took.items() if name in here and seconds >= tiers.LONGEST_IN_THE_GATE_S}
    assert long == {}, "mark them full"


def test_no_race_goes_without_a_word_and_there_are_few(request: pytest.FixtureRequest) -> None:
    races = [(item.nodeid, item.get_closest_marker("race")) for item in request.session.items]
    seen = {name: mark.args for name, mark in races if mark is not None}
    assert {name: said for name, said in seen.items() if len(said) != 1 or not said[0].strip()} == {}
    assert len(seen) <= tiers.MOST_RACES, "mend some, or delete them"


def test_only_long_tests_are_written_down(tmp_path: Path) -> None:
    tiers.write({"a": 2.04, "b": 0.9}, tmp_path / "not" / "there" / "yet.json")
    assert json.loads((tmp_path / "not" / "there" / "yet.json").read_text()) == {"a": 2.0}


def test_a_mark_that_names_no_parameter_is_found(request: pytest.FixtureRequest) -> None:
    """Where a parametrized test was renamed, it would change its tier without a word."""
    assert tiers.unknown_ids(request.session.items[:1]) == {}
    request.node.add_marker(pytest.mark.full("renamed"))
    assert tiers.unknown_ids([request.node]) == {request.node.nodeid: {"renamed"}}


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ([sys.executable, "-c", "pass"], None),
        ([sys.executable, "-m", "server"], None),
        ([sys.executable, "-m", "pip", "install", "x"], "pip"),
        (["/usr/bin/python3", "-m", "venv", "there"], "venv"),
        (["git", "status"], None),
        (["/usr/sbin/nginx", "-t"], "nginx"),
        ("jupyter lab", "jupyter lab"),
    ],
)
def test_other_programs_are_told_from_ours(command: list[str] | str, program: str | None) -> None:
    executable = command if isinstance(command, str) else command[0]
    assert programs.other_program(executable, command) == program


def test_a_test_of_the_gate_that_starts_one_fails() -> None:
    import subprocess  # noqa: PLC0415

    with pytest.raises(AssertionError, match="starts true: a test of the gate starts none but ours"):
        subprocess.run(["true"], check=True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(3))
def test_of_what_is_sampled_the_gate_has_the_first_of_every_few(request: pytest.FixtureRequest, number: int) -> None:
    assert tiers.is_in_gate(request.node) == (number != 1)


@pytest.mark.parametrize(
    ("numbers", "letters", "every", "lost"),
    [(3, 4, 2, {"letter"}), (3, 4, 3, set()), (4, 3, 3, {"letter"}), (4, 3, 5, set()), (6, 2, 4, {"letter"})],
)
def test_a_sample_of_combinations_that_leaves_out_a_value_is_found(
    numbers: int, letters: int, every: int, lost: set[str]
) -> None:
    items: list[Any] = []
    for index, (number, letter) in enumerate(itertools.product(range(numbers), range(letters))):
        marks = {"sampled": every} | ({"full": True} if index % every else {})
        callspec = SimpleNamespace(indices={"number": number, "letter": letter})
        items.append(SimpleNamespace(nodeid=f"a[{index}]", callspec=callspec, get_closest_marker=marks.get))
    assert tiers.never_sampled(items) == ({"a": lost} if lost else {})
