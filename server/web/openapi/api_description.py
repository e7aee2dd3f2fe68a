"""The OpenAPI document: the handlers' declarations with this server's limits and all status codes."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from ...settings import Settings
from .body_examples import add_examples
from .field_descriptions import describe
from .schema_rules import Schema, resolve_limits

ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}}
RETRY_AFTER = {"Retry-After": {"description": "Seconds until it is worth asking again.", "schema": {"type": "string"}}}

INVALID = (
    "The request was understood and refused. `invalid_request`: it does not fit this description, or its rows are not "
    "of one length. With any other code each part fits, but not what it stands in: `invalid_value`: sizes or choices "
    "that do not go together; `out_of_range`: an index that this analysis, model or batch does not have; `too_large`: "
    "so much work, or so large an answer, as one request is not given; `answer_too_large`: an answer of more than "
    "{most} bytes (OBSERVATORY_MAX_ANSWER_BYTES); other codes are about what they name."
)
TOO_LARGE = "The body is larger than this address takes."
NOT_JSON = "The body is not declared to be JSON."
NOT_FOUND = "There is no such model, analysis or run, or it is no longer kept."
NOT_NOW = "The model cannot be had or looked at in this way, or the run is not in a state for it."
TOO_MANY = "Too many requests of one client."
BUSY = "The server is busy, or what was asked for takes too long."
OTHER = "Any other failure."
EVENT_STREAM = "text/event-stream"
FIGURES = "x-figures"
"""In an operation, until the document is complete: the parameters of its figures, and the schema of all figures."""
EVENTS = "Server-sent events; each is one of these, and its `data` the text of a JSON object."
KEPT = "What the client has is still right (`If-None-Match`)."


class DescribedApp(FastAPI):
    """A FastAPI application whose OpenAPI document reflects its settings."""

    def openapi(self) -> dict[str, Any]:
        """The document, generated once."""
        if self.openapi_schema is None:
            document = super().openapi()
            complete(document, self.state.settings)
            if self.state.settings.root_path:
                document["servers"] = [{"url": self.state.settings.root_path}]
            self.openapi_schema = document
        assert self.openapi_schema is not None  # noqa: S101 - made above
        return self.openapi_schema


def operation_id(route: APIRoute) -> str:
    """The name of an operation in programs that are made from the document: that of its handler."""
    return route.name


def complete(document: Schema, settings: Settings) -> None:
    """Add limits, descriptions, examples and status codes to a document."""
    resolve_limits(document, settings)
    _write_figures(document)
    describe(document)
    add_examples(document)
    for schema in document["components"]["schemas"].values():
        _write_null_defaults(schema)
    invalid = _error(INVALID.format(most=settings.max_answer_bytes))
    for operations in document["paths"].values():
        for method, operation in operations.items():
            declared = operation["responses"]
            ours = dict(_statuses(method, operation, document)) | {"422": invalid}
            own = {status: answer for status, answer in declared.items() if status not in {"422", "default"}}
            for answer in own.values():
                _write_event_stream(answer)
            operation["responses"] = dict(sorted((ours | own).items())) | {"default": _error(OTHER)}


def _write_figures(document: Schema) -> None:
    """Declare the parameters of figures, once for all but what is drawn, and what a figure is."""
    components: Schema = document["components"]
    shared = components.setdefault("parameters", {})
    for operations in document["paths"].values():
        for operation in operations.values():
            if (figures := operation.pop(FIGURES, None)) is None:
                continue
            components["schemas"]["Figure"] = figures["schema"]
            for parameter in figures["parameters"]:
                name = parameter["name"]
                own = parameter if name == "draw" else {"$ref": f"#/components/parameters/{name}"}
                operation.setdefault("parameters", []).append(own)
                if own is not parameter:
                    shared[name] = parameter


def _write_event_stream(answer: Schema) -> None:
    """Declare a stream as OpenAPI 3.1 can, whose `schema` is that of each event.

    The framework writes it as `itemSchema`, a word of version 3.2, and does not say that `data` is JSON.
    """
    content = answer.get("content", {}).get(EVENT_STREAM, {})
    if (event := content.pop("itemSchema", None)) is not None:
        data = event["properties"]["data"] | {"contentMediaType": "application/json"}
        properties = event["properties"] | {"data": data}
        content["schema"] = event | {"properties": properties, "required": ["data", "event"], "description": EVENTS}


def _write_null_defaults(schema: Schema) -> None:
    """Add ``default: null`` to optional nullable fields, which FastAPI omits."""
    for name, field in schema.get("properties", {}).items():
        if name not in schema.get("required", ()) and {"type": "null"} in field.get("anyOf", ()):
            field.setdefault("default", None)


def _statuses(method: str, operation: Schema, document: Schema) -> Iterator[tuple[str, Schema]]:
    body = operation.get("requestBody")
    fields = {parameter.get("name") for parameter in operation.get("parameters", ())} | _fields(body, document)
    yield "429", _error(TOO_MANY) | {"headers": RETRY_AFTER}
    yield "503", _error(BUSY) | {"headers": RETRY_AFTER}
    if fields & {"model", "analysis_id", "run_id"}:
        yield "404", _error(NOT_FOUND)
        yield "409", _error(NOT_NOW)
    if "analysis_id" in fields and method == "get":
        yield "304", {"description": KEPT}
    if body:
        yield "413", _error(TOO_LARGE)
        if list(body["content"]) == ["application/json"]:
            yield "415", _error(NOT_JSON)


def _fields(body: Schema | None, document: Schema) -> set[str]:
    """The fields of a JSON body."""
    schema = (body or {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return set(schema.get("properties", ()))


def _error(description: str) -> Schema:
    return {"description": description, "content": ERROR}
