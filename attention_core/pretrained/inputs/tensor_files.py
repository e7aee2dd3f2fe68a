"""Read uploaded tensors from one file: npz, safetensors or JSON, recognised by their first bytes.

Files are untrusted: no pickle is ever loaded, sizes are read from the headers and checked before any array is read, and
no array is read beyond its declared length.

Arrays are named ``weights``, ``queries``, ``keys``, ``values`` and ``mask``, with the prefix ``encoder.``, ``decoder.``
or ``cross.`` if there are several kinds. ``tokens``, ``key_tokens``, ``title`` and ``scale`` are optional: arrays of
text or numbers in npz, JSON strings in safetensors' metadata, plain fields in JSON. ``mask`` may also be the string
``causal`` or ``none``.
"""

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from torch import Tensor

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_json import LABELS, read_json

NAME = re.compile(r"(?:(?P<part>encoder|decoder|cross)[._])?(?P<what>weights|queries|keys|values|mask)")
EXPORTED = frozenset({"metadata", "overview", "layers", "heads", "rows", "cols", "stage"})
"""Entries that our own export adds and an analysis recomputes."""

MAX_ENTRIES = 64
MAX_TOKEN_CHARACTERS = 1_000
MAX_NPY_HEADER = 10_000
FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
WHOLE = frozenset({torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64})
BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError)
"""Exceptions of zipfile for a broken, encrypted or unusually compressed archive."""


@dataclass(frozen=True, eq=False)
class TensorFile:
    """The contents of a file, in their original form."""

    tensors: dict[str, Tensor]
    """By name, ``weights`` or ``cross.weights``, in their original type: floats, integers or booleans."""
    masks: dict[str, str] = field(default_factory=dict)
    """``mask`` or ``decoder.mask`` → ``causal`` or ``none``."""
    tokens: list[str] | None = None
    key_tokens: list[str] | None = None
    title: str | None = None
    scale: float | None = None


