"""Answers made from the core's dataclasses: their fields are declared and filled from there, arrays as nested lists.

``AnswerOf[Slide]`` declares an answer with the fields of ``Slide``; ``FromCore.of(slide)`` fills it. Where an answer
differs from what the core hands out, its class says only what differs.
"""

import ast
import inspect
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, is_dataclass
from functools import cache, reduce
from itertools import pairwise
from operator import or_
from types import UnionType
from typing import Any, ClassVar, Generic, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from jaxtyping import AbstractArray, Bool, Int
from pydantic import BaseModel, Field, create_model

from attention_core.refusal import Sentence
from ..web.i18n import Said, say
from ..web.matrices import JsonNumber, to_answer_numbers

Mirrored = TypeVar("Mirrored")


class FromCore(BaseModel):
    """The base of answers that mirror a dataclass."""

    _described: ClassVar[Mapping[str, str]] = {}
    """By the name of a field: its description in the core."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give fields that a class declares without a description the one of the core."""
        super().__pydantic_init_subclass__(**kwargs)
        silent = {name: field for name, field in cls.model_fields.items() if field.description is None}
        for name in silent.keys() & cls._described.keys():
            silent[name].description = cls._described[name]
        if silent.keys() & cls._described.keys():
            cls.model_rebuild(force=True)

    @classmethod
    def of(cls, *found: object, **given: Any) -> Self:
        """The answer: what is given, and every other field from the first of `found` that has it.

        Those are dataclasses, or mappings by the fields' names. One inside them becomes the answer that the field's
        type names, a sentence its text in the language of the request. Not validated: these numbers are ours, and may
        be a million. Raises AttributeError for a required field that none of them has.
        """
        taken = {}
        for name, field in cls.model_fields.items():
            if name not in given and (value := _first(found, name)) is not MISSING:
                taken[name] = _answered(value, field.annotation)
            elif name not in given and field.is_required():
                raise AttributeError(f"nothing has {name} for {cls.__name__}")
        return cast("Self", cls.model_construct(**taken, **given))  # pydantic's plugin says: of this class


class AnswerOf(FromCore, Generic[Mirrored]):
    """The base of an answer with the fields of a dataclass, each described by the docstring below it.

    An array is as many lists deep as its shape has axes, and the axes begin its description: ``Float[ndarray,
    "positions pairs"]`` is a ``list[list[float]]``, "[positions][pairs] …". A dataclass inside is an answer of its own.
    What the class itself declares takes the place of the field of that name, and keeps its description unless it has
    one of its own; a property of the dataclass becomes a field if it is declared.
    """

    def __class_getitem__(cls, mirrored: Any) -> Any:
        """The base class for one dataclass. Raises TypeError for anything else."""
        if not (isinstance(mirrored, type) and is_dataclass(mirrored)):
            raise TypeError(f"{mirrored!r} is not a dataclass")
        described = _descriptions(mirrored)
        declared: dict[str, Any] = {
            name: (_answer_type(hint), Field(description=described.get(name)))
            for name, hint in get_type_hints(mirrored).items()
        }
        answer = create_model(mirrored.__name__, __base__=FromCore, __doc__=mirrored.__doc__, **declared)
        answer._described = described
        return answer


def _answer_type(hint: Any) -> Any:
    """The type in an answer for a type of the core. Raises TypeError for an array without a declared shape."""
    if hint is np.ndarray or get_origin(hint) is np.ndarray:
        raise TypeError("the shape of an array must be declared, as in Float[ndarray, 'queries keys']")
    if _is_array(hint):
        if hint.index_variadic is not None:
            return list[Any]
        numbers: Any = {Bool: bool, Int: int}.get(hint.dtype, float)
        for _ in hint.dims:
            numbers = list[numbers]
        return numbers
    if is_dataclass(hint) or hint is Sentence:
        return Said if hint is Sentence else AnswerOf[hint]
    inner = tuple(_answer_type(argument) for argument in get_args(hint))
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, inner)
    if get_origin(hint) in {list, tuple, dict}:
        return get_origin(hint)[inner]
    return hint


def _is_array(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, AbstractArray)


def _axes(hint: Any) -> str:
    """``[positions][pairs]`` of an array with this shape, which may be missing; empty for anything else."""
    for alternative in _alternatives(hint):
        if _is_array(alternative):
            return "".join(f"[{axis}]" for axis in alternative.dim_str.split() if axis[0] not in "*.")
    return ""


def _descriptions(mirrored: type) -> dict[str, str]:
    """By field or property: the axes of an array, and the docstring, with `code` as Markdown has it."""
    said = {}
    for pair in pairwise(_classes(mirrored.__module__)[mirrored.__name__].body):
        match pair:
            case (ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text)))):
                said[name] = text
    hints = get_type_hints(mirrored)
    for name, member in vars(mirrored).items():
        if isinstance(member, property):
            said[name], hints[name] = member.__doc__ or "", get_type_hints(member.fget)["return"]
    described = {name: f"{_axes(hint)} {said.get(name, '').replace('``', '`')}".split() for name, hint in hints.items()}
    return {name: " ".join(words) for name, words in described.items() if words}


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module as syntax trees; parsed once, for inspect parses the whole file for each class."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _first(found: tuple[object, ...], name: str) -> Any:
    """What the first that has this name has there, or MISSING."""
    for one in found:
        value = one.get(name, MISSING) if isinstance(one, Mapping) else getattr(one, name, MISSING)
        if value is not MISSING:
            return value
    return MISSING


def _answered(value: Any, annotation: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    match value:
        case np.ndarray():
            return to_answer_numbers(value)
        case float() if math.isinf(value) and annotation == JsonNumber:
            value = "-Infinity" if value < 0 else "Infinity"
        case Sentence():
            value = say(value)
        case list() | tuple():
            members = [_answered(member, annotation) for member in value]
            is_tuple = any(get_origin(alternative) is tuple for alternative in _alternatives(annotation))
            return tuple(members) if is_tuple else members
        case Mapping() if any(get_origin(alternative) is dict for alternative in _alternatives(annotation)):
            return {name: _answered(member, annotation) for name, member in value.items()}
        case _ if is_dataclass(value) or isinstance(value, Mapping):
            return next(_models(annotation)).of(value)
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
