"""Validate query and path parameters: no duplicates, numbers and booleans written as in JSON.

The framework silently uses the last of several, and parses ``yes`` and ``1_0`` as true and 10, contrary to the OpenAPI
document. ``True`` and ``False``, which Python clients write, are accepted. Unknown names are ignored, because caches,
monitors and links add their own.
"""

import re
from collections.abc import Iterable
from typing import Any

from fastapi import Request
from fastapi.dependencies.models import Dependant
from pydantic import TypeAdapter

from ..web.errors import invalid_request

WHOLE = re.compile(r"-?[0-9]+(\.0+)?")
TRUTH = re.compile(r"[Tt]rue|[Ff]alse")
SPELLINGS = {
    "integer": (WHOLE, "int_parsing", "Input should be a valid integer, unable to parse string as an integer"),
    "boolean": (TRUTH, "bool_parsing", "Input should be a valid boolean, unable to interpret input"),
}


class Parameters:
    """The parameters of one route."""

    def __init__(self, dependant: Dependant) -> None:
        self._query = dict(_types(dependant, "query_params"))
        self._path = dict(_types(dependant, "path_params"))

    def check(self, request: Request) -> None:
        """Refuse duplicates and other spellings. Raises ApiError 422."""
        seen = set()
        for name, text in request.query_params.multi_items():
            if name not in self._query:
                continue
            if name in seen:
                raise invalid_request({"type": "repeated", "loc": ("query", name), "msg": "must be given once"})
            seen.add(name)
            _check_spelling("query", name, text, self._query[name])
        for name, text in request.path_params.items():
            _check_spelling("path", name, str(text), self._path.get(name))


def _check_spelling(place: str, name: str, text: str, kind: str | None) -> None:
    if kind in SPELLINGS:
        spelling, code, message = SPELLINGS[kind]
        if spelling.fullmatch(text) is None:
            raise invalid_request({"type": code, "loc": (place, name), "msg": message})


def _types(dependant: Dependant, place: str) -> Iterable[tuple[str, str | None]]:
    """Parameter names with their single JSON schema type other than null; None where there are several."""
    for field in getattr(dependant, place):
        schema: dict[str, Any] = TypeAdapter(field.field_info.annotation).json_schema()
        kinds = {each.get("type") for each in schema.get("anyOf", [schema])} - {"null"}
        yield field.alias, kinds.pop() if len(kinds) == 1 else None
    for inner in dependant.dependencies:
        yield from _types(inner, place)
