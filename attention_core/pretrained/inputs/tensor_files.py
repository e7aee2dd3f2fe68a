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
import struct
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
from attention_core.pretrained.inputs.npy import read_npy
from attention_core.pretrained.inputs.tensor_json import LABELS, read_json

NAME = re.compile(r"(?:(?P<part>encoder|decoder|cross)[._])?(?P<what>weights|queries|keys|values|mask)")
EXPORTED = frozenset({"metadata", "overview", "layers", "heads", "rows", "cols", "stage"})
"""Entries that our own export adds and an analysis recomputes."""

MAX_ENTRIES = 64
MAX_TOKEN_CHARACTERS = 1_000
FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
WHOLE = frozenset({torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64})
LARGEST = np.iinfo(np.int64).max
COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
BAD_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
"""Exceptions of zipfile for a broken or encrypted archive: places before its start, dates and names that are none."""


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

    ``max_bytes`` bounds the unpacked arrays, ``max_json_bytes`` a JSON file and a safetensors file's header, which take
    more memory when parsed. Raises TensorsError and TensorsTooLargeError, naming the array.
    """
    if data[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:  # an empty archive
        return _collect(_read_npz(data, max_bytes))
    if len(data) > 8 and data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= len(data) - 8:
        return _collect(_read_safetensors(data, max_json_bytes))
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
            arrays: dict[str, Any] = {}
            left = max_bytes
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in EXPORTED:
                    continue
                if not _is_known(name):
                    raise _unknown(name)
                if member.compress_type not in COMPRESSIONS:
                    raise TensorsError("The npz file is compressed in an unusual way; numpy deflates.", field="body")
                with archive.open(member) as stream:
                    array = read_npy(name, stream, left=left, limit=max_bytes)
                left -= array.nbytes
                arrays[name] = array
            return arrays
    except BAD_ZIP as error:
        raise TensorsError("The npz file is damaged or encrypted.", field="body") from error


# --- safetensors --------------------------------------------------------------------------------------------------


def _read_safetensors(data: bytes, max_header_bytes: int) -> dict[str, Any]:
    length = int.from_bytes(data[:8], "little")
    if length > max_header_bytes:
        raise TensorsTooLargeError(
            "The header of a safetensors file may have up to {limit} bytes; this one has {given}.",
            length,
            field="body",
            limit=max_header_bytes,
        )
    try:
        header = json.loads(data[8 : 8 + length])
        count = len(header.keys() - {"__metadata__"})
        if count > MAX_ENTRIES:
            raise TensorsTooLargeError(
                "The file holds {count} arrays; at most {limit} are accepted.", count, field="body", limit=MAX_ENTRIES
            )
        tensors = safetensors.torch.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, RuntimeError, AttributeError) as error:
        raise TensorsError("The safetensors file is damaged or uses an unknown number format.", field="body") from error
    fields: dict[str, Any] = dict(tensors)
    for name, text in (header.get("__metadata__") or {}).items():
        if name in LABELS - {"title"}:
            try:
                fields[name] = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise TensorsError("{field} in the metadata is not JSON.", field=name) from error
        elif name == "title" or _is_known(name):
            fields[name] = text
    return fields


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
        native = value.dtype.newbyteorder("=")
        if kind == "u" and size > 1:  # torch computes with signed ones
            native = np.dtype(np.int64 if value.max(initial=0) <= LARGEST else np.float64)
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
    if not _is_text(value):
        raise TensorsError(
            "{field} holds something that is not a character, such as half of a surrogate pair.", field=name
        )
    return value


def _is_text(value: str) -> bool:
    """Whether each of its characters is one: numpy's text may hold any 32 bits, JSON half of a pair."""
    try:
        return value.encode().decode() == value
    except UnicodeError:
        return False


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a whole number beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise TensorsError("{field} must be a finite number.", field=name)
    return number