def read_tensor_file(data: bytes, *, max_bytes: int, max_json_bytes: int) -> TensorFile:
    """Parse a file held in memory.

    ``max_bytes`` bounds the unpacked arrays, ``max_json_bytes`` the text of a JSON file, which takes more memory when
    parsed. Raises TensorsError and TensorsTooLargeError, naming the array.
    """
    if data[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:  # an empty archive
        return _collect(_read_npz(data, max_bytes))
    if len(data) > 8 and data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= len(data) - 8:
        return _collect(_read_safetensors(data))
    if data.lstrip()[:1] == b"{":
        if len(data) > max_json_bytes:
            raise TensorsTooLargeError(
                "A JSON file may have up to {limit} bytes; this one has {given}. Send npz or safetensors instead.",
                len(data),
                field="body",
                limit=max_json_bytes,
            )
        return _collect(read_json(data, max_bytes))
    raise TensorsError("The file is neither npz nor safetensors nor a JSON object.", field="body")


# --- npz ----------------------------------------------------------------------------------------------------------


def _read_npz(data: bytes, max_bytes: int) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_ENTRIES:
                raise TensorsTooLargeError(
                    "The file holds {count} arrays; at most {limit} are accepted.",
                    len(members),
                    field="body",
                    limit=MAX_ENTRIES,
                )
            found: dict[str, Any] = {}
            left = max_bytes
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in EXPORTED:
                    continue
                if not _is_known(name):
                    raise _unknown(name)
                with archive.open(member) as stream:
                    array = _read_npy(name, stream, left, max_bytes)
                left -= array.nbytes
                found[name] = array
            return found
    except BAD_ZIP as error:
        raise TensorsError("The npz file is damaged or encrypted.", field="body") from error


def _read_npy(name: str, stream: Any, left: int, max_bytes: int) -> np.ndarray:
    """One array: its header first, then the number of bytes it declares, if within the limit."""
    try:
        version = np.lib.format.read_magic(stream)
        reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, is_fortran, dtype = reader(stream, max_header_size=MAX_NPY_HEADER)
    except (ValueError, KeyError) as error:
        raise TensorsError("{field} is not an npy array.", field=name) from error
    if dtype.hasobject:
        raise TensorsError(
            "{field} holds Python objects, which are never loaded; save plain numbers, or text as np.array([…]).",
            field=name,
        )
    if any(not isinstance(size, int) or size < 0 for size in shape):
        raise TensorsError("{field} has the unsupported shape {shape}.", shape, field=name)
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes > left:
        raise TensorsTooLargeError(
            "The arrays take more than {limit} bytes when unpacked; {field} alone declares {nbytes}.",
            nbytes,
            field=name,
            limit=max_bytes,
        )
    content = bytearray(stream.read(nbytes))
    if len(content) != nbytes or stream.read(1):
        raise TensorsError("{field} does not have the {nbytes} bytes that its header declares.", nbytes, field=name)
    return np.frombuffer(content, dtype).reshape(shape, order="F" if is_fortran else "C")


# --- safetensors --------------------------------------------------------------------------------------------------


def _read_safetensors(data: bytes) -> dict[str, Any]:
    try:
        tensors = safetensors.torch.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise TensorsError("The safetensors file is damaged or uses an unknown number format.", field="body") from error
    if len(tensors) > MAX_ENTRIES:
        raise TensorsTooLargeError(
            "The file holds {count} arrays; at most {limit} are accepted.",
            len(tensors),
            field="body",
            limit=MAX_ENTRIES,
        )
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    found: dict[str, Any] = dict(tensors)
    for name, text in header.get("__metadata__", {}).items():
        if name in LABELS - {"title"}:
            try:
                found[name] = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise TensorsError("{field} in the metadata is not JSON.", field=name) from error
        elif name == "title" or _is_known(name):
            found[name] = text
    return found


# --- names and types ----------------------------------------------------------------------------------------------


def _is_known(name: str) -> bool:
    return name in LABELS or NAME.fullmatch(name) is not None


def _unknown(name: str) -> TensorsError:
    shown = re.sub(r"[^\w.-]", "?", name[:60])
    return TensorsError(
        "{shown} is not a name known here: weights, queries, keys, values and mask are "
        "(cross.weights, … where there are several kinds), and tokens, key_tokens, title and "
        "scale.",
        repr(shown),
        field="body",
    )


def _collect(found: Mapping[str, Any]) -> TensorFile:
    """Sort the contents by kind and check their types."""
    tensors: dict[str, Tensor] = {}
    masks: dict[str, str] = {}
    for name, value in found.items():
        known = NAME.fullmatch(name)
        if known is None and name not in LABELS:
            raise _unknown(name)
        if known is None:
            continue
        full = ".".join(filter(None, (known["part"], known["what"])))
        plain = _plain(value)
        if known["what"] == "mask" and isinstance(plain, str):
            if plain not in {"causal", "none"}:
                raise TensorsError("{field} must be causal, none or an array of booleans.", field=full)
            masks[full] = plain
        else:
            tensors[full] = _tensor(full, value)
    return TensorFile(
        tensors,
        masks,
        tokens=_texts("tokens", found.get("tokens")),
        key_tokens=_texts("key_tokens", found.get("key_tokens")),
        title=_text("title", _plain(found.get("title"))),
        scale=_number("scale", _plain(found.get("scale"))),
    )


def _plain(value: object) -> object:
    """Convert a zero-dimensional numpy array to a plain value."""
    return value.item() if isinstance(value, np.ndarray | Tensor) and value.ndim == 0 else value


def _tensor(name: str, value: object) -> Tensor:
    if isinstance(value, np.ndarray):
        kind, size = value.dtype.kind, value.dtype.itemsize
        if kind not in "fiub" or size > 8:
            raise TensorsError(
                "{field} has the number format {kind}{size}; only f2, f4, f8 and bf16 are accepted.",
                kind,
                size,
                field=name,
            )
        native = np.dtype(np.int64) if kind == "u" and size > 1 else value.dtype.newbyteorder("=")
        value = torch.from_numpy(np.require(value, native, ["C", "W"]))
    if not isinstance(value, Tensor):
        raise TensorsError("{field} is not an array.", field=name)
    if value.dtype not in FLOATS | WHOLE:
        short = str(value.dtype).removeprefix("torch.")
        raise TensorsError(
            "{field} has the number format {short}; only f2, f4, f8 and bf16 are accepted.", short, field=name
        )
    if 0 in value.shape:
        raise TensorsError("{field} is empty: its shape is {shape}.", tuple(value.shape), field=name)
    return value


def _texts(name: str, value: object) -> list[str] | None:
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "US":
        value = value.tolist()
    if not isinstance(value, list):
        raise TensorsError("{field} must be a list of strings.", field=name)
    return [_text(f"{name}.{index}", each) or "" for index, each in enumerate(value)]


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise TensorsError("{field} must be a string.", field=name)
    if len(value) > MAX_TOKEN_CHARACTERS:
        raise TensorsTooLargeError(
            "{field} has {count} characters; at most {limit} are accepted.",
            len(value),
            field=name,
            limit=MAX_TOKEN_CHARACTERS,
        )
    if value.encode("utf-8", "replace").decode() != value:
        raise TensorsError("{field} holds half of a surrogate pair, which is not a character.", field=name)
    return value


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TensorsError("{field} must be a finite number.", field=name)
    return float(value)
