"""Pack what a saved file holds: texts compressed, numbers with no more digits than the page shows of them."""

import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNS = bytes(sign for sign in range(33, 127) if sign not in b"'<\\")
"""91 signs that may stand anywhere in a script element, in a string of Python and in one of JavaScript."""
BLOCK = 13
"""Bits that two of them hold: 91² is above 2¹³."""
DIGITS = 8
"""Significant digits of numbers in JSON; pages show at most six."""
MORE_DIGITS = 12
"""Of those that would stand half-way between two numbers shown, and be rounded again to the other one."""
BITS = 18
"""Significant bits of packed weights, of float32's 24. Sums over heads and products over layers then differ from those
of the full numbers no more than float32's own rounding makes them."""
DECIMALS = (1, 2, 3, 4)
"""Decimal places that a page writes of a weight, or of its percentage."""
SMALL = 1e-4
"""Below it, a page writes a weight's first two digits."""
SHADES = 255
"""A thumbnail's, of which the page makes its own from the weights."""


def pack(text: str) -> str:
    """Gzip in signs; the page unpacks it."""
    return _packed(text.encode())


def _packed(content: bytes) -> str:
    return in_signs(gzip.compress(content, mtime=0))


def in_signs(content: bytes) -> str:
    """Bytes as text, two signs for 13 bits: 8 % shorter than base64. Before them, how many bytes too many they are."""
    bits = np.unpackbits(np.frombuffer(content, np.uint8))
    blocks = -(-bits.size // BLOCK)
    padded = np.zeros(blocks * BLOCK, np.uint8)
    padded[: bits.size] = bits
    numbers: NDArray[np.uint16] = np.zeros(blocks, np.uint16)
    for column in padded.reshape(blocks, BLOCK).T:
        numbers = (2 * numbers + column).astype(np.uint16)
    signs = np.frombuffer(SIGNS, np.uint8)
    surplus = blocks * BLOCK // 8 - len(content)
    pairs = np.stack(np.divmod(numbers, len(SIGNS)), axis=1)
    return (SIGNS[surplus : surplus + 1] + signs[pairs].tobytes()).decode()


def pack_records(records: Sequence[dict[str, Any]]) -> str:
    """Recorded answers, for ``recordsIn`` in ``static/js/requests/packed_records.js``.

    JSON, and behind a zero byte the numbers of all ``matrix_of`` in the answers, in planes: the first bytes of all
    numbers together, then the second …, as similar bytes compress well.
    """
    arrays: dict[int, NDArray[np.float32]] = {}
    text = json.dumps(_shortened(records, arrays), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _packed(text.encode() + b"\0" + _planes(np.concatenate([*arrays.values()])) if arrays else text.encode())


def matrix_of(values: NDArray[np.float32]) -> dict[str, Any]:
    """An array as the answer of a record has it; ``pack_records`` takes its numbers out of the JSON."""
    return {"dtype": "f4-planes", "shape": ",".join(map(str, values.shape)), "bdata": values}


def _planes(values: NDArray[np.float32]) -> bytes:
    return np.ascontiguousarray(values, dtype=">f4").view(np.uint8).reshape(-1, 4).T.tobytes()


def _shortened(value: Any, arrays: dict[int, NDArray[np.float32]]) -> Any:
    """What JSON can hold; in the place of an array stands where it begins among all numbers, by which it is kept."""
    match value:
        case np.ndarray():
            start = next((last + arrays[last].size for last in reversed(arrays)), 0)
            arrays[start] = value.reshape(-1)
            return start
        case float():
            return _rounded(value)
        case dict():
            return {name: _shortened(each, arrays) for name, each in value.items()}
        case list() | tuple():
            return [_shortened(each, arrays) for each in value]
        case _:
            return value


def _rounded(value: float) -> float:
    short = float(f"{value:.{DIGITS}g}")
    digits = f"{short:.{DIGITS - 1}e}".partition("e")[0].rstrip("0")
    is_halfway = digits.endswith("5") and len(digits.lstrip("-")) <= DIGITS
    return float(f"{value:.{MORE_DIGITS}g}") if is_halfway else short


def fewer_bits(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights rounded to ``BITS`` significant bits, but for those of which a page would then write another number."""
    full = np.ascontiguousarray(weights, dtype=np.float32)
    left = 24 - BITS
    bits = full.view(np.uint32)
    rounded = (((bits + np.uint32(1 << (left - 1))) >> left) << left).view(np.float32)
    return np.where(_is_written_alike(full.astype(np.float64), rounded.astype(np.float64)), rounded, full)


def shades(weights: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """Thumbnails as ``shadeOf`` in ``static/js/explorer/data/recorded_thumbnails.js`` makes them of weights."""
    return np.floor(weights.astype(np.float64) * SHADES + 0.5).astype(np.uint8)


def _is_written_alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two weights have the same decimals and shade, or the same first digits if they are small."""
    scales = [np.full_like(one, scale) for scale in (*(10.0**places for places in DECIMALS), SHADES)]
    with np.errstate(divide="ignore"):
        power = np.where(one > 0, np.floor(np.log10(one)), 0)
    scales.append(np.where(one < SMALL, 10.0 ** (1 - power), 1.0))
    return np.all([np.floor(one * scale + 0.5) == np.floor(other * scale + 0.5) for scale in scales], axis=0)
