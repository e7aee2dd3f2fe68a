"""Optional NumPy support; without NumPy, arrays are lists."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Mapping
from typing import Any

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

np: Any = numpy
"""The module, or None."""
SPECIAL = {"Infinity": float("inf"), "-Infinity": float("-inf")}


def needed(package: str, purpose: str) -> Any:
    """An optional package. Raises ImportError that says how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise ImportError(f"{purpose} need the package {name}: pip install {name}") from error


def as_array(value: Any) -> Any:
    """A NumPy array from any framework's tensor, nested lists, or a sequence with one tensor per layer."""
    if isinstance(value, str):  # a mask by name
        return np.array(value)
    if isinstance(value, (list, tuple)) and value and hasattr(value[0], "shape"):
        return np.stack([as_array(each) for each in value])
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # not available in NumPy
            value = value.float()
        return value.numpy()
    return np.asarray(value)


def with_arrays(value: Any) -> Any:
    """An answer in which matrices are NumPy arrays: nested lists of numbers, lists of floats, and encoded bytes.

    Without NumPy it is returned as it is.
    """
    if np is None:
        return value
    if isinstance(value, Mapping):
        if {"dtype", "shape", "bdata"} <= value.keys():
            return decoded(value)
        return {name: with_arrays(each) for name, each in value.items()}
    return _list_with_arrays(value) if isinstance(value, list) else value


def _list_with_arrays(value: list[Any]) -> Any:
    kinds = {type(each) for each in _cells(value)}
    if kinds and kinds <= {float, int, bool, str} and (str not in kinds or _are_numbers(value)):
        is_matrix = isinstance(value[0], list)
        if is_matrix or float in kinds:
            try:
                return np.array(_numbers(value))
            except ValueError:  # rows of different lengths
                return [with_arrays(each) for each in value]
    return [with_arrays(each) for each in value]


def decoded(array: Mapping[str, Any]) -> Any:
    """The NumPy array in ``{"dtype", "shape", "bdata"}``; u1 as it is, 0 to 255."""
    flat = np.frombuffer(base64.b64decode(array["bdata"]), "<" + array["dtype"])
    shape = str(array.get("shape", flat.size)).split(",")
    return flat.reshape([int(size) for size in shape]).copy()


def _cells(value: Any) -> Any:
    if isinstance(value, list):
        for each in value:
            yield from _cells(each)
    else:
        yield value


def _are_numbers(value: Any) -> bool:
    return all(not isinstance(cell, str) or cell in SPECIAL for cell in _cells(value))


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return SPECIAL[value] if isinstance(value, str) else value
