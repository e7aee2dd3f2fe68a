"""Every command in the documents can be typed as it stands: its target, module, option, file or address is there."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
import typer.main
from starlette.testclient import TestClient

from server import __version__
from server.app import create_app
from server.command import app as command_line
from server.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "client/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "deploy").glob("*/README.md")),
]
FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SHELLS = {"", "sh", "bash", "console"}
INLINE = re.compile(r"`([^`\n]+)`")
SETTING = re.compile(r"[A-Z][A-Z_0-9]*=")
PLACES = re.compile(r"[A-Z]+|…")
"""What stands for something of the reader's: MODEL, FOLDER, ID, …"""
WORDS = {
    "serve",
    "node",
    "git",
    "cp",
    "cat",
    "sed",
    "hf",
    "uvx",
    "apt-get",
    "curl",
    "kubectl",
    "docker",
    "npm",
    "npx",
    "podman",
}
"""Programs of others, of whose words only the paths are looked at."""


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command, without settings before it and comments behind it."""
    blocks = [block for language, block in FENCED.findall(text) if language in SHELLS]
    lines = [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    for line in [*lines, *INLINE.findall(FENCED.sub("", text))]:
        for part in re.split(r" (?:&&|\|) ", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                continue  # a quotation mark of a sentence
            while words and SETTING.match(words[0]):
                words = words[1:]
            if len(words) > 1 and Path(words[0]).name in CHECKS.keys() | WORDS:
                yield [Path(words[0]).name, *words[1:]]


def of_make(words: list[str]) -> str:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    unknown = [word for word in words if "=" not in word and word not in targets]
    return f"the Makefile has no {unknown}" if unknown else ""


def of_python(words: list[str]) -> str:
    if words[0] != "-m":
        return "" if (ROOT / words[0]).is_file() else f"{words[0]} is not there"
    module, *others = words[1:]
    if module in {"pip", "pytest"}:
        return CHECKS[module](others)
    if PLACES.fullmatch(module.rpartition(".")[2]):
        module = module.rpartition(".")[0]
    if find_spec(module) is None:
        return f"there is no module {module}"
    return of_command_line(others) if module == "server" else ""


def of_command_line(words: list[str]) -> str:
    group = typer.main.get_command(command_line)
    assert isinstance(group, typer.core.TyperGroup)
    if words[0].startswith("-"):
        known = {option for each in group.params for option in each.opts}
        return "" if words[0] in known else f"no option {words[0]}"
    names = [] if PLACES.fullmatch(words[0]) else words[0].split("|")
    unknown = [name for name in names if name not in group.commands]
    options = {
        option
        for name in names
        if name in group.commands
        for each in group.commands[name].params
        for option in each.opts
    }
    unknown += [word for word in words[1:] if word.startswith("-") and word not in options]
    return f"no {unknown}" if unknown else ""


def of_pip(words: list[str]) -> str:
    given = [word for word in words[1:] if not word.startswith("-")]
    for word in given:
        folder, _, extras = word.rstrip("]").partition("[")
        if folder.startswith("."):
            project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            if missing := {each for each in extras.split(",") if each} - project["optional-dependencies"].keys():
                return f"{folder} has no extra {missing}"
        if word.startswith("dist/") and f"-{__version__}-" not in word:
            return f"{word} is of another version"
    return "" if words[0] == "install" else f"pip {words[0]}"


def of_pytest(words: list[str]) -> str:
    missing = [word for word in words if "/" in word and not (ROOT / word).exists()]
    return f"{missing} is not there" if missing else ""


def of_others(words: list[str]) -> str:
    """Their own words are theirs; paths that begin with one of our rooms are ours."""
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"dist"}
    missing = [word for word in words if "/" in word and word.split("/")[0] in tops and not (ROOT / word).exists()]
    return f"{missing} is not there" if missing else ""


CHECKS: dict[str, Callable[[list[str]], str]] = {
    "make": of_make,
    "python": of_python,
    "attention-observatory": of_command_line,
    "pip": of_pip,
    "pytest": of_pytest,
}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_is_there(document: Path) -> None:
    wrong = {
        " ".join(words): said
        for words in commands_in(document.read_text(encoding="utf-8"))
        if (said := CHECKS.get(words[0], of_others)(words[1:]))
    }
    assert wrong == {}


def test_the_search_finds_commands_and_what_is_wrong_with_them() -> None:
    text = """
