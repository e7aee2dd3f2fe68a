"""Information flow routes: the graph of what made one output (Ferrando & Voita 2024).

Nodes are the residual stream at a token, before the first block and after every attention and feed-forward layer. Each
is a sum (``stream_sums``): the stream before, what each head brings from each token, the feed-forward layer, and
biases. The importances of these parts (``importances``) add up to 1. From the chosen output downwards, every part with
an importance of at least the threshold is an edge, and the nodes that it comes from are taken apart in turn. Biases
come from no node, so they are a number of the node. Source: "Information Flow Routes: Automatically Interpreting
Language Models at Scale", section 2, https://arxiv.org/abs/2403.00824; there, heads are joined into one edge from token
to token, here each is an edge.

An edge's ``strength`` is the largest threshold at which the graph still has it: the smallest importance on the best
route from the output through it. So one computation serves every threshold.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.pretrained.errors import ModelUnavailableError, WindowTooLargeError
from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.running.predictions import Candidate
from attention_core.pretrained.studies.flow.importances import Importances, importances
from attention_core.pretrained.studies.flow.stream_sums import Station, StreamSums, stream_sums
from attention_core.pretrained.studies.outputs.block_layouts import layout_of
from attention_core.pretrained.studies.outputs.readers import reader_of

EdgeKind = Literal["residual", "head", "feed_forward"]
FLOOR = 0.002
"""Parts of less importance are never edges."""
MAX_EDGES = 3_000
MAX_TOKENS = 512
"""The most tokens that may reach the output: the time grows with their square."""
CANDIDATES = 3
NODES_AT_ONCE = 64
"""Nodes read out together: one row of logits each."""


@dataclass(frozen=True)
class FlowNode:
    """The residual stream at one token."""

    layer: int
    """The layer after which, or in the middle of which; −1 is the embedding, before the first."""
    station: Station
    position: int
    strength: float
    """The largest threshold at which the graph has this node."""
    bias: float
    """Importance of the biases, which come from no node."""
    candidates: list[Candidate]
    """What a decoder, or a classifier of images, would predict from here, most probable first (logit lens); empty for
    other models."""


@dataclass(frozen=True)
class FlowEdge:
    """One part of a node's sum."""

    kind: EdgeKind
    layer: int
    head: int | None
    source: int
    """Index of the node it comes from, one station below."""
    target: int
    """Index of the node it is a part of."""
    importance: float
    """Its share of the target: the importances of all its parts, biases included, add up to 1."""
    strength: float
    """The largest threshold at which the graph has this edge."""


@dataclass(frozen=True, eq=False)
class InformationFlow:
    """The graph of what made the residual stream after the last block at one token."""

    part: str
    position: int
    floor: float
    """From this threshold upwards the graph is complete."""
    nodes: list[FlowNode]
    """The output first, then downwards, strongest first within a station."""
    edges: list[FlowEdge]
    """Strongest first: those of a higher threshold are the beginning of the list."""
    largest_error: float
    """``‖y − Σ parts‖₁ / ‖y‖₁`` of the node at which the parts add up least exactly."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return 400 * len(self.nodes) + 200 * len(self.edges)

    def above(self, threshold: float) -> "InformationFlow":
        """The graph of this threshold, which has no effect below ``floor``."""
        kept = [index for index, node in enumerate(self.nodes) if node.strength >= threshold]
        index_of = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            floor=max(self.floor, threshold),
            nodes=[self.nodes[index] for index in kept],
            edges=[
                replace(edge, source=index_of[edge.source], target=index_of[edge.target])
                for edge in self.edges
                if edge.strength >= threshold
            ],
        )


def most_tokens(loaded: LoadedModel) -> int:
    """The most tokens that may reach an output of this model; 0 if its blocks cannot be taken apart."""
    try:
        layout_of(loaded)
    except ModelUnavailableError:
        return 0
    return MAX_TOKENS


def information_flow(
    loaded: LoadedModel, analysis: Analysis, position: int, *, cancelled: Callable[[], bool] | None = None
) -> InformationFlow:
    """The graph of what made the stream after the last block at ``position``, down to importances of FLOOR.

    Raises the errors of ``stream_sums``, SelectionError for a position that does not exist, WindowTooLargeError if more
    than MAX_TOKENS tokens can reach it.
    """
    layout_of(loaded)  # refuses other architectures first
    part = analysis.parts[0]
    check_index("position", position, part.query_tokens)
    # A head set to its mean over all queries brings something from later tokens.
    is_ahead = any(isinstance(each, HeadOff) and each.mode == "mean" for each in analysis.interventions)
    reaching = position + 1 if part.causal and not is_ahead else part.query_tokens
    if reaching > MAX_TOKENS:
        raise WindowTooLargeError(
            "{reaching} tokens can reach this output, and its information flow is computed for {limit}: "
            "shorten the text or choose an earlier token",
            reaching,
            field="position",
            limit=MAX_TOKENS,
        )
    check = stopping(cancelled, "information flow")
    stream = stream_sums(loaded, analysis, check)
    with torch.inference_mode():
        descent = _descend(stream, position, reaching, check)
        edges, floor = _strongest(descent.edges)
        nodes = _nodes_of(descent, edges)
        index = {node: number for number, node in enumerate(nodes)}
        read = _read_out(loaded, stream, nodes, check)
        return InformationFlow(
            part=part.name,
            position=position,
            floor=floor,
            nodes=[_node(stream, node, descent, candidates) for node, candidates in zip(nodes, read, strict=True)],
            edges=[
                FlowEdge(
                    kind=each.kind,
                    layer=stream.sums[each.target[0] - 1].layer,
                    head=each.head,
                    source=index[each.source],
                    target=index[each.target],
                    importance=each.importance,
                    strength=each.strength,
                )
                for each in edges
            ],
            largest_error=descent.largest_error,
        )


Place = tuple[int, int]
"""A node while the graph is made: its depth, 0 for the embedding, and its position."""


@dataclass(frozen=True)
class _Edge:
    kind: EdgeKind
    head: int | None
    source: Place
    target: Place
    importance: float
    strength: float


@dataclass(eq=False)
class _Descent:
    strengths: list[Float[Tensor, " N"]]
    """By depth, the largest threshold at which the graph has each token's node."""
    biases: dict[Place, float]
    edges: list[_Edge]
    largest_error: float = 0.0


