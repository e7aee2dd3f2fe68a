"""Tell which statements about a benchmark's numbers do not hold."""

from collections.abc import Mapping


def broken(bounds: Mapping[str, bool]) -> int:
    """Print the statements that do not hold; the exit code of the benchmark, 1 if there are any."""
    for statement, holds in bounds.items():
        if not holds:
            print(f"does not hold: {statement}")
    return int(not all(bounds.values()))
