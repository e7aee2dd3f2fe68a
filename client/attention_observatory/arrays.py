"""NumPy where it is there; everything works without, on lists."""

from typing import Any

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

np: Any = numpy
"""The module, or None."""
