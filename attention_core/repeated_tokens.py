"""Repeated tokens of a text: where each token occurred last, and which key shows whether a head does induction.

An induction head attends from a token to what followed its last occurrence. Where that is the previous token, as in
“very, very, very”, a head that attends to the previous token does the same; where it is the token itself, so does a
head that attends to itself. Such queries tell nothing, and no measure of induction counts them.
"""

import numpy as np
from jaxtyping import Bool, Int

FEWEST_BETWEEN = 2
"""Positions from a query back to the nearest key that shows induction."""


def last_occurrence(ids: Int[np.ndarray, " N"], special: Bool[np.ndarray, " N"]) -> Int[np.ndarray, " N"]:
    """For each token the index of its last occurrence before; −1 without one, and for special tokens."""
    order = np.argsort(ids, kind="stable")
    again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    previous = np.full(len(ids), -1, dtype=np.int64)
    previous[order[again + 1]] = order[again]
    previous[special] = -1
    return previous


def induction_keys(ids: Int[np.ndarray, " N"], special: Bool[np.ndarray, " N"]) -> Int[np.ndarray, " N"]:
    """For each token the index of what followed its last occurrence; −1 where that tells nothing of induction."""
    last = last_occurrence(ids, special)
    return np.where((last >= 0) & (last + 1 <= np.arange(len(ids)) - FEWEST_BETWEEN), last + 1, -1)
