"""Fields of pages: one table of cases for this reader and the scripts', and what pages declare as scripts have it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from server.pages.address_state import AddressState
from server.pages.declared_fields import declared_fields
from server.pages.fields import KINDS, Field
from server.pages.site import PAGES
from server.routes import ROUTERS
from server.web.assets import Assets, own_assets

CONCEPTS = [page.stem for page in PAGES if page.has_frame]
SCRIPT = Path(__file__).with_name("page_fields.js")
ACROSS_FIELDS = {"value_error", "assertion_error"}
"""Errors of values that do not go together, which pages settle by the answer."""


@pytest.fixture(scope="module")
def cases(root: Path) -> dict[str, Any]:
    """The table, which ``tests/js/base/fields.test.js`` reads too."""
    return json.loads((root / "tests/field_cases.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def in_scripts() -> dict[str, Any]:
    """By stem, the page's fields as its script has them, and its requests at their bounds."""
    done = subprocess.run(["node", SCRIPT, *CONCEPTS], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_values_are_read_as_scripts_read_them(cases: dict[str, Any]) -> None:
    for case in cases["fields"]:
        field = KINDS[case["kind"]](*case["given"])
        assert {given: field.parse(given) for given in case["read"]} == case["read"], case["kind"]
        assert [given for given in case["refused"] if field.parse(given) is not None] == [], case["kind"]


def test_conditions_hold_as_in_scripts(cases: dict[str, Any]) -> None:
    address = AddressState({}, {})
    for name, value in cases["values"].items():
        address.derive(name, value)
    assert {condition: address.holds(condition) for condition in cases["conditions"]} == cases["conditions"]


def allowed(field: Field) -> str:
    """What a control says of the values it takes."""
    if field.choices:
        return ", ".join(field.choices)
    if field.least is not None:
        return f"{AddressState.plain(field.least)}…{AddressState.plain(field.most)}"
    return "0, 1" if isinstance(field.start, bool) else f"≤ {field.longest}"


def test_what_pages_declare_is_what_their_scripts_have(in_scripts: dict[str, Any]) -> None:
    for stem in CONCEPTS:
        read = {
            name: {"start": field.start, "wanted": allowed(field), "name": field.name}
            for name, field in declared_fields(own_assets(), stem).items()
        }
        assert read == in_scripts[stem]["fields"], stem
    assert sum(len(page["fields"]) for page in in_scripts.values()) > 200


def test_requests_take_every_bound_of_a_page(in_scripts: dict[str, Any]) -> None:
    models: dict[str, Any] = {
        route.path: route.body_field.field_info.annotation
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and route.body_field
    }
    refused: list[str] = []
    asked = 0
    for stem, page in in_scripts.items():
        for said, path, body in page["requests"]:
            asked += 1
            try:
                TypeAdapter(models[f"/api/{path}"]).validate_python(body)
            except ValidationError as error:
                wrong = [one for one in error.errors() if one["type"] not in ACROSS_FIELDS]
                refused += [f"{stem}: {said}: {one['loc']} {one['msg']}" for one in wrong]
    assert refused == []
    assert asked > 300


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("{ a: whole(0, 0, window.innerWidth) }", "no constant window"),
        ("{ a: whole(0, 0, MOST) }", "no constant MOST"),
        ("{ a: whole(0, 0, Math.max(1, 2)) }", r"Math\.max\(1, 2\) is no literal"),
        ("{ a: whole(0, 0, 1) === b }", "fields is not written in literals"),
        ("whole(0, 0, 1)", "fields is no object"),
    ],
)
def test_a_declaration_that_is_no_literal_is_refused(tmp_path: Path, declaration: str, message: str) -> None:
    place = tmp_path / "js/concepts/odd/state.js"
    place.parent.mkdir(parents=True)
    place.write_text(f"export const fields = {declaration};\n")
    with pytest.raises(ValueError, match=message):
        declared_fields(Assets(tmp_path), "odd")
