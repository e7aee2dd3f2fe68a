"""Measure what of the weight files is mapped into this process: as long as one view of a file is, all of it stays."""

from collections.abc import Collection
from pathlib import Path

MAPS = Path("/proc/self/maps")


def mapped_bytes(files: Collection[Path]) -> int:
    """Addresses of this process that hold one of these files, given with links followed; 0 where it cannot be known."""
    if not MAPS.is_file():  # Linux has it
        return 0
    names = {str(file) for file in files}
    total = 0
    for line in MAPS.read_text("utf-8", "surrogateescape").splitlines():
        addresses, *_, name = line.split(maxsplit=5)
        if name.removesuffix(" (deleted)") in names:
            start, end = addresses.split("-")
            total += int(end, 16) - int(start, 16)
    return total
