"""The client reaches every operation of the API, by what the OpenAPI document says of it."""

import asyncio
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import api_client
from attention_observatory.api.async_operations import AsyncOperations
from attention_observatory.api.operations import Operations
from attention_observatory.connection import Connection
from server.app import create_app
from server.settings import Settings
from server.web.body_examples import EXAMPLES

DOCUMENT = create_app(Settings.model_construct()).openapi()
OPERATIONS = [
    (method.upper(), path, operation)
    for path, given in DOCUMENT["paths"].items()
    for method, operation in given.items()
]


class Recording:
    """In place of a connection: what is asked for."""

    quoted = staticmethod(Connection.quoted)

    def __init__(self) -> None:
        self.asked: tuple[Any, ...] = ()

    def json(self, *asked: Any) -> dict[str, Any]:
        self.asked = asked
        return {}

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
    body = EXAMPLES.get(path.removesuffix("/figure")) if "requestBody" in operation else None
    names = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
    return places, {name: f"the {name}" for name in names}, dict(body or {}), body


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_operation_is_reached(method: str, path: str, operation: dict[str, Any]) -> None:
    places, query, fields, body = arguments(path, operation)
    is_file = "application/octet-stream" in operation.get("requestBody", {}).get("content", {})
    first = [f"a {place}/" for place in places] + ([b"file"] if is_file else [])
    given = {} if is_file else fields
    keywords = {
        f"drawn_{name}"
        if f"drawn_{name}" in inspect.signature(getattr(Operations, operation["operationId"])).parameters
        else name: value
        for name, value in query.items()
    } | given
    address = path
    for place in places:
        address = address.replace(f"{{{place}}}", f"a%20{place}%2F")
    for operations, connection in ((Operations, Recording()), (AsyncOperations, Recording())):
        call = getattr(operations(connection), operation["operationId"])  # type: ignore[arg-type]
        result = call(*first, **keywords)
        if inspect.iscoroutine(result):
            asyncio.run(result)
        asked, where, said, sent = connection.asked
        assert (asked, where, said) == (method, address, query)
        assert sent == b"file" if is_file else body is None or body.items() <= sent.items()
        with pytest.raises(TypeError, match="unknown_field"):
            call(*first, **keywords, unknown_field=1)


def test_no_operation_is_left_over() -> None:
    ids = {operation["operationId"] for _, _, operation in OPERATIONS}
    for operations in (Operations, AsyncOperations):
        assert {name for name in vars(operations) if not name.startswith("_")} == ids


@pytest.mark.gate
def test_the_operations_are_those_of_the_document() -> None:
    assert api_client.is_current(), "run `make api-types`"
