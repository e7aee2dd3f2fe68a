"""Optional NumPy support; without NumPy, arrays are lists."""

from typing import Any

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

np: Any = numpy
"""The module, or None."""
