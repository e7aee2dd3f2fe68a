"""Read the fields that a page's script declares: ``fields`` in ``static/js/concepts/<stem>/state.js``.

So each default and bound stands once, and no script runs here. The declaration holds literals, constants, arithmetic
and kinds of fields (``fields.KINDS``), which Python writes as JavaScript does but for a few signs, so that Python's own
parser reads it. Anything else is an error, which every test that opens the page finds.
"""

import ast
import math
import operator
import posixpath
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..web.assets import Assets
from .bundling import IMPORTED
from .fields import KINDS, Field

CONSTANT = re.compile(r"^(?:export )?const (\w+) =\s(.+?);$", re.MULTILINE | re.DOTALL)
OTHER_SIGNS = (
    (re.compile(r"/\*\*.*?\*/", re.DOTALL), ""),
    (re.compile(r"\(\) => t\("), "t("),
    (re.compile(r"\{\s*\.\.\."), "{**"),
    (re.compile(r"\.\.\."), "*"),
)
"""What JavaScript writes otherwise: comments, a text to translate later, the parts of an object, those of a list."""
NAMED = {"true": True, "false": False, "null": None, "Math": {"PI": math.pi}}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
DRAWN_BY_SCRIPTS = "matrix"
"""The kind that no template shows."""
CALLED: dict[str, Callable[..., Any]] = {**KINDS, "t": str}
OF_SCRIPTS = "isWritten"
"""What only scripts ask of a field."""


@cache
def declared_fields(assets: Assets, stem: str) -> Mapping[str, Field]:
    """The fields of a concept's page by their names in the state, but for matrices.

    Raises KeyError for an unknown concept, ValueError for a declaration that this cannot read.
    """
    return _Module(assets, f"js/concepts/{stem}/state.js").fields()


class _Module:
    """The constants of one script, each read when it is asked for."""

    def __init__(self, assets: Assets, path: str) -> None:
        source = assets.own(path)
        self._assets = assets
        self._path = path
        self._constants = dict(CONSTANT.findall(source))
        self._imports = {
            name.strip(): posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            for names, target in IMPORTED.findall(source)
            for name in names.split(",")
        }

    def fields(self) -> dict[str, Field]:
        match self._parsed("fields"):
            case ast.Dict(keys, values):
                return {
                    _name(key): self._value(value)
                    for key, value in zip(keys, values, strict=True)
                    if not (isinstance(value, ast.Call) and _name(value.func) == DRAWN_BY_SCRIPTS)
                }
        raise ValueError(f"{self._path}: fields is no object")

    def _parsed(self, name: str) -> ast.expr:
        source = self._constants[name]
        for sign, other in OTHER_SIGNS:
            source = sign.sub(other, source)
        try:
            return ast.parse(f"({source})", mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"{self._path}: {name} is not written in literals: {error.text}") from error

    def _named(self, name: str) -> Any:
        if name in NAMED:
            return NAMED[name]
        if name in self._imports:
            return _Module(self._assets, self._imports[name])._named(name)
        if name not in self._constants:
            raise ValueError(f"{self._path}: no constant {name}")
        return self._value(self._parsed(name))

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self._named(name)
            case ast.List(elements):
                return [one for element in elements for one in self._elements(element)]
            case ast.Dict(keys, values):
                return self._object(keys, values)
            case ast.Call(ast.Name(name), given) if name in CALLED:
                return CALLED[name](*map(self._value, given))
        return self._computed(node)

    def _computed(self, node: ast.expr) -> Any:
        match node:
            case ast.Attribute(value, "length"):
                return len(self._value(value))
            case ast.Attribute(value, name):
                return self._value(value)[name]
            case ast.UnaryOp(ast.USub(), value):
                return -self._value(value)
            case ast.BinOp(left, sign, right) if type(sign) in OPERATORS:
                return OPERATORS[type(sign)](self._value(left), self._value(right))
        raise ValueError(f"{self._path}: {ast.unparse(node)} is no literal")

    def _elements(self, node: ast.expr) -> list[Any]:
        return list(self._value(node.value)) if isinstance(node, ast.Starred) else [self._value(node)]

    def _object(self, keys: list[ast.expr | None], values: list[ast.expr]) -> Any:
        """An object; with the parts of a field, a field."""
        parts: dict[str, Any] = {}
        is_field = False
        for key, value in zip(keys, values, strict=True):
            if key is not None:
                parts |= {} if _name(key) == OF_SCRIPTS else {_name(key): self._value(value)}
                continue
            spread = self._value(value)
            is_field = isinstance(spread, Field)
            parts |= vars(spread) if is_field else spread
        return Field(**parts) if is_field else parts


def _name(node: ast.expr | None) -> str:
    """A name, or a key that is a number."""
    return node.id if isinstance(node, ast.Name) else str(node.value) if isinstance(node, ast.Constant) else ""
