"""Attention flow against hand-computed networks and the minimum over all cuts."""

import itertools

import numpy as np
import pytest

from attention_core.pretrained.errors import Cancelled, SelectionError, WindowTooLargeError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.flow.attention_flow import attention_flow, maximal_flows
from attention_core.pretrained.studies.flow.rollout import rollout


def smallest_cut(capacities: list[np.ndarray], query: int, token: int) -> float:
    """Over every set of nodes that holds the source and not the target (Ford and Fulkerson's theorem)."""
    size = len(capacities[0])
    pipes = {
        (level + 1, upper, level, lower): matrix[upper, lower]
        for level, matrix in enumerate(capacities)
        for upper in range(size)
        for lower in range(size)
    }
    source, target = (len(capacities), query), (0, token)
    nodes = itertools.product(range(len(capacities) + 1), range(size))
    others = [node for node in nodes if node not in {source, target}]
    best = np.inf
    for chosen in itertools.product((False, True), repeat=len(others)):
        inside = {node for node, taken in zip(others, chosen, strict=True) if taken} | {source}
        cut = sum(
            capacity for (up, i, down, j), capacity in pipes.items() if (up, i) in inside and (down, j) not in inside
        )
        best = min(best, cut)
    return float(best)


def test_flows_are_the_smallest_cuts() -> None:
    generator = np.random.default_rng(7)
    weights = generator.dirichlet(np.full(3, 0.4), size=(2, 3))
    capacities = [0.5 * each + 0.5 * np.eye(3) for each in weights]
    for query in range(3):
        expected = [smallest_cut(capacities, query, token) for token in range(3)]
        np.testing.assert_allclose(maximal_flows(capacities, query, lambda: None), expected, atol=1e-6)


def test_one_layer_carries_its_own_capacities() -> None:
    capacities = [np.array([[1.0, 0.0], [0.3, 0.7]])]
    np.testing.assert_allclose(maximal_flows(capacities, 1, lambda: None), [0.3, 0.7], atol=1e-8)
    np.testing.assert_allclose(maximal_flows(capacities, 0, lambda: None), [1.0, 0.0], atol=1e-8)


def test_two_ways_add_up() -> None:
    above, below = np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_allclose(maximal_flows([below, above], 0, lambda: None), [0.5 + 0.2, 0.1 + 0.5], atol=1e-8)


def test_of_a_model(catalog: Catalog) -> None:
    analysis = analyse(catalog.load("tiny-gpt2"), AnalysisRequest("A small text."), max_tokens=64)
    first = attention_flow(analysis, 3, layer=0)
    np.testing.assert_allclose(first.flows, rollout(analysis, layer=0, query=3).matrix[0], atol=1e-6)
    whole = attention_flow(analysis, 3)
    assert (whole.part, whole.layer, whole.query) == ("decoder", 1, 3)
    assert (whole.flows >= rollout(analysis, query=3).matrix[0] - 1e-6).all(), "products never exceed the pipes"
    assert whole.flows[4:].tolist() == [0.0] * (len(whole.flows) - 4), "a causal model reads nothing later"


def test_limits(minilm: LoadedModel, catalog: Catalog) -> None:
    long = analyse(minilm, AnalysisRequest("cat " * 63), max_tokens=512)
    with pytest.raises(WindowTooLargeError, match="attention flow accepts at most 64 tokens, not 65") as error:
        attention_flow(long, 0)
    assert (error.value.field, error.value.limit) == ("query", 64)
    short = analyse(catalog.load("tiny-bart"), AnalysisRequest("A small text."), max_tokens=64)
    with pytest.raises(SelectionError, match="cross is not"):
        attention_flow(short, 0, part="cross")
    with pytest.raises(SelectionError, match=r"query must be from 0 to \d+, not 99"):
        attention_flow(short, 99)
    with pytest.raises(Cancelled, match="the attention flow was cancelled"):
        attention_flow(short, 0, cancelled=lambda: True)
