"""The JavaScript types of requests and answers are made from the API wherever they are not its own."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

import api_types

MADE = "export interface paths {}\n"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """A small document, types made of it, and how often."""
    api = SimpleNamespace(document='{"paths": {}}', made=0, target=tmp_path / "schema.d.ts")

    def typescript(document: str) -> str:
        assert document == api.document
        api.made += 1
        return MADE

    monkeypatch.setattr(api_types, "TARGET", api.target)
    monkeypatch.setattr(api_types, "api_document", lambda: api.document)
    monkeypatch.setattr(api_types, "typescript", typescript)
    return api


def test_they_are_made_once_for_a_document(api: SimpleNamespace) -> None:
    for _ in range(2):
        api_types.main()
        assert api.made == 1
        assert api.target.read_text().partition("\n")[2] == MADE


def test_they_are_made_anew_for_another_document_and_after_an_edit(api: SimpleNamespace) -> None:
    api_types.main()
    api.document = '{"paths": {"/api/new": {}}}'
    api_types.main()
    assert api.made == 2
    api.target.write_text(api.target.read_text() + "// by hand\n")
    api_types.main()
    assert api.made == 3
    assert "by hand" not in api.target.read_text()


@pytest.mark.gate
def test_a_fresh_clone_has_none_and_makes_them_before_it_checks_types(root: Path) -> None:
    target = api_types.TARGET.relative_to(root).as_posix()
    kept = subprocess.run(["git", "ls-files", target], cwd=root, check=True, capture_output=True, text=True).stdout
    assert kept == ""
    check, types = (
        subprocess.run(["make", "--dry-run", target], cwd=root, check=True, capture_output=True, text=True).stdout
        for target in ("check", "types-js")
    )
    assert " types-js" in check
    assert -1 < types.find("tools/api_types.py") < types.find("/tsc")