```sh
PORT=1 make serve gone # a comment
python -m benchmarks.gone
.venv/bin/python -m server scan MODEL CORPUS --out DIR --gone
git archive HEAD | tar x; cp deploy/gone/README.md x
```
`attention-observatory serve|gone`, `pip install './client[gone]'`, `python -m pytest tests/gone`,
but `make` alone is none
"""
    found = list(commands_in(text))
    said = [CHECKS.get(words[0], of_others)(words[1:]) for words in found]
    assert [words[0] for words in found] == [
        "make",
        "python",
        "python",
        "git",
        "attention-observatory",
        "pip",
        "python",
    ]
    assert ["gone" in each for each in said] == [True, True, True, False, True, True, True]
    assert of_others(["deploy/gone/README.md", "x"]) == "['deploy/gone/README.md'] is not there"


@pytest.mark.full
def test_what_the_documents_fetch_is_answered() -> None:
    """Each address, in their order; ID is that of the answer before."""
    commands = [
        words
        for each in DOCUMENTS
        for words in commands_in(each.read_text(encoding="utf-8"))
        if words[:2] == ["curl", "-s"]
    ]
    with TestClient(create_app(Settings(preload=False))) as client:
        said = {"id": ""}
        for _, _, address, *options in commands:
            path = "/" + address.partition("/")[2].replace("ID", said["id"])
            body = dict(pairwise(options)).get("-d")
            answer = client.get(path) if body is None else client.post(path, json=json.loads(body))
            assert answer.status_code == 200, (address, answer.text)
            said = {**said, **answer.json()}
    assert len(commands) > 2


# --- benchmarks -----------------------------------------------------------------------------------------------------

BENCHMARKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "benchmarks").glob("[!_]*.py"))}
SHORT = {
    "atlas_scan": ["", "600"],
    "batching": ["1"],
    "greedy": ["--seconds=1", "rope"],
    "layout_shift": ["/rope", "--widths", "800"],
    "long_text": ["1024"],
}
"""How those begin that can be short. What they measure does not count here: other tests run beside them."""


def test_make_bench_runs_every_benchmark_to_its_end() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nbench:", 1)[1].split("\n\n", 1)[0]
    assert "grep -l __main__ benchmarks/*.py" in recipe
    runnable = {name for name, source in BENCHMARKS.items() if "__main__" in source}
    assert BENCHMARKS.keys() - runnable == {"bounds", "peer_pages"}, "parts of others"
    told = {name for name in runnable if f"python -m benchmarks.{name}" in BENCHMARKS[name].split('"""')[1]}
    assert runnable - told == set(), "its first lines say how it is run"
    bounded = {name for name, source in BENCHMARKS.items() if "hat should hold" in source.split('"""')[1]}
    judged = {name for name in runnable if "return broken(" in BENCHMARKS[name]}
    assert bounded == judged, "what should hold is looked at"
    assert len(bounded) > 9


@pytest.mark.full
def test_every_benchmark_finds_what_it_imports() -> None:
    """In a process of its own: pytest's search path has more folders."""
    modules = ", ".join(f"benchmarks.{name}" for name in BENCHMARKS)
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}"], cwd=ROOT, check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2_000:]


@pytest.mark.full
@pytest.mark.parametrize("name", SHORT)
def test_a_benchmark_runs_to_its_end(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *SHORT[name]],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr, done.stderr[-2_000:]
    assert done.returncode in {0, 1}, "1: what should hold did not"
