"""Serialise tensors for upload: npz if NumPy is installed, else JSON."""

from __future__ import annotations

import io
import json
from typing import Any

from attention_observatory.arrays import as_array, np
from attention_observatory.handed_out import unusable


def pack(arrays: dict[str, Any], labels: dict[str, Any]) -> bytes:
    """One file of arrays and metadata; None values are omitted."""
    arrays = {name: array for name, array in arrays.items() if array is not None}
    labels = {name: label for name, label in labels.items() if label is not None}
    if np is None:
        return json.dumps({**{name: _lists(array) for name, array in arrays.items()}, **labels}).encode()
    file = io.BytesIO()
    converted = {name: _numbers(name, array) for name, array in arrays.items()}
    np.savez(file, **converted, **{name: np.array(label) for name, label in labels.items()})
    return file.getvalue()


def _numbers(name: str, value: Any) -> Any:
    try:
        array = as_array(value)
    except (TypeError, ValueError) as error:  # a tensor without data, too
        reason = f"cannot be made into one array of numbers, as where its rows differ in length. ({error})"
        raise unusable(name, reason) from None
    if array.dtype == object:
        raise unusable(name, "cannot be made into one array of numbers: it holds what is no number.")
    return array


def _lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_lists(each) for each in value]
    if hasattr(value, "detach"):
        value = value.detach()
    return value.tolist() if hasattr(value, "tolist") else value
