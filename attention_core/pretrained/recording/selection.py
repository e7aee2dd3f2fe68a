"""Validate layers, heads, tokens, stages and windows; errors name what is out of range."""

from collections.abc import Sequence

from attention_core.pretrained.errors import SelectionError, WindowTooLargeError
from attention_core.pretrained.recording.pooling import cell_size


def check_index(name: str, value: int, count: int) -> int:
    """Return the index. Raises SelectionError unless 0 ≤ value < count."""
    return check_between(name, value, 0, count - 1)


def check_between(name: str, value: int, least: int, most: int) -> int:
    """Return the number. Raises SelectionError unless least ≤ value ≤ most."""
    if not least <= value <= most:
        raise SelectionError(
            "{name} must be from {least} to {most}, not {given}", name, least, most, value, field=name, limit=most
        )
    return value


def check_name(name: str, value: str, known: Sequence[str]) -> str:
    """Return the name. Raises SelectionError unless it is known."""
    if value not in known:
        raise SelectionError(
            "{name} must be one of {choices}, not {given}", name, ", ".join(known), repr(value), field=name
        )
    return value


def span(name: str, given: tuple[int, int] | None, count: int) -> slice:
    """Rows or columns a to b, all by default. Raises SelectionError unless 0 ≤ a < b ≤ count."""
    start, stop = (0, count) if given is None else given
    if not 0 <= start < stop <= count:
        raise SelectionError(
            "{field} must be a:b with 0 ≤ a < b ≤ {limit}, not {start}:{stop}", start, stop, field=name, limit=count
        )
    return slice(start, stop)


def cell_of_window(rows: slice, cols: slice, max_size: int | None, max_cells: int) -> tuple[int, int]:
    """Rows and columns of one cell of this window pooled to ``max_size``.

    Raises WindowTooLargeError if there would be more than ``max_cells`` cells.
    """
    height, width = rows.stop - rows.start, cols.stop - cols.start
    cell = (cell_size(height, max_size), cell_size(width, max_size))
    if -(-height // cell[0]) * -(-width // cell[1]) > max_cells:
        raise WindowTooLargeError(
            "a window of {height} × {width} cells is larger than {limit}: ask for a part or give max_size",
            height,
            width,
            field="rows",
            limit=max_cells,
        )
    return cell
