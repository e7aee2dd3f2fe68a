"""The OpenAPI document is one that programs can be made from, and each of its examples succeeds as it stands."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openapi_spec_validator import OpenAPIV31SpecValidator
from sound_models import write_sound_model
from tiny_models import write_model_folder

from api_types import default_document
from server.app import create_app
from server.settings import Settings
from server.web.openapi.body_examples import EXAMPLES
from server.web.openapi.field_descriptions import FIELDS, undescribed
from server.web.openapi.field_names import NAMES


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that also has a vision transformer and an audio model, by the names in the examples."""
    folder = tmp_path_factory.mktemp("models")
    write_model_folder(folder, "tiny-vit").rename(folder / EXAMPLES["/api/analyses/image"]["model"])
    write_sound_model(folder, "whisper").rename(folder / EXAMPLES["/api/analyses/sound"]["model"])
    atlases = tmp_path_factory.mktemp("atlases")
    settings = Settings(device="cpu", hub_models=(), preload=False, models_dir=folder, atlases_dir=atlases)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return default_document()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    return (
        (path, method, operation) for path, given in document["paths"].items() for method, operation in given.items()
    )


@pytest.mark.full
def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()


def test_the_validator_finds_what_is_not_of_this_version(document: dict[str, Any]) -> None:
    wrong = json.loads(json.dumps(document))
    wrong["paths"]["/api/training/{run_id}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"][
        "itemSchema"
    ] = {}
    assert not OpenAPIV31SpecValidator(wrong).is_valid()


def test_operations_and_schemas_have_short_names_of_their_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z_]{0,34}", name)] == []
    schemas = document["components"]["schemas"]
    assert [name for name in schemas if not re.fullmatch(r"[A-Z][A-Za-z]{2,29}", name)] == []
    assert len({name.casefold() for name in schemas}) == len(schemas)  # files of generated clients


def test_everything_is_described(document: dict[str, Any]) -> None:
    assert [(where, name) for where, name, _ in undescribed(document)] == [], "add it where it is declared"
    assert [name for name, schema in document["components"]["schemas"].items() if "description" not in schema] == []
    assert [path for path, _, operation in operations(document) if "description" not in operation] == []


def test_no_description_is_left_over(document: dict[str, Any]) -> None:
    written: dict[str, set[str]] = {}
    for title, schema in document["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            written.setdefault(field["description"], set()).update({name, f"{title}.{name}"})
    own = (each for _, _, operation in operations(document) for each in operation.get("parameters", ()))
    for parameter in (*document["components"]["parameters"].values(), *own):
        if "$ref" not in parameter:
            written.setdefault(parameter["description"], set()).add(parameter["name"])
    assert [name for name, text in (NAMES | FIELDS).items() if name not in written.get(text, ())] == []


def test_every_body_has_an_example_and_no_other(document: dict[str, Any]) -> None:
    bodies = {
        path: operation["requestBody"]["content"]["application/json"]
        for path, _, operation in operations(document)
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    assert {path for path, body in bodies.items() if not {"example", "examples"} & body.keys()} == set(), (
        "add it to EXAMPLES"
    )
    assert EXAMPLES.keys() <= bodies.keys()


def test_an_example_that_a_plain_installation_cannot_answer_says_what_it_needs(document: dict[str, Any]) -> None:
    summaries = {
        path: example["summary"]
        for path, _, operation in operations(document)
        for content in operation.get("requestBody", {}).get("content", {}).values()
        for example in content.get("examples", {}).values()
    }
    assert summaries == {
        "/api/analyses/image": "With vit-base-patch16-224 in OBSERVATORY_MODELS_DIR",
        "/api/analyses/sound": "With whisper-tiny in OBSERVATORY_MODELS_DIR",
    }


def test_bodies_of_several_kinds_stand_beside_something_optional(document: dict[str, Any]) -> None:
    """Else the Python client that openapi-python-client makes of the document cannot be imported there."""
    several = [each for _, _, each in operations(document) if len(each.get("requestBody", {}).get("content", {})) > 1]
    assert several
    for operation in several:
        assert operation["requestBody"]["required"] is True
        assert any(not parameter.get("required") for parameter in operation["parameters"])


@pytest.mark.full
@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_succeeds_as_it_stands(seeing: TestClient, path: str) -> None:
    answers = {path: seeing.post(path, json=EXAMPLES[path])}
    if "#/components/parameters/as" in json.dumps(seeing.app.openapi()["paths"][path]):  # type: ignore[attr-defined]
        answers["figure"] = seeing.post(f"{path}?as=figure", json=EXAMPLES[path])
        assert answers["figure"].json().keys() == {"data", "layout"}
    for answer in answers.values():
        assert answer.is_success, answer.text[:500]
        if "set-cookie" in answer.headers:  # a browser keeps it for this folder, and from there alone it is deleted
            forgetting = f"{path.rpartition('/')[0]}/owner"
            assert seeing.app.openapi()["paths"][forgetting].keys() == {"delete"}  # type: ignore[attr-defined]
    stop = {"/api/training": "id", "/api/atlases": "id"}
    if path in stop:
        assert seeing.delete(f"{path}/{answers[path].json()[stop[path]]}").status_code in {204, 409}


def test_figures_are_no_operations_of_their_own(document: dict[str, Any]) -> None:
    """They are another form of an answer; programs made from the document take it for what it is without `as`."""
    assert [path for path in document["paths"] if path.endswith("/figure")] == []
    shared = document["components"]["parameters"]
    assert {"as", "theme", "head", "layer"} <= shared.keys()
    assert shared["as"]["schema"]["const"] == "figure"
    drawn = document["paths"]["/api/softmax"]["post"]
    assert [each for each in drawn["parameters"] if "$ref" in each] == [
        {"$ref": f"#/components/parameters/{name}"} for name in ("as", "theme")
    ]
    assert [each["schema"]["enum"][:2] for each in drawn["parameters"] if each.get("name") == "draw"] == [
        ["weights", "stable"]
    ]
    assert drawn["responses"]["200"]["content"] == {
        "application/json": {"schema": {"$ref": "#/components/schemas/SoftmaxAnswer"}}
    }
    assert document["components"]["schemas"]["Figure"]["properties"].keys() == {"data", "layout"}
    assert "x-figures" not in json.dumps(document)


def test_a_stream_is_declared_by_its_events(document: dict[str, Any]) -> None:
    streams = [
        answer["content"]["text/event-stream"]
        for _, _, operation in operations(document)
        for status, answer in operation["responses"].items()
        if "text/event-stream" in answer.get("content", {})
    ]
    assert len(streams) >= 2
    for stream in streams:
        assert "itemSchema" not in stream
        assert (stream["schema"]["type"], stream["schema"]["required"]) == ("object", ["data", "event"])
        assert stream["schema"]["properties"]["data"]["contentMediaType"] == "application/json"
