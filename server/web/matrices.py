"""Serialise matrices: nested lists of JSON numbers, or raw bytes as base64.

JSON has no infinity, so −∞ (a masked score) is the string ``"-Infinity"``; NaN is never sent in either form.
"""

import base64
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from .errors import ApiError

Dtype = Literal["f4", "f2", "u1"]
"""Little-endian float32 and float16, and uint8 whose 0…255 stand for 0…1."""
JsonNumber = float | Literal["-Infinity", "Infinity"]
Matrix = list[list[JsonNumber]]
"""Rows of numbers, −∞ as ``"-Infinity"``."""
LARGE = 2**16
"""Cells from which an array is kept as an array until it is sent: lists would be a hundred times as large."""
Encoding = Literal["base64", "json"]
"""Raw bytes in base64, or nested lists of numbers."""


class EncodedArray(BaseModel):
    """An array as raw bytes, in the typed-array form that plotly.js reads."""

    dtype: Dtype = Field(description="f4, f2: little-endian floats; u1: 0…255 stand for 0…1.")
    shape: str = Field(description="Sizes separated by commas, the last axis fastest.", examples=["13,13"])
    bdata: str = Field(description="The bytes in base64.")


@dataclass(frozen=True, eq=False)
class LargeArray:
    """A placeholder for the nested lists of an array (serialised by ``server.web.rendering``)."""

    array: NDArray[Any]


def to_answer_numbers(array: NDArray[Any]) -> Any:
    """``to_json_numbers``, or a LargeArray: for responses that skip validation."""
    if array.size < LARGE:
        return to_json_numbers(array)
    if array.dtype.kind == "f":
        _refuse_nan(array)
    return LargeArray(array)


def to_json_numbers(array: NDArray[Any]) -> Any:
    """Nested lists of the array's shape; −∞ becomes ``"-Infinity"``. NaN is refused (see ``_refuse_nan``)."""
    if array.dtype.kind != "f":
        return array.tolist()
    _refuse_nan(array)
    infinite = np.isinf(array)
    if not infinite.any():
        return array.tolist()
    cells = array.astype(object)
    cells[infinite] = np.where(array[infinite] < 0, "-Infinity", "Infinity")
    return cells.tolist()


def encode_base64(array: NDArray[Any], dtype: Dtype) -> EncodedArray:
    """The array's bytes. ``u1`` quantises weights in 0…1 to the nearest of 256 steps."""
    _refuse_nan(array)
    if dtype == "u1" and array.dtype.kind == "f":
        array = np.rint(np.clip(array, 0.0, 1.0) * 255.0)
    raw = np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<"))
    shape = ",".join(map(str, array.shape))
    return EncodedArray(dtype=dtype, shape=shape, bdata=base64.b64encode(raw.tobytes()).decode("ascii"))


def encode(array: NDArray[Any], encoding: Encoding) -> Any:
    """An EncodedArray of float32, or nested lists of the array's shape, as requested."""
    return encode_base64(array, "f4") if encoding == "base64" else to_json_numbers(array)


def _refuse_nan(array: NDArray[Any]) -> None:
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ApiError(422, "not_a_number", "With these inputs the result is not a number (NaN) in some places.")
