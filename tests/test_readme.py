"""README is short, and what it leads to, settings, file tree and commands, is true."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from server.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
README, SETTINGS, STRUCTURE, DEPLOYMENT, LECTURE = (
    ROOT / name
    for name in ("README.md", "docs/settings.md", "docs/structure.md", "docs/deployment.md", "docs/lecture.md")
)
WITH_COMMANDS = [README, ROOT / "CONTRIBUTING.md", DEPLOYMENT, LECTURE]
WITH_SETTINGS = [README, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "deploy").glob("*/README.md"))]
MOST_BYTES = 8_000
"""More than this nobody reads who has just come; details have their pages in docs."""


def project_files() -> list[str]:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def between(page: Path, before: str, after: str) -> str:
    return page.read_text(encoding="utf-8").split(before, 1)[1].split(after, 1)[0]


def test_the_readme_is_read_in_a_minute_or_two() -> None:
    assert README.stat().st_size <= MOST_BYTES


def test_every_page_of_docs_is_reached_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[^)#]+)", README.read_text(encoding="utf-8")))
    assert {name for name in project_files() if name.startswith("docs/")} - linked == set()


def shown() -> Iterator[str]:
    """The paths in the file tree; folders end with a slash."""
    folders: list[str] = []
    for line in between(STRUCTURE, "<!-- tree", "\n```\n\n").split("```\n", 1)[1].splitlines():
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        folders = [*folders[:depth], name]
        yield "".join(folders)


def to_show() -> set[str]:
    """Every file at the top, and the folders two levels down; of tests, which mirror them, one."""
    names = project_files()
    folders = {parent for name in names for parent in Path(name).parents if parent.name}
    return {name for name in names if "/" not in name} | {
        f"{folder}/" for folder in folders if len(folder.parts) <= (1 if folder.parts[0] == "tests" else 2)
    }


def test_everything_in_the_tree_is_there() -> None:
    files = project_files()
    there = {*files, *(f"{folder}/" for name in files for folder in Path(name).parents)}
    assert [path for path in shown() if path not in there] == []


def test_everything_that_is_there_is_in_the_tree() -> None:
    there = {*shown(), *(f"{folder}/" for path in shown() for folder in Path(path).parents)}
    assert to_show() - there == set()


def row(name: str, field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, bool):
        shown_value = str(value).lower()
    elif isinstance(value, tuple):
        shown_value = ", ".join(value)
    else:
        shown_value = "" if value is None else str(value)
    return f"| `OBSERVATORY_{name.upper()}` | {shown_value} | {field.description} |"


def test_the_table_of_settings_is_what_the_code_says() -> None:
    head = ["| variable | default | what it sets |", "|---|---|---|"]
    expected = head + [row(name, field) for name, field in Settings.model_fields.items()]
    table = between(SETTINGS, "server/settings.py -->", "<!-- /settings -->").strip().splitlines()
    assert table == expected, "it should read:\n" + "\n".join(expected)


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.name)
def test_every_command_named_is_one_of_the_makefile(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(
        re.findall(r"(?:`|^|^OBSERVATORY_.* )make ([a-z-]+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    assert named
    assert named - targets == set()


def test_every_variable_named_is_a_setting() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (*WITH_SETTINGS, ROOT / "compose.yaml"))
    named = {name.lower() for name in re.findall(r"OBSERVATORY_([A-Z]\w+)", text)}
    assert named - set(Settings.model_fields) == set()


def test_help_names_every_command_that_people_type() -> None:
    answer = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for command in ("serve", "test", "test-full", "check", "test-python", "test-js", "test-browser", "bench"):
        assert re.search(rf"^make {command} +\w", answer.stdout, flags=re.MULTILINE)
