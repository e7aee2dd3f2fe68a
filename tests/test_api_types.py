"""The JavaScript types of requests and answers are those of the API."""

import pytest

import api_types


@pytest.mark.gate
def test_the_types_are_those_of_the_openapi_document() -> None:
    assert api_types.is_current(), "run `make api-types`"


def test_the_stamp_knows_a_changed_document_and_a_changed_text(monkeypatch, tmp_path) -> None:
    document, made = '{"paths": {}}', "export interface paths {}\n"
    target = tmp_path / "schema.d.ts"
    target.write_text(f"{api_types.HEAD}{api_types.stamp(document, made)}\n{made}")
    monkeypatch.setattr(api_types, "TARGET", target)
    monkeypatch.setattr(api_types, "api_document", lambda: document)
    assert api_types.is_current()
    monkeypatch.setattr(api_types, "api_document", lambda: '{"paths": {"/api/new": {}}}')
    assert not api_types.is_current()
    monkeypatch.setattr(api_types, "api_document", lambda: document)
    target.write_text(target.read_text() + "// by hand\n")
    assert not api_types.is_current()
