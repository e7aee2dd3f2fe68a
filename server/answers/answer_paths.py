"""What an answer holds at a path.

A path is written ``blocks[layer].weights[head]``: fields by name; ``[head]`` is the index that the request gives by
this name, ``[?head]`` the same where the array has an axis too many, ``[*]`` each of a list, ``[part]`` the part of the
model with the name that the request gives.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.pretrained.recording.selection import check_index
from ..web.errors import ApiError
from ..web.matrices import EncodedArray, LargeArray

STEP = re.compile(r"\w+|\[[?*\w]+\]")
PART = "part"
"""The index that is a name: of an encoder, a decoder, or the attention between them."""
MATRIX_AXES = 2


@dataclass(frozen=True)
class Drawn:
    """An answer, with the arguments of its handler and the indices that choose from it."""

    part: str
    """The name of what is drawn."""
    answer: Any
    given: Mapping[str, Any]
    at: Mapping[str, int]

    def find(self, path: str) -> Any:
        """What is at the path; None where this answer lacks it. Raises SelectionError for an index beyond it."""
        return self._follow(self.answer, STEP.findall(path))

    def value(self, path: str) -> Any:
        """The same. Raises ApiError for what this answer lacks."""
        if (value := self.find(path)) is None:
            raise self.nothing()
        return value

    def nothing(self) -> ApiError:
        """The refusal to draw what this answer lacks."""
        return ApiError(
            422, "invalid_value", "The answer to this request has no {part} to draw.", self.part, field="draw"
        )

    def parameter(self, name: str) -> Any:
        """What the request said, else what the answer says about it."""
        value = self.at.get(name, self.given.get(name))
        return getattr(self.answer, name, None) if value is None else value

    def array(self, path: str) -> NDArray[Any]:
        """The numbers at the path: NaN for null, as they are where they are exact."""
        return to_array(self.value(path))

    def _follow(self, value: Any, steps: Sequence[str]) -> Any:
        for place, step in enumerate(steps):
            if value is None:
                return None
            if step == "[*]":
                return [self._follow(each, steps[place + 1 :]) for each in value]
            value = self._step(value, step)
        return value

    def _step(self, value: Any, step: str) -> Any:
        if step[0] != "[":
            return value.get(step) if isinstance(value, Mapping) else getattr(value, step)
        name = step.strip("[?]")
        if name == PART:
            wanted = self.parameter(PART)
            return next((each for each in value if each.name == wanted), None if wanted else value[0])
        value = value if isinstance(value, list | tuple) else to_array(value)
        if step[1] == "?" and np.ndim(value) <= MATRIX_AXES:
            return value
        return value[check_index(name, self.at[name], len(value))]


def to_array(value: Any) -> NDArray[Any]:
    """Numbers of any kind that answers have, as an array."""
    if isinstance(value, LargeArray):
        return value.array
    if isinstance(value, EncodedArray):
        flat = np.frombuffer(base64.b64decode(value.bdata), np.dtype(value.dtype).newbyteorder("<"))
        return flat.reshape([int(size) for size in value.shape.split(",")])
    return value if isinstance(value, np.ndarray) else np.array(value, dtype=np.float64)
