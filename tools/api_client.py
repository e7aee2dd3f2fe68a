"""Generate `client/attention_observatory/api`, the Python client's typed operations, from the OpenAPI document.

`make api-types` runs it after a route, a request or an answer changed; a test fails until then. A common generator's
client needs attrs and httpx, has a file for each of 450 schemas and operations, and takes bodies as objects of its own
classes; this one needs the standard library alone, takes every field as a keyword, and is three files. Each operation
is written once: its coroutine has the types and the docstring of its method (`awaited`, by `ParamSpec`).
"""

import json
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from api_types import ROOT, api_document

TARGET = ROOT / "client" / "attention_observatory" / "api"
HEAD = (
    '"""{}\n\nMade by `make api-types` from the OpenAPI document; not edited by hand.\n"""\n\n'
    "from __future__ import annotations\n\n"
)
PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}
WIDTH = 104
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """One argument of a method."""

    name: str
    annotation: str
    description: str
    place: str
    """path, query or body."""
    required: bool
    sent_as: str


def main() -> None:
    """Write the modules."""
    TARGET.mkdir(exist_ok=True)
    for name, text in modules().items():
        (TARGET / name).write_text(text, encoding="utf-8")


def is_current() -> bool:
    """Whether the modules in the checkout match the routes."""
    return all((TARGET / name).read_text(encoding="utf-8") == text for name, text in modules().items())


def modules() -> dict[str, str]:
    """The text of each module by its file's name."""
    document = json.loads(api_document())
    operations = [
        (method.upper(), path, operation)
        for path, path_item in sorted(document["paths"].items())
        for method, operation in path_item.items()
    ]
    schemas = document["components"]["schemas"]
    routes = {f"{method} {path}": operation["operationId"] for method, path, operation in operations}
    figures = {f"{method} {path}": names for method, path, given in operations if (names := list(_of_figures(given)))}
    made = {
        "__init__.py": '"""Every operation of the API, made from the OpenAPI document."""\n',
        "routes.py": HEAD.format("The operation at each address, and what it takes besides where it draws a figure.")
        + f"OPERATIONS = {routes!r}\n\nFIGURES = {figures!r}\n",
        "answers.py": "".join(_answers(schemas)),
        "operations.py": "".join(_operations(operations, schemas)),
        "async_operations.py": "".join(_awaited(operations)),
    }
    return {name: _formatted(name, text) for name, text in made.items()}


def _formatted(name: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET / name), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _answers(schemas: Mapping[str, Schema]) -> Iterator[str]:
    yield HEAD.format("The shapes of requests and answers.")
    yield "from typing import TYPE_CHECKING, Any, Literal, TypedDict\n\n"
    yield "if TYPE_CHECKING:\n    from typing import NotRequired\n\n"
    for name, schema in sorted(schemas.items()):
        yield f"\nclass {name}(TypedDict):\n    {_doc(schema.get('description', name), 4)}\n\n"
        required = set(schema.get("required", ()))
        for field, declared in schema.get("properties", {}).items():
            kind = _annotation(declared).replace("shapes.", "")
            yield f"    {field}: {kind if field in required else f'NotRequired[{kind}]'}\n"
            if "description" in declared:
                yield f"    {_doc(declared['description'], 4)}\n"
        yield "\n"


def _operations(operations: list[tuple[str, str, Schema]], schemas: Mapping[str, Schema]) -> Iterator[str]:
    yield HEAD.format("Every operation of the API as a method, by its id.")
    yield "from collections.abc import Iterator, Mapping\n"
    yield "from typing import Any, Literal, cast\n\n"
    yield "from attention_observatory.api import answers as shapes\n"
    yield "from attention_observatory.connection import Connection\n\n\n"
    yield 'class Operations:\n    """Every operation of the API. None is left out, what is unknown refused."""\n\n'
    yield "    def __init__(self, connection: Connection) -> None:\n"
    yield "        self.connection = connection\n"
    for method, path, operation in operations:
        yield _method(method, path, operation, schemas)


def _awaited(operations: list[tuple[str, str, Schema]]) -> Iterator[str]:
    yield HEAD.format("Every operation of the API as a coroutine, by its id.")
    yield "from attention_observatory.api.operations import Operations\n"
    yield "from attention_observatory.awaiting import awaited, streamed\n"
    yield "from attention_observatory.connection import Connection\n\n\n"
    yield 'class AsyncOperations:\n    """Every operation of the API, awaited; its events, streamed."""\n\n'
    yield "    def __init__(self, connection: Connection) -> None:\n"
    yield "        self._inner = Operations(connection)\n\n"
    for _, _, operation in operations:
        name = operation["operationId"]
        how = "streamed" if _answer(operation)[1] == "events" else "awaited"
        yield f"    {name} = {how}(Operations.{name})\n"


