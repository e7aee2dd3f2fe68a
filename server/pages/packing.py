"""Pack what a saved file holds: texts compressed, numbers with no more digits than the page shows of them."""

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = 8
"""Significant digits of numbers in JSON; pages show at most six."""
BITS = 18
"""Significant bits of packed weights, of float32's 24. Sums over heads and products over layers then differ from those
of the full numbers no more than float32's own rounding makes them."""
DECIMALS = (1, 2, 3, 4)
"""Decimal places that a page writes of a weight, or of its percentage."""
SMALL = 1e-4
"""Below it, a page writes a weight's first two digits."""


def pack(text: str) -> str:
    """Gzip in base64; the page unpacks it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def pack_records(records: Sequence[dict[str, Any]]) -> str:
    """Recorded answers, for ``recordsIn`` in ``static/js/requests/recorded_answers.js``."""
    return pack(json.dumps(_shortened(records), ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _shortened(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            return {name: _shortened(each) for name, each in value.items()}
        case list() | tuple():
            return [_shortened(each) for each in value]
        case _:
            return value


def planes(values: NDArray[np.float32]) -> dict[str, str]:
    """An array with the first bytes of all numbers together, then the second …: similar bytes compress well."""
    raw = np.ascontiguousarray(values, dtype=">f4").view(np.uint8).reshape(-1, 4).T
    shape = ",".join(map(str, values.shape))
    return {"dtype": "f4-planes", "shape": shape, "bdata": base64.b64encode(raw.tobytes()).decode()}


def fewer_bits(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights rounded to ``BITS`` significant bits, but for those of which a page would then write another number."""
    full = np.ascontiguousarray(weights, dtype=np.float32)
    left = 24 - BITS
    bits = full.view(np.uint32)
    rounded = (((bits + np.uint32(1 << (left - 1))) >> left) << left).view(np.float32)
    return np.where(_is_written_alike(full.astype(np.float64), rounded.astype(np.float64)), rounded, full)


def _is_written_alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two weights have the same decimals, or the same first digits if they are small."""
    scales = [np.full_like(one, 10.0**places) for places in DECIMALS]
    with np.errstate(divide="ignore"):
        power = np.where(one > 0, np.floor(np.log10(one)), 0)
    scales.append(np.where(one < SMALL, 10.0 ** (1 - power), 1.0))
    return np.all([np.floor(one * scale + 0.5) == np.floor(other * scale + 0.5) for scale in scales], axis=0)
