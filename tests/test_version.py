"""One version number everywhere."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from server import __version__
from server.app import create_app

ROOT = Path(__file__).resolve().parent.parent


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


def test_the_changelog_begins_with_it() -> None:
    versions = re.findall(r"^## (\S+) — (\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"), flags=re.MULTILINE)
    assert versions[0][0] == __version__
    assert versions == sorted(versions, key=lambda entry: [int(part) for part in entry[0].split(".")], reverse=True)


def test_the_changelog_keeps_to_one_line_for_one_change() -> None:
    lines = text("CHANGELOG.md").splitlines()
    assert [line for line in lines if len(line) > 120] == []