def _descend(stream: StreamSums, position: int, reaching: int, check: Callable[[], None]) -> _Descent:
    """Take apart the output, and every node of an edge found, station by station down to the embedding."""
    top = torch.zeros(len(stream.embedding), dtype=torch.float64, device=stream.embedding.device)
    top[position] = 1.0
    descent = _Descent([top], {}, [])
    for depth in range(len(stream.sums), 0, -1):
        check()
        above, below = descent.strengths[0], torch.zeros_like(top)
        positions = (above >= FLOOR).nonzero().flatten()
        shares = importances(stream.sums[depth - 1], positions, reaching, check)
        descent.biases.update(zip(((depth, token) for token in positions.tolist()), shares.bias.tolist(), strict=True))
        descent.largest_error = max(descent.largest_error, float(shares.error.max()))
        for kind, head, source, row, importance in _edges_of(shares, positions):
            strength = torch.minimum(above[positions[row]], importance)
            below.scatter_reduce_(0, source, strength, "amax")
            columns = (source.tolist(), positions[row].tolist(), importance.tolist(), strength.tolist())
            descent.edges += [
                _Edge(kind, head, (depth - 1, from_), (depth, to), share, least)
                for from_, to, share, least in zip(*columns, strict=True)
            ]
        descent.strengths.insert(0, below)
    return descent


def _edges_of(
    shares: Importances, at: Int[Tensor, " n"]
) -> Iterator[tuple[EdgeKind, int | None, Int[Tensor, " e"], Int[Tensor, " e"], Float[Tensor, " e"]]]:
    """Kind and head, then of every edge its source token, the row of its target, and its importance."""
    own: tuple[tuple[EdgeKind, Tensor | None], ...] = (
        ("residual", shares.residual),
        ("feed_forward", shares.feed_forward),
    )
    for kind, share in own:
        if share is not None:
            row = (share >= FLOOR).nonzero().flatten()
            yield kind, None, at[row], row, share[row]
    if shares.heads is not None:
        for head, share in enumerate(shares.heads.unbind(dim=1)):
            row, key = (share >= FLOOR).nonzero().unbind(dim=-1)
            yield "head", head, key, row, share[row, key]


def _strongest(edges: list[_Edge]) -> tuple[list[_Edge], float]:
    """At most MAX_EDGES edges, strongest first, and the threshold from which they are all there are."""
    ordered = sorted(edges, key=lambda edge: (-edge.strength, -edge.target[0], -edge.importance))
    if len(ordered) <= MAX_EDGES:
        return ordered, FLOOR
    kept = [edge for edge in ordered[:MAX_EDGES] if edge.strength > ordered[MAX_EDGES].strength]
    return kept, min((edge.strength for edge in kept), default=1.0)


def _nodes_of(descent: _Descent, edges: list[_Edge]) -> list[Place]:
    """The output first, then downwards, strongest first within a station."""
    top = len(descent.strengths) - 1
    output = (top, int(descent.strengths[top].argmax()))
    places = {output, *(edge.source for edge in edges)}
    return sorted(places, key=lambda place: (-place[0], -float(descent.strengths[place[0]][place[1]]), place[1]))


def _node(stream: StreamSums, place: Place, descent: _Descent, candidates: list[Candidate]) -> FlowNode:
    depth, position = place
    summed = None if depth == 0 else stream.sums[depth - 1]
    return FlowNode(
        layer=-1 if summed is None else summed.layer,
        station="embedding" if summed is None else summed.station,
        position=position,
        strength=float(descent.strengths[depth][position]),
        bias=descent.biases.get(place, 0.0),
        candidates=candidates,
    )


def _read_out(
    loaded: LoadedModel, stream: StreamSums, nodes: list[Place], check: Callable[[], None]
) -> Iterator[list[Candidate]]:
    """What a decoder or classifier would predict from each node; nothing in other models."""
    reader = reader_of(loaded)
    if reader is None:
        yield from ([] for _ in nodes)
        return
    states = list(stream.states())
    for start in range(0, len(nodes), NODES_AT_ONCE):
        check()
        chosen = torch.stack([states[depth][position] for depth, position in nodes[start : start + NODES_AT_ONCE]])
        logits = reader.logits(chosen)
        best = logits.topk(min(CANDIDATES, logits.shape[-1]), dim=-1)
        chances = (best.values - logits.logsumexp(dim=-1, keepdim=True)).exp()
        for columns in zip(best.indices.tolist(), chances.tolist(), best.values.tolist(), strict=True):
            yield [
                Candidate(id_, vocabulary_text(loaded.tokenizer, id_), chance, logit)
                for id_, chance, logit in zip(*columns, strict=True)
            ]
