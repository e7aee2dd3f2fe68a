"""The client reaches every operation of the API, by what the OpenAPI document says of it."""

import asyncio
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import api_client
from api_types import default_document
from attention_observatory.api.async_operations import AsyncOperations
from attention_observatory.api.operations import Operations
from attention_observatory.api.routes import FIGURES, OPERATIONS
from attention_observatory.connection import Connection
from attention_observatory.figures import figure_at
from server.web.openapi.body_examples import EXAMPLES

IDS = [name for name in vars(Operations) if not name.startswith("_")]
"""Known without the document, which takes seconds; that they are all stands below."""


@pytest.fixture(scope="module")
def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each operation of the document by its id."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, given in default_document()["paths"].items()
        for method, operation in given.items()
    }


class Recording:
    """In place of a connection: what is asked for."""

    quoted = staticmethod(Connection.quoted)

    def __init__(self) -> None:
        self.asked: tuple[Any, ...] = ()

    def json(self, *asked: Any) -> dict[str, Any]:
        self.asked = asked
        return {"data": [], "layout": {}}

    def bytes(self, *asked: Any) -> bytes:
        self.asked = asked
        return b""

    def nothing(self, *asked: Any) -> None:
        self.asked = asked

    def events(self, *asked: Any) -> Iterator[Any]:
        self.asked = asked
        return iter(())


def arguments(path: str, operation: dict[str, Any]) -> tuple[list[str], dict[str, Any], dict[str, Any], Any]:
    """Parts of the path, the query, and the body, as a call has them: all that may be given."""
    places = re.findall(r"{(\w+)}", path)
    body = EXAMPLES.get(path) if "requestBody" in operation else None
    numbers = (each for each in operation.get("parameters", ()) if "$ref" not in each and each["name"] != "draw")
    names = [each["name"] for each in numbers if each["in"] == "query"]
    return places, {name: f"the {name}" for name in names}, dict(body or {}), body


@pytest.mark.parametrize("name", IDS)
def test_an_operation_is_reached(name: str, operations: dict[str, tuple[str, str, dict[str, Any]]]) -> None:
    method, path, operation = operations[name]
    places, query, fields, body = arguments(path, operation)
    is_file = "application/octet-stream" in operation.get("requestBody", {}).get("content", {})
    first = [f"a {place}/" for place in places] + ([b"file"] if is_file else [])
    given = {} if is_file else fields
    keywords = query | given
    address = path
    for place in places:
        address = address.replace(f"{{{place}}}", f"a%20{place}%2F")
    for reached, connection in ((Operations, Recording()), (AsyncOperations, Recording())):
        call = getattr(reached(connection), name)  # type: ignore[arg-type]
        result = call(*first, **keywords)
        if inspect.iscoroutine(result):
            asyncio.run(result)
        asked, where, said, sent = connection.asked
        assert (asked, where, said) == (method, address, query)
        assert sent == b"file" if is_file else body is None or body.items() <= sent.items()
        with pytest.raises(TypeError, match="unknown_field"):
            call(*first, **keywords, unknown_field=1)


@pytest.mark.parametrize("route", FIGURES)
def test_a_figure_is_reached(route: str, operations: dict[str, tuple[str, str, dict[str, Any]]]) -> None:
    method, path = route.split()
    _, _, operation = operations[OPERATIONS[route]]
    assert {"$ref": "#/components/parameters/as"} in operation["parameters"]
    address, body = re.sub(r"{\w+}", "a%20b", path), EXAMPLES.get(path)
    given = {name: f"the {name}" for name in FIGURES[route]}
    api = Operations(recording := Recording())  # type: ignore[arg-type]
    figure_at(api, address, given, body)
    assert recording.asked == (method, address, given | {"as": "figure"}, body)
    for unknown in ("unknown_field", "as"):
        with pytest.raises(TypeError, match=f"not '{unknown}'"):
            figure_at(api, address, {**given, unknown: 1}, body)
    with pytest.raises(ValueError, match="no figure at"):
        figure_at(api, f"{address}/none", given, body)


def test_every_figure_is_reached(operations: dict[str, tuple[str, str, dict[str, Any]]]) -> None:
    drawn = {
        f"{method} {path}" for method, path, given in operations.values() if "#/components/parameters/as" in str(given)
    }
    assert set(FIGURES) == drawn


def test_no_operation_is_left_over(operations: dict[str, tuple[str, str, dict[str, Any]]]) -> None:
    for reached in (Operations, AsyncOperations):
        assert {name for name in vars(reached) if not name.startswith("_")} == set(operations)


@pytest.mark.gate
def test_the_operations_are_those_of_the_document() -> None:
    assert api_client.is_current(), "run `make api-types`"
