"""The largest request that an operation's schema allows, found by asking: each size grows until it is refused.

What grows are the lists, texts and whole numbers of a body that is answered; what is chosen from (flags, alternatives,
optional parts) is taken where the answer becomes larger by it. Sizes that have to agree grow together.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import combinations
from typing import Any

Path = tuple[str | int, ...]
Schema = Mapping[str, Any]
Ask = Callable[[Any], tuple[int, int]]
"""Sends a body; gives the status and the bytes of the answer."""
MOST_MOVES = 1_000


class Largest:
    """The search for one operation, from a body that it answers."""

    def __init__(self, document: Schema, schema: Schema, body: Any, ask: Ask) -> None:
        self._document = document
        self._schema = self._resolved(schema)
        self._ask = ask
        self._asked: dict[str, tuple[int, int]] = {}
        self.body = deepcopy(body)
        self.size = 0

    def find(self) -> "Largest":
        """Grow the body to where no single step makes a larger answer."""
        status, self.size = self._answer(self.body)
        assert status < 300, (status, self.body)
        before = -1
        while before < self.size and len(self._asked) < MOST_MOVES:
            before = self.size
            self._choose()
            for factor in (2.0, 1.5, 1.25, 1.1):
                while len(self._asked) < MOST_MOVES and self._grow(factor):
                    pass
        return self

    def _answer(self, body: Any) -> tuple[int, int]:
        key = json.dumps(body, sort_keys=True)
        if key not in self._asked:
            self._asked[key] = self._ask(body)
        return self._asked[key]

    def _take(self, body: Any) -> bool:
        """Keep this body if it is answered, and with more."""
        if body == self.body:
            return False
        status, size = self._answer(body)
        if status < 300 and size > self.size:
            self.body, self.size = body, size
            return True
        return False

    def _choose(self) -> None:
        for path, schema in list(self._fields(self._schema, self.body)):
            for value in self._alternatives(schema):
                self._take(_with(self.body, path, value))

    def _grow(self, factor: float) -> bool:
        """One step of each size that can take one alone, else of two or three that go together."""
        paths = list(_sizes(self.body))
        grown = [path for path in paths if self._take(_grown(self.body, [path], factor))]
        if grown or len(self._asked) >= MOST_MOVES:
            return bool(grown)
        for count in (2, 3):
            for together in combinations(paths[:12], count):
                if self._take(_grown(self.body, together, factor)):
                    return True
        return False

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def _fields(self, schema: Schema, body: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        for name, field in self._resolved(schema).get("properties", {}).items():
            for kind in field.get("anyOf", [field]):
                yield (*path, name), self._resolved(kind)
                if isinstance(body, dict) and isinstance(body.get(name), dict):
                    yield from self._fields(kind, body[name], (*path, name))

    def _alternatives(self, schema: Schema) -> Iterator[Any]:
        if "enum" in schema:
            yield from schema["enum"]
        elif (kind := schema.get("type")) == "boolean":
            yield from (True, False)
        elif kind == "object":
            yield self._least(schema, full=True)
            yield self._least(schema, full=False)
        elif kind is not None and kind != "null":
            yield self._least(schema, full=True)

    def _least(self, schema: Schema, *, full: bool) -> Any:
        """A small value; ``full``: with every part that may be left out."""
        schema = self._resolved(schema)
        if choices := [each for each in schema.get("anyOf", schema.get("oneOf", ())) if each != {"type": "null"}]:
            return self._least(choices[0], full=full)
        if "const" in schema or "enum" in schema:
            return schema["const"] if "const" in schema else schema["enum"][-1]
        least: Any
        match schema.get("type"):
            case "array":
                least = [self._least(schema.get("items", {}), full=full)] * max(1, schema.get("minItems", 1))
            case "object":
                named = schema.get("properties", {})
                wanted = named if full else schema.get("required", ())
                least = {name: self._least(named[name], full=full) for name in wanted}
            case "boolean":
                least = True
            case "string":
                least = "a" * max(1, schema.get("minLength", 1))
            case "integer":
                least = max(1, schema.get("minimum", 1))
            case _:
                least = max(1.0, schema.get("minimum", 1.0))
        return least


def _sizes(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of what may grow; all members of a list are one."""
    match value:
        case bool() | float() | None:
            return
        case int() | str():
            yield path
        case list():
            yield path
            if value and isinstance(value[0], list | dict):
                yield from _sizes(value[0], (*path, -1))
        case dict():
            for name, inner in value.items():
                yield from _sizes(inner, (*path, name))


def _grown(body: Any, paths: Any, factor: float) -> Any:
    grown = deepcopy(body)
    for path in paths:
        grown = _changed(grown, path, lambda value: _more(value, factor))
    return grown


def _more(value: Any, factor: float) -> Any:
    if isinstance(value, int):
        return max(value + 1, int(value * factor))
    count = max(len(value) + 1, int(len(value) * factor))
    return (value * (count // max(1, len(value)) + 1))[:count]


def _with(body: Any, path: Path, new: Any) -> Any:
    return _changed(deepcopy(body), path, lambda _: deepcopy(new))


def _changed(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    step, *rest = path
    if step == -1:
        return [_changed(member, tuple(rest), change) for member in value]
    if isinstance(value, dict):
        return {**value, step: _changed(value.get(step), tuple(rest), change)}
    return value
