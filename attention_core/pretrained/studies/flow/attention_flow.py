"""Attention flow: how much can flow from one token down to each first-layer token (Abnar & Zuidema 2020, section 3).

Tokens of every layer are nodes; an edge from token i to token j one layer below has the capacity ``(½ W̄ + ½ I)_ij``,
the matrix that rollout multiplies. The flow to a token is the maximum flow between the two, computed by the
push–relabel algorithm of networkx. Capacities are in units of 2⁻³⁰, so that the algorithm, exact in integers, always
terminates.
"""

from collections.abc import Callable
from dataclasses import dataclass

import networkx
import numpy as np
import torch
from jaxtyping import Float
from networkx.algorithms.flow import build_residual_network, preflow_push

from attention_core.pretrained.errors import WindowTooLargeError
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.flow.rollout import mixing

MAX_TOKENS = 64
"""Longest text: the graph has layers × tokens² edges, and one flow is computed for each token."""
UNIT = 2.0**-30


@dataclass(frozen=True, eq=False)
class AttentionFlow:
    """The flow from one token after ``layer`` to each input token of the first layer."""

    part: str
    layer: int
    query: int
    flows: Float[np.ndarray, "tokens"]
    """Each from 0 to 1."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.flows.nbytes


def attention_flow(
    analysis: Analysis,
    query: int,
    *,
    part: str | None = None,
    layer: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> AttentionFlow:
    """Maximum flows from token ``query`` after ``layer`` (by default the last) to each input token.

    Raises SelectionError for arguments out of range, WindowTooLargeError for more than MAX_TOKENS tokens.
    """
    chosen = analysis.self_attending_part(part)
    last = chosen.layers - 1 if layer is None else check_index("layer", layer, chosen.layers)
    check_index("query", query, chosen.query_tokens)
    if chosen.query_tokens > MAX_TOKENS:
        raise WindowTooLargeError(
            "attention flow accepts at most {limit} tokens, not {query_tokens}: use rollout or a shorter text",
            chosen.query_tokens,
            field="query",
            limit=MAX_TOKENS,
        )
    with torch.inference_mode():
        capacities = [mixing(record).cpu().numpy() for record in chosen.record.layers[: last + 1]]
    flows = maximal_flows(capacities, query, stopping(cancelled, "attention flow"))
    return AttentionFlow(chosen.name, last, query, flows)


def maximal_flows(capacities: list[np.ndarray], query: int, check: Callable[[], None]) -> np.ndarray:
    """Maximum flow from ``query`` above the last matrix to every token below the first. Matrices are (N, N)."""
    num_tokens = len(capacities[0])
    graph = networkx.DiGraph()
    graph.add_nodes_from(range((len(capacities) + 1) * num_tokens))
    for level, matrix in enumerate(capacities):
        units = np.rint(matrix.astype(np.float64) / UNIT).astype(np.int64)
        for upper, lower in zip(*np.nonzero(units), strict=True):
            start, end = (level + 1) * num_tokens + int(upper), level * num_tokens + int(lower)
            graph.add_edge(start, end, capacity=int(units[upper, lower]))
    residual = build_residual_network(graph, "capacity")
    flows = np.zeros(num_tokens, dtype=np.float32)
    for token in range(num_tokens):
        check()
        solved = preflow_push(graph, len(capacities) * num_tokens + query, token, residual=residual, value_only=True)
        flows[token] = solved.graph["flow_value"] * UNIT
    return flows
