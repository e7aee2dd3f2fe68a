"""One version number everywhere."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from server import __version__
from server.app import create_app

ROOT = Path(__file__).resolve().parent.parent
ORDER = ["Added", "Changed", "Fixed", "Removed"]
"""The kinds of Keep a Changelog (https://keepachangelog.com/en/1.1.0/) that are used, always in this order."""
MOST_LINES = 400
"""More than this nobody reads who asks what has changed; what belongs together is one point."""


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["pyproject.toml", "client/pyproject.toml"])
def test_the_packages_have_it(path: str) -> None:
    assert tomllib.loads(text(path))["project"]["version"] == __version__


def test_the_development_tools_have_it() -> None:
    lock = json.loads(text("package-lock.json"))
    versions = [json.loads(text("package.json"))["version"], lock["version"], lock["packages"][""]["version"]]
    assert versions == [__version__] * 3


def test_the_image_has_it() -> None:
    assert re.findall(r"image\.version=(\S+)", text("Dockerfile")) == [__version__]


@pytest.mark.full
def test_the_api_has_it() -> None:
    assert create_app().openapi()["info"]["version"] == __version__


def headings(level: int) -> list[str]:
    """The changelog's headings of this level."""
    return re.findall(rf"^#{{{level}}} (.+)$", text("CHANGELOG.md"), flags=re.MULTILINE)


def test_the_changelog_begins_with_it() -> None:
    versions = [heading.split(" — ") for heading in headings(2) if heading != "Unreleased"]
    assert "Unreleased" not in headings(2)[1:]
    assert versions[0][0] == __version__
    assert versions == sorted(versions, key=lambda entry: [int(part) for part in entry[0].split(".")], reverse=True)
    assert [date for _, date in versions if not re.fullmatch(r"\d{4}-\d\d-\d\d", date)] == []


def test_each_version_says_what_was_added_changed_removed_and_fixed() -> None:
    for version in re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^#+ (.+)$", version, flags=re.MULTILINE)
        assert kinds, version.splitlines()[0]
        assert kinds == [kind for kind in ORDER if kind in kinds], version.splitlines()[0]
        said = re.split(r"^### .+\n", version, flags=re.MULTILINE)[1:]
        assert [each for each in said if not each.strip().startswith("- ")] == [], "each kind has something to say"


def test_a_change_in_the_changelog_is_a_point() -> None:
    lines = text("CHANGELOG.md").splitlines()
    assert [line for line in lines if len(line) > 120] == []
    changes = lines[lines.index(next(line for line in lines if line.startswith("## "))) :]
    assert [line for line in changes if line and not line.startswith(("## ", "### ", "- ", "  "))] == []


def test_the_changelog_is_read_by_those_who_ask_what_has_changed() -> None:
    assert len(text("CHANGELOG.md").splitlines()) <= MOST_LINES
