"""Read and check the header of a safetensors file, without its weights."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_core.pretrained.errors import ModelUnavailableError

MAX_HEADER_BYTES = 100 * 2**20
"""Limit of the safetensors format itself."""


@dataclass(frozen=True)
class Header:
    """The header of a safetensors file."""

    path: Path
    digest: str
    shapes: Mapping[str, tuple[int, ...]]
    """Of every tensor, by name."""

    @property
    def tensors(self) -> int:
        """How many tensors it holds."""
        return len(self.shapes)

    @property
    def parameters(self) -> int:
        """Numbers in all tensors."""
        return sum(math.prod(shape) for shape in self.shapes.values())


def read_header(path: Path) -> Header:
    """Header of a safetensors file: 8 bytes of length, JSON, then exactly the bytes the JSON names.

    Raises ModelUnavailableError if the file is anything else.
    """
    broken = ModelUnavailableError("{name} is truncated or not a safetensors file.", path.name)
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(MAX_HEADER_BYTES, size - 8):
            raise broken
        raw = file.read(length)
    try:
        tensors = {name: entry for name, entry in json.loads(raw).items() if name != "__metadata__"}
        end = max((int(entry["data_offsets"][1]) for entry in tensors.values()), default=0)
        shapes = {name: tuple(int(size) for size in entry["shape"]) for name, entry in tensors.items()}
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        raise broken from error
    if 8 + length + end != size:
        raise broken
    return Header(path, hashlib.sha256(raw).hexdigest(), shapes)