def _method(method: str, path: str, operation: Schema, schemas: Mapping[str, Schema]) -> str:
    parameters = list(_parameters(path, operation, schemas))
    first = [each for each in parameters if each.place in {"path", "whole"}]
    rest = sorted((each for each in parameters if each not in first), key=lambda each: not each.required)
    signature = ["self", *(f"{each.name}: {each.annotation}" for each in first)]
    if rest:
        signature.append("*")
    for each in rest:
        kind = each.annotation if each.required or each.annotation.endswith("None") else f"{each.annotation} | None"
        signature.append(f"{each.name}: {kind}" + ("" if each.required else " = None"))
    answer, how = _answer(operation)
    if how == "events":
        answer = "Iterator[dict[str, Any]]"
    place = "f" if "{" in path else ""
    for each in first:
        path = path.replace(f"{{{each.sent_as}}}", f"{{self.connection.quoted({each.name})}}")
    query = _given(each for each in rest if each.place == "query")
    body = _given(each for each in rest if each.place == "body")
    body = next((each.name for each in first if each.place == "whole"), body if _has_body(operation) else "None")
    call = f'self.connection.{how}("{method}", {place}"{path}", {query}, {body})'
    result = f"return cast({answer!r}, {call})" if how == "json" else f"return {call}" if answer != "None" else call
    return (
        f"\n    def {operation['operationId']}({', '.join(signature)}) -> {answer}:\n"
        f"        {_doc(_said(operation, [*first, *rest]), 8)}\n        {result}\n"
    )


def _parameters(path: str, operation: Schema, schemas: Mapping[str, Schema]) -> Iterator[Parameter]:
    declared = [each for each in _declared(operation) if not _is_of_figures(each) and each["in"] in {"path", "query"}]
    declared.sort(key=lambda each: path.find(f"{{{each['name']}}}") if each["in"] == "path" else len(path))
    content = operation.get("requestBody", {}).get("content", {})
    body = schemas.get(content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2], {})
    fields = body.get("properties", {})
    for each in declared:
        kind = "str | int" if each["in"] == "path" else _annotation(each["schema"])
        required = each.get("required", False)
        yield Parameter(_safe(each["name"]), kind, each.get("description", ""), each["in"], required, each["name"])
    for name, field in fields.items():
        kind = _annotation(field, is_request=True)
        required = name in body.get("required", ())
        yield Parameter(_safe(name), kind, field.get("description", ""), "body", required, name)
    if content and not fields:
        kind = "bytes | Mapping[str, Any]" if "application/json" in content else "bytes"
        yield Parameter("body", kind, "What is uploaded.", "whole", True, "body")


def _declared(operation: Schema) -> list[Schema]:
    return list(operation.get("parameters", ()))


def _is_of_figures(parameter: Schema) -> bool:
    """Whether a parameter is of figures alone: only those are shared by operations, but for what each can draw."""
    return "$ref" in parameter or parameter["name"] == "draw"


def _of_figures(operation: Schema) -> Iterator[str]:
    """The names of the parameters of figures, without the one that asks for a figure."""
    for each in filter(_is_of_figures, _declared(operation)):
        name = each["name"] if "name" in each else each["$ref"].rpartition("/")[2]
        if name != "as":
            yield name


def _has_body(operation: Schema) -> bool:
    return "requestBody" in operation


def _answer(operation: Schema) -> tuple[str, str]:
    """The annotation of an answer, and the connection's method that gets it."""
    content: Mapping[str, Any] = next(
        answer.get("content", {}) for status, answer in operation["responses"].items() if status.startswith("2")
    )
    if "text/event-stream" in content:
        return "", "events"
    if not content:
        return "None", "nothing"
    schema = content.get("application/json", {}).get("schema", {})
    return (_annotation(schema), "json") if "$ref" in schema else ("bytes", "bytes")


def _annotation(schema: Schema, *, is_request: bool = False) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"shapes.{name}" if not is_request else f"shapes.{name} | Mapping[str, Any]"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    for word in ("anyOf", "oneOf"):
        if word in schema:
            kinds = list(dict.fromkeys(_annotation(each, is_request=is_request) for each in schema[word]))
            kinds.sort(key=lambda kind: kind == "None")
            return " | ".join(kinds)
    if schema.get("type") == "array":
        # A request's list may be an array of NumPy or torch.
        return "Any" if is_request and _is_numbers(schema) else _list(schema, is_request=is_request)
    return PLAIN.get(schema.get("type", ""), "Any")


def _list(schema: Schema, *, is_request: bool) -> str:
    if "prefixItems" in schema:
        return f"list[{' | '.join(dict.fromkeys(_annotation(each) for each in schema['prefixItems']))}]"
    return f"list[{_annotation(schema.get('items', {}), is_request=is_request)}]"


def _is_numbers(schema: Schema) -> bool:
    items = schema.get("items", {})
    kinds = [items, *items.get("anyOf", ())]
    return any(each.get("type") in {"number", "integer"} or each.get("type") == "array" for each in kinds)


def _given(parameters: Iterator[Parameter]) -> str:
    return "{" + ", ".join(f'"{each.sent_as}": {each.name}' for each in parameters) + "}"


def _said(operation: Schema, parameters: list[Parameter]) -> str:
    said = str(operation.get("description") or operation["operationId"])
    lines = [f"- ``{each.name}``: {each.description}" for each in parameters if each.description]
    return "\n\n".join([said, "\n".join(lines)] if lines else [said])


def _doc(text: str, indent: int) -> str:
    text = text.replace("\\", "\\\\").replace('"""', "'''").strip()
    lines: list[str] = []
    for line in text.splitlines():
        lines += textwrap.wrap(
            line, WIDTH - indent, break_long_words=False, subsequent_indent="  " * line.startswith("- ")
        )
        lines += [""] if not line.strip() else []
    space = " " * indent
    end = f"\n{space}" if len(lines) > 1 or lines[-1].endswith('"') else ""
    return f'"""{lines[0]}' + "".join(f"\n{space}{line}".rstrip(" ") for line in lines[1:]) + f'{end}"""'


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


if __name__ == "__main__":
    main()
