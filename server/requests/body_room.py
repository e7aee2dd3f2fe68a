"""Maximum size of a request body, derived from its model with every bound exhausted.

A body is compared with it before parsing, by counting quotes, and braces, brackets, colons and commas outside strings.
Parsing takes time for every list and every name, the most for names that are not wanted, and junk would take longest.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from pydantic import TypeAdapter

from ..web.errors import ApiError

CHARACTER_BYTES = 12
"""Bytes of one character, written as two escaped halves of a surrogate pair."""
NUMBER_BYTES = 32
"""Bytes of a number with all its digits and the spaces around it."""
LEAST_BYTES = 64 * 1024
"""Room for any small request, however it is indented."""
MOST_VALUES = 2**19
MOST_LISTS = MOST_TEXTS = 2**17
"""Limits for any request, parsed within a fraction of a second."""


@dataclass(frozen=True)
class Room:
    """The maximum size of a value."""

    size: float
    """In bytes."""
    texts: float = 0
    """Names of fields among them."""
    names: float = 0
    objects: float = 0
    arrays: float = 0
    values: float = 1

    def __add__(self, other: "Room") -> "Room":
        return Room(*(mine + its for mine, its in zip(self._numbers(), other._numbers(), strict=True)))

    def __mul__(self, times: float) -> "Room":
        return Room(*(number * times if number else 0 for number in self._numbers()))

    def __or__(self, other: "Room") -> "Room":
        return Room(*map(max, self._numbers(), other._numbers()))

    def _numbers(self) -> list[float]:
        return [getattr(self, each.name) for each in fields(self)]

    def check(self, body: bytes, *, most_values: int = MOST_VALUES) -> None:
        """Raise ApiError 422 ``too_large`` for a larger body; its byte size is checked while it arrives."""
        plain = body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body
        _at_most(min(self.texts, MOST_TEXTS), plain.count(b'"') // 2)
        outside = b"".join(plain.split(b'"')[::2])
        if b"[" * DEEPEST in outside:
            raise ApiError(422, "invalid_request", "The body is not valid JSON.", field="body")
        _at_most(self.names, outside.count(b":"))
        _at_most(self.objects, outside.count(b"{"))
        _at_most(min(self.arrays, MOST_LISTS), outside.count(b"["))
        _at_most(min(self.values, most_values), outside.count(b","))
        if ONES in outside.translate(DIGITS_AS_ONES):
            raise ApiError(422, "invalid_request", "The body is not valid JSON.", field="body")


ONES = b"1" * 1_000
DIGITS_AS_ONES = bytes.maketrans(b"0123456789", b"1" * 10)
"""Replaces digits before parsing: parsing a number takes quadratic time in its digits."""
DEEPEST = 200
"""Nesting depth that the parser accepts."""
NOTHING = Room(0, values=0)
ANYTHING = Room(math.inf, arrays=math.inf, values=math.inf)
"""For fields without a schema, which hold nested lists of numbers (``server.requests.nested``)."""


def room_for(adapter: TypeAdapter[Any], *, characters: int) -> Room:
    """The room of a body of this type; ``characters`` is the text length where the type leaves it open."""
    schema = adapter.json_schema()
    return _room(schema, schema.get("$defs", {}), characters)


def _at_most(limit: float, found: int) -> None:
    if found > limit:
        raise ApiError(
            422,
            "too_large",
            "The body holds more lists, names or values than this request may have ({room}).",
            f"{limit:.0f}",
            field="body",
            limit=int(limit),
        )


def _room(schema: Mapping[str, Any], defs: Mapping[str, Any], characters: int) -> Room:
    def inner(part: Mapping[str, Any]) -> Room:
        return _room(part, defs, characters)

    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _largest(map(inner, choices))
    if "enum" in schema or "const" in schema:
        words = [str(value) for value in schema.get("enum", [schema.get("const")])]
        return _text(max(map(len, words)))
    match schema.get("type"):
        case "string":
            return _text(schema.get("maxLength", characters))
        case "array":
            items = schema.get("prefixItems")
            inside = sum(map(inner, items), NOTHING) if items else inner(schema.get("items", {}))
            room = inside * (1 if items else schema.get("maxItems", math.inf)) + Room(NUMBER_BYTES, arrays=1)
        case "object":
            properties = schema.get("properties", {})
            named = ((_text(len(name)) + inner(value)) for name, value in properties.items())
            room = sum(named, Room(NUMBER_BYTES, names=len(properties), objects=1))
        case kind:
            room = ANYTHING if kind is None else Room(NUMBER_BYTES)
    return room


def _largest(rooms: Any) -> Room:
    largest = NOTHING
    for room in rooms:
        largest |= room
    return largest


def _text(length: float) -> Room:
    return Room(length * CHARACTER_BYTES + NUMBER_BYTES, texts=1)
