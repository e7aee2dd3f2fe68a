"""Answers made of the core's dataclasses: what has the same name is taken over, arrays as lists of numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Self, Union, cast, get_args, get_origin

import numpy as np
from pydantic import BaseModel

from server.web.matrices import to_answer_numbers


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
