"""Answers made of the core's dataclasses: their fields are declared and filled from there, arrays as lists of numbers.

``AnswerOf[Slide]`` declares an answer with the fields of ``Slide``; ``FromCore.of(slide)`` fills it. Where an answer
differs from what the core hands out, its class says only what differs.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from types import UnionType
from typing import Any, Generic, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from jaxtyping import AbstractArray, Bool, Int
from pydantic import BaseModel, Field, create_model

from server.web.matrices import to_answer_numbers

Mirrored = TypeVar("Mirrored")


class FromCore(BaseModel):
    """The base of answers that mirror a dataclass."""

    @classmethod
    def of(cls, found: object, **given: Any) -> Self:
        """The answer: what is given, and every other field as `found` has it.

        A dataclass inside becomes the answer that the field's type names. Not validated: these numbers are ours, and
        may be a million.
        """
        taken = {
            name: _answered(getattr(found, name), field.annotation)
            for name, field in cls.model_fields.items()
            if name not in given and (field.is_required() or hasattr(found, name))
        }
        return cast("Self", cls.model_construct(**taken, **given))  # pydantic's plugin says: of this class


class AnswerOf(FromCore, Generic[Mirrored]):
    """The base of an answer with the fields of a dataclass, each described by the docstring below it.

    An array is as many lists deep as its shape has axes, and the axes begin its description: ``Float[ndarray,
    "positions pairs"]`` is a ``list[list[float]]``, "[positions][pairs] …". A dataclass inside is an answer of its own.
    What the class itself declares takes the place of the field of that name.
    """

    def __class_getitem__(cls, mirrored: Any) -> Any:
        """The base class for one dataclass. Raises TypeError for anything else."""
        if not (isinstance(mirrored, type) and is_dataclass(mirrored)):
            raise TypeError(f"{mirrored!r} is not a dataclass")
        described = _descriptions(mirrored)
        declared: dict[str, Any] = {
            name: (_answer_type(hint), Field(description=f"{_axes(hint)} {described.get(name, '')}".strip() or None))
            for name, hint in get_type_hints(mirrored).items()
        }
        return create_model(mirrored.__name__, __base__=FromCore, __doc__=mirrored.__doc__, **declared)


def _answer_type(hint: Any) -> Any:
    """What stands in an answer for a type of the core. Raises TypeError for an array of no declared shape."""
    if hint is np.ndarray or get_origin(hint) is np.ndarray:
        raise TypeError("the shape of an array must be declared, as in Float[ndarray, 'queries keys']")
    if _is_array(hint):
        numbers: Any = {Bool: bool, Int: int}.get(hint.dtype, float)
        for _ in hint.dims:
            numbers = list[numbers]
        return numbers
    if is_dataclass(hint):
        return AnswerOf[hint]
    inner = tuple(_answer_type(one) for one in get_args(hint))
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, inner)
    if get_origin(hint) in {list, tuple, dict}:
        return get_origin(hint)[inner]
    return hint


def _is_array(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, AbstractArray)


def _axes(hint: Any) -> str:
    """``[positions][pairs]`` of an array with this shape, which may be missing; empty for anything else."""
    for one in _alternatives(hint):
        if _is_array(one):
            return "".join(f"[{axis}]" for axis in one.dim_str.split())
    return ""


def _descriptions(mirrored: type) -> dict[str, str]:
    """The docstring below each field of a class, with `code` as Markdown has it."""
    body = cast("ast.ClassDef", ast.parse(inspect.getsource(mirrored)).body[0]).body
    found = {}
    for pair in pairwise(body):
        match pair:
            case (ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text)))):
                found[name] = " ".join(text.replace("``", "`").split())
    return found


def _answered(value: Any, annotation: Any) -> Any:
    match value:
        case np.ndarray():
            return to_answer_numbers(value)
        case np.generic():
            return value.item()
        case list() | tuple():
            members = [_answered(member, annotation) for member in value]
            is_tuple = any(get_origin(one) is tuple for one in _alternatives(annotation))
            return tuple(members) if is_tuple else members
        case Mapping():
            return {name: _answered(member, annotation) for name, member in value.items()}
        case _ if is_dataclass(value):
            return next(_models(annotation)).of(value)
        case _:
            return value


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """What a value may be; several for `A | B`."""
    return get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)


def _models(annotation: Any) -> Iterator[type[FromCore]]:
    """Those that an annotation such as `list[TokenAnswer] | None` names."""
    if isinstance(annotation, type) and issubclass(annotation, FromCore):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
