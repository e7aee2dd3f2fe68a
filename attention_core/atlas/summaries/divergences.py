"""Distances between heads by what they attend to (Clark et al. 2019, section 6): divergence, map and clusters."""

import math

import numpy as np
import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

from attention_core.atlas.summaries.exact_sums import fixed

CLUSTERS = 8
"""Clusters of heads, at most."""
TINY = 1e-30


def divergence_sums(rows: Float[Tensor, "S G N"]) -> Int64[np.ndarray, " pairs"]:
    """Jensen–Shannon divergence of each pair of heads, summed over queries, in multiples of 2⁻²⁴.

    ``rows`` are the weights of the same queries in every head. The divergence of a and b is
    ``entropy((a + b) / 2) − (entropy(a) + entropy(b)) / 2`` in nats: 0 for equal weights, ln 2 for disjoint ones.
    """
    rows = rows + TINY  # its logarithm is finite, and what it adds is nothing beside any weight
    own = torch.linalg.vecdot(rows, rows.log())
    differences = []
    for head in range(rows.shape[1] - 1):
        both = rows[:, head : head + 1] + rows[:, head + 1 :]
        # H(both / 2) = ln 2 − Σ both ln both / 2, because the weights of both add up to 2.
        middle = torch.linalg.vecdot(both, both.log())
        differences.append((own[:, head : head + 1] + own[:, head + 1 :] - middle).div_(2).add_(math.log(2)))
    if not differences:
        return np.zeros(0, dtype=np.int64)
    return fixed(torch.cat(differences, dim=1).clamp_(min=0.0)).sum(dim=0).cpu().numpy()


def square(pairs: Float[np.ndarray, " pairs"], heads: int) -> Float[np.ndarray, "G G"]:
    """The symmetric matrix of the values of pairs ``first < second``, 0 on its diagonal."""
    matrix = np.zeros((heads, heads))
    matrix[np.triu_indices(heads, 1)] = pairs
    return matrix + matrix.T


def plane(distances: Float[np.ndarray, "G G"]) -> tuple[Float[np.ndarray, "G 2"], float]:
    """Classical multidimensional scaling to two dimensions, and its stress.

    The coordinates are the leading eigenvectors of the centred squared distances, each with its largest component
    positive. The stress is ``√(Σ (d − d')² / Σ d²)`` over pairs, with d' the distance in the plane (Kruskal 1964).
    """
    heads = len(distances)
    centred = np.eye(heads) - 1 / max(heads, 1)
    values, vectors = np.linalg.eigh(-centred @ distances**2 @ centred / 2)
    order = np.argsort(-values, kind="stable")[:2]
    places = np.zeros((heads, 2))
    axes = vectors[:, order] * np.sqrt(values[order].clip(min=0))
    largest = np.abs(axes).argmax(axis=0)
    places[:, : len(order)] = axes * np.where(axes[largest, range(len(order))] < 0, -1.0, 1.0)
    drawn = np.linalg.norm(places[:, None] - places, axis=-1)
    total = float((distances**2).sum())
    return places, float(np.sqrt(((distances - drawn) ** 2).sum() / total)) if total else 0.0


def clusters(distances: Float[np.ndarray, "G G"], most: int = CLUSTERS) -> Int[np.ndarray, " G"]:
    """Average-linkage clustering into at most ``most`` clusters, numbered by their first head.

    The two clusters with the smallest mean distance are joined until few enough are left; of several such pairs the
    first. Clusters at distance 0 are joined in any case.
    """
    members = [[head] for head in range(len(distances))]
    between = distances.astype(float).copy()
    np.fill_diagonal(between, np.inf)
    while len(members) > 1:
        first, second = sorted(np.unravel_index(int(between.argmin()), between.shape))
        if len(members) <= most and between[first, second] > 0:
            break
        sizes = len(members[first]), len(members[second])
        joined = (between[first] * sizes[0] + between[second] * sizes[1]) / sum(sizes)
        between[first], between[:, first] = joined, joined
        between[first, first] = np.inf
        between = np.delete(np.delete(between, second, axis=0), second, axis=1)
        members[first] += members.pop(second)
    numbers = np.zeros(len(distances), dtype=np.int64)
    for number, heads in enumerate(sorted(members, key=min)):
        numbers[heads] = number
    return numbers
