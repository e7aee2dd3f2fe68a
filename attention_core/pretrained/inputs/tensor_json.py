"""Tensors as JSON: nested lists of numbers, or ``{"dtype", "shape", "bdata"}`` with the bytes in base64."""

import base64
import binascii
import json
from typing import Any

import numpy as np
import torch

from attention_core.pretrained.errors import TensorsError
from attention_core.pretrained.inputs.npy import declared_bytes

DTYPES = {"f2": torch.float16, "bf16": torch.bfloat16, "f4": torch.float32, "f8": torch.float64, "u1": torch.uint8}
"""Little-endian."""
ENCODED = {"dtype", "shape", "bdata"}
LABELS = frozenset({"tokens", "key_tokens", "title", "scale"})


def read_json(data: bytes, max_bytes: int) -> dict[str, Any]:
    """The object's fields, with arrays as numpy arrays or tensors. Raises TensorsError."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TensorsError("The body is not valid JSON.", field="body") from error
    if not isinstance(fields, dict):
        raise TensorsError("The body must be a JSON object.", field="body")
    fields = {name: value for name, value in fields.items() if value is not None}
    return {name: value if name in LABELS else _array(name, value, max_bytes) for name, value in fields.items()}


def _array(name: str, value: object, max_bytes: int) -> object:
    if isinstance(value, dict):
        return _decoded(name, value, max_bytes)
    if not isinstance(value, list):
        return value
    try:
        array = np.array(value)
    except (ValueError, OverflowError) as error:
        raise TensorsError(
            "{field} must be lists of numbers, all of the same length on each level.", field=name
        ) from error
    if array.dtype.kind not in "fiub":
        raise TensorsError("{field} holds something that is not a number.", field=name)
    return array


def _decoded(name: str, value: dict[str, object], max_bytes: int) -> torch.Tensor:
    if set(value) != ENCODED:
        raise TensorsError("{field} must be lists of numbers, or an object of dtype, shape and bdata.", field=name)
    dtype = DTYPES.get(str(value["dtype"]))
    if dtype is None:
        raise TensorsError(
            "{name} must be one of {choices}.", f"{name}.dtype", ", ".join(DTYPES), field=f"{name}.dtype"
        )
    shape = _shape(name, value["shape"])
    nbytes = declared_bytes(name, shape, dtype.itemsize, left=max_bytes, limit=max_bytes)
    try:
        content = bytearray(base64.b64decode(str(value["bdata"]), validate=True))
    except (binascii.Error, ValueError) as error:
        raise TensorsError("{name}.bdata is not valid base64.", name, field=f"{name}.bdata") from error
    if len(content) != nbytes:
        raise TensorsError(
            "{name} has {given} bytes; its shape {shape} needs {nbytes}.",
            name,
            len(content),
            shape,
            nbytes,
            field=f"{name}.bdata",
        )
    return torch.frombuffer(content, dtype=dtype).reshape(shape)


def _shape(name: str, value: object) -> tuple[int, ...]:
    """Parse ``"2,3"`` (this API's notation) or ``[2, 3]``."""
    sizes = value.split(",") if isinstance(value, str) else value
    try:
        shape = tuple(int(size) for size in sizes) if isinstance(sizes, list) else ()
    except (TypeError, ValueError, OverflowError):
        shape = ()
    if not shape or len(shape) > 5 or min(shape) < 0:
        raise TensorsError("{name}.shape must be up to five sizes.", name, field=f"{name}.shape")
    return shape
