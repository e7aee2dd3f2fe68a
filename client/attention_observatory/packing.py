"""Serialise tensors for upload: npz if NumPy is installed, else JSON."""

from __future__ import annotations

import io
import json
from typing import Any

from attention_observatory.arrays import np


def pack(arrays: dict[str, Any], labels: dict[str, Any]) -> bytes:
    """One file of arrays and metadata; None values are omitted."""
    arrays = {name: array for name, array in arrays.items() if array is not None}
    labels = {name: label for name, label in labels.items() if label is not None}
    if np is None:
        return json.dumps({**{name: _lists(array) for name, array in arrays.items()}, **labels}).encode()
    file = io.BytesIO()
    converted = {name: _array(array) for name, array in arrays.items()}
    np.savez(file, **converted, **{name: np.array(label) for name, label in labels.items()})
    return file.getvalue()


def _array(value: Any) -> Any:
    """A NumPy array from any framework's tensor, nested lists, or a sequence with one tensor per layer."""
    if isinstance(value, str):  # a mask by name
        return np.array(value)
    if isinstance(value, (list, tuple)) and value and hasattr(value[0], "shape"):
        return np.stack([_array(each) for each in value])
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # not available in NumPy
            value = value.float()
        return value.numpy()
    return np.asarray(value)


def _lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_lists(each) for each in value]
    if hasattr(value, "detach"):
        value = value.detach()
    return value.tolist() if hasattr(value, "tolist") else value
