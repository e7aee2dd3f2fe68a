"""Read and check the header of a safetensors file, without its weights."""

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.model_files import opened

MAX_HEADER_BYTES = 16 * 2**20
"""The format allows 100 MB. A tensor takes about 130 bytes, so this is a file of more than 100,000 tensors."""
BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}
"""Of one number of each type that the format knows."""


@dataclass(frozen=True)
class Header:
    """The header of a safetensors file."""

    path: Path
    digest: str
    nbytes: int
    """Of the header, not of the weights."""
    shapes: Mapping[str, tuple[int, ...]]
    """Of every tensor, by name."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Of every tensor the format's name for its numbers (BITS)."""

    @property
    def tensors(self) -> int:
        """How many tensors it holds."""
        return len(self.shapes)

    @property
    def parameters(self) -> int:
        """Numbers in all tensors."""
        return sum(math.prod(shape) for shape in self.shapes.values())


def read_headers(paths: Sequence[Path]) -> list[Header]:
    """The header of each file. Raises ModelUnavailableError as ``read_header`` does, and for too much in all."""
    headers, left = [], MAX_HEADER_BYTES
    for path in paths:
        headers.append(read_header(path, left))
        left -= headers[-1].nbytes
    return headers


def read_header(path: Path, max_bytes: int = MAX_HEADER_BYTES) -> Header:
    """Header of a safetensors file: 8 bytes of length, JSON, then exactly the bytes the JSON names.

    Raises ModelUnavailableError if the file is anything else, or its JSON longer than ``max_bytes``.
    """
    broken = ModelUnavailableError("{name} is truncated or not a safetensors file.", path.name)
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:
            raise broken
        if length > max_bytes:
            raise ModelUnavailableError(
                "The headers of its weights take more than {limit} bytes, the most that is read of them.",
                limit=MAX_HEADER_BYTES,
            )
        raw = file.read(length)
    try:
        tensors = {name: entry for name, entry in json.loads(raw).items() if name != "__metadata__"}
        end = max((int(entry["data_offsets"][1]) for entry in tensors.values()), default=0)
        shapes = {name: tuple(int(size) for size in entry["shape"]) for name, entry in tensors.items()}
        types = {name: str(entry["dtype"]) for name, entry in tensors.items()}
        if not all(map(_is_consistent, tensors.values())):
            raise broken
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        raise broken from error
    if 8 + length + end != size:
        raise broken
    return Header(path, hashlib.sha256(raw).hexdigest(), length, shapes, types)


def _is_consistent(entry: Mapping[str, Any]) -> bool:
    """Whether a tensor takes as many bytes as its shape and its type say."""
    begin, end = entry["data_offsets"]
    shape = entry["shape"]
    if not all(type(each) is int and each >= 0 for each in (begin, end, *shape)) or end < begin:
        return False
    return math.prod(shape) * BITS[entry["dtype"]] == 8 * (end - begin)
