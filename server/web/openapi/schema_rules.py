"""JSON schema rules for dependent fields and operator-defined limits.

``model_config = ConfigDict(json_schema_extra=either({"text": GIVEN, "ids": ABSENT}, {"ids": GIVEN, "text": ABSENT}))``
declares in the schema that exactly one of two fields is given. Handlers and mechanisms enforce it with a specific
error; ``tests/server/test_schema.py`` checks that both agree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from math import isqrt
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema

from ...settings import Settings

Schema = dict[str, Any]

LIMIT = "x-limit"
"""Schema key for the setting that is the bound, until ``resolve_limits`` inserts the number."""
NOTHING: Schema = {"not": {}}
"""No value fits: what `false` says, in the form that generators of clients know."""
BOUNDS = {"string": "maxLength", "array": "maxItems", "integer": "maximum", "number": "maximum"}


class _Presence(Enum):
    GIVEN = auto()
    ABSENT = auto()


GIVEN, ABSENT = _Presence.GIVEN, _Presence.ABSENT
"""Given: not null. Absent: omitted or null."""


@dataclass(frozen=True)
class UpTo:
    """Annotation: this size is limited by a setting. ``factor · size ** power`` must not exceed it."""

    setting: str
    factor: int = 1
    power: int = 1

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """The schema with the note."""
        schema = handler(core_schema)
        schema.setdefault(LIMIT, []).extend(self.note[LIMIT])
        return schema

    @property
    def note(self) -> Schema:
        """The marker that ``resolve_limits`` looks for in a schema."""
        return {LIMIT: [{"setting": self.setting, "factor": self.factor, "power": self.power}]}


def either(*cases: Mapping[str, object]) -> Callable[[Schema], None]:
    """At least one of these cases holds. A case maps fields to GIVEN, ABSENT, a schema, or a constant."""

    def write(schema: Schema) -> None:
        schema.setdefault("allOf", []).append({"anyOf": [_case(schema["properties"], case) for case in cases]})

    return write


def every(*rules: Callable[[Schema], None]) -> Callable[[Schema], None]:
    """All of these rules hold."""

    def write(schema: Schema) -> None:
        for rule in rules:
            rule(schema)

    return write


def at_most_one(*names: str) -> Callable[[Schema], None]:
    """No two of these fields are given."""
    return either(*({other: ABSENT for other in names if other != name} for name in names))


def exactly_one(*names: str) -> Callable[[Schema], None]:
    """One of these fields is given and no other."""
    return either(*({name: GIVEN} | {other: ABSENT for other in names if other != name} for name in names))


def resolve_limits(schema: Any, settings: Settings) -> None:
    """Replace the markers in a schema by the settings' values."""
    if isinstance(schema, dict):
        for limit in schema.pop(LIMIT, ()):
            bound = BOUNDS[schema["type"]]
            size = getattr(settings, limit["setting"]) // limit["factor"]
            size = isqrt(size) if limit["power"] == 2 else size
            schema[bound] = min(size, schema.get(bound, size))
        for inner in schema.values():
            resolve_limits(inner, settings)
    elif isinstance(schema, list):
        for inner in schema:
            resolve_limits(inner, settings)


def _case(properties: Mapping[str, Schema], case: Mapping[str, object]) -> Schema:
    written: dict[str, Schema] = {}
    required = []
    for name, what in case.items():
        field = properties[name]
        if what is ABSENT:
            written[name] = {"type": "null"} if {"type": "null"} in field.get("anyOf", ()) else NOTHING
        elif what is GIVEN:
            written[name] = _not_null(field)
            required.append(name)
        elif isinstance(what, dict):
            written[name] = what
        else:
            written[name] = {"const": what}
            if field.get("default") != what:
                required.append(name)
    return {"properties": written, **({"required": required} if required else {})}


def _not_null(field: Schema) -> Schema:
    kinds = [kind for kind in field.get("anyOf", [field]) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
