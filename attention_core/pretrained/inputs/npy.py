"""Read one array of an untrusted npy file: its header by its grammar, then as many bytes as it declares.

Format: NumPy Enhancement Proposal 1. The header is a Python dictionary of three entries, which numpy evaluates as a
Python literal; any text can be in its place. Here it is matched against what such a dictionary may look like, so that
nothing is evaluated and nothing nests.
"""

import math
import re
import struct
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError

MAGIC = b"\x93NUMPY"
LENGTHS = {1: "<H", 2: "<I", 3: "<I"}
"""How a version of the format says the length of its header."""
MAX_HEADER = 10_000
MAX_AXES = 32

QUOTED = r"""'([^'\\]*)'|"([^"\\]*)\""""
ENTRY = re.compile(
    rf"""\s*(?:'(\w+)'|"(\w+)")\s*:\s*(?:{QUOTED}|(True|False)|\(([\s\d,L]*)\)|(\[[^\]]*\]))\s*(,|$)""", re.ASCII
)
"""``'descr': '<f4',``: a name, then text, a truth value, sizes or, for a record of several formats, a list."""
SIZES = re.compile(r"\s*(?:\d{1,19}L?\s*,\s*)*(?:\d{1,19}L?)?\s*", re.ASCII)
FORMAT = re.compile(r"[<>|=]?[biufcmMOSUV]\d{0,9}(\[\w{1,8}\])?", re.ASCII)
NAMES = {"descr", "fortran_order", "shape"}


@runtime_checkable
class Stream(Protocol):
    """What bytes are read from."""

    def read(self, count: int, /) -> bytes:
        """The next bytes, fewer at the end."""


def read_npy(name: str, stream: Stream, *, left: int, limit: int) -> np.ndarray:
    """The array. ``left`` bytes are left of the ``limit`` of all. Raises TensorsError, TensorsTooLargeError."""
    shape, is_fortran, dtype = _header(name, stream)
    if dtype.hasobject:
        raise TensorsError(
            "{field} holds Python objects, which are never loaded; save plain numbers, or text as np.array([…]).",
            field=name,
        )
    nbytes = declared_bytes(name, shape, dtype.itemsize, left=left, limit=limit)
    content = bytearray(stream.read(nbytes))
    if len(content) != nbytes or stream.read(1):
        raise TensorsError("{field} does not have the {nbytes} bytes that its header declares.", nbytes, field=name)
    return np.frombuffer(content, dtype).reshape(shape, order="F" if is_fortran else "C")


def declared_bytes(name: str, shape: Sequence[int], itemsize: int, *, left: int, limit: int) -> int:
    """The bytes of an array of this shape. Raises TensorsError for one without elements, and if they are too many."""
    if 0 in shape or not itemsize:
        raise TensorsError("{field} is empty: its shape is {shape}.", tuple(shape), field=name)
    nbytes = math.prod(shape) * itemsize
    if nbytes > left:
        raise TensorsTooLargeError(
            "The arrays take more than {limit} bytes when unpacked; {field} alone declares {nbytes}.",
            nbytes,
            field=name,
            limit=limit,
        )
    return nbytes


def _header(name: str, stream: Stream) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether the first axis varies fastest, and the number format."""
    entries = _entries(_text(name, stream))
    match [entries.get(key) for key in ("descr", "fortran_order", "shape")]:
        case [str(descr), bool(is_fortran), tuple(shape)] if len(entries) == len(NAMES) and len(shape) <= MAX_AXES:
            return shape, is_fortran, _dtype(name, descr)
    raise _not_npy(name)


def _text(name: str, stream: Stream) -> str:
    start = stream.read(len(MAGIC) + 2)
    length = LENGTHS.get(start[6]) if start[:6] == MAGIC and len(start) == len(MAGIC) + 2 else None
    said = stream.read(struct.calcsize(length)) if length else b""
    if length is None or len(said) != struct.calcsize(length):
        raise _not_npy(name)
    size: int = struct.unpack(length, said)[0]
    header = stream.read(min(size, MAX_HEADER + 1))
    if len(header) != size or size > MAX_HEADER:
        raise _not_npy(name)
    return header.decode("latin-1").strip()


def _entries(text: str) -> dict[str, object]:
    """The dictionary's entries; nothing if it is not one."""
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    body, position, fields = text[1:-1].rstrip(), 0, dict[str, object]()
    while position < len(body):
        entry = ENTRY.match(body, position)
        if entry is None:
            return {}
        *names, single, double, truth, sizes, listed, _ = entry.groups()
        key = names[0] or names[1]
        if key in fields or key not in NAMES or (sizes is not None and not SIZES.fullmatch(sizes)):
            return {}
        if truth is not None:
            fields[key] = truth == "True"
        elif sizes is not None:
            fields[key] = tuple(int(size.strip().rstrip("L")) for size in sizes.split(",") if size.strip())
        else:
            fields[key] = next(part for part in (single, double, listed) if part is not None)
        position = entry.end()
    return fields


def _dtype(name: str, descr: str) -> np.dtype:
    if FORMAT.fullmatch(descr):
        try:
            return np.dtype(descr)
        except (TypeError, ValueError):
            pass  # no format of numpy's
    raise TensorsError("{field} is not an npy array of a single number format.", field=name)


def _not_npy(name: str) -> TensorsError:
    return TensorsError("{field} is not an npy array.", field=name)
