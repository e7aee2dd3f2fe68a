"""Wilson's interval by the equation that defines it."""

import math


def wilson(share: float, count: int) -> tuple[float, float]:
    """The shares p that are at most 1.96 of their own standard deviations √(p (1 − p) / count) away: roots of that."""
    a, b, c = 1 + 1.96**2 / count, -(2 * share + 1.96**2 / count), share**2
    low, high = sorted((-b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a) for sign in (-1, 1))
    return low, high
