"""Compare what reaches with what may: what leaks, from which layer on and by what; what is shut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .allowed import closure, product, reachable
from .measure import Reach, is_layer
from .states import EMBEDDINGS, OUTPUT

Way = Literal["attention", "not through attention", "unknown"]
THROUGH = {"attention": ", through attention", "not through attention": ", not through attention", "unknown": ""}
MOST_SENTENCES = 5


@dataclass(frozen=True)
class Leak:
    """A pair that is reached and must not be."""

    query: int
    key: int
    state: int
    """The first state of ``Reach.names`` at which it appears."""
    name: str
    """Of that state."""
    layer: int | None
    """The layer, counted from 0; None for what enters the first and for the output."""
    way: Way
    """By what it came there."""

    @property
    def sentence(self) -> str:
        """Such as "Position 9 is reached by position 12 from layer 3 on, not through attention.".

        The module is named where its own number is another: "from layer 1 (mlps.0) on".
        """
        begins = {EMBEDDINGS: "from the embeddings on", OUTPUT: "in the output"}
        number = str(self.layer)
        layer = number if self.name.rpartition(".")[2].rpartition(" ")[2] == number else f"{number} ({self.name})"
        where = begins.get(self.name, f"from layer {layer} on")
        return f"Position {self.query} is reached by position {self.key} {where}{THROUGH[self.way]}."


@dataclass(frozen=True)
class Verdict:
    """What differs between allowed and measured, over all layers."""

    leaks: tuple[Leak, ...]
    """Earliest first; of a layer, the direct ones first (the hole in a mask), nearest to the diagonal."""
    unused: tuple[tuple[int, int], ...]
    """(query, key) that may be reached and is not, in the last state."""
    unmoved: tuple[int, ...]
    """Positions whose replacement changed nothing, so that nothing is known of them."""

    @property
    def is_as_allowed(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.leaks or self.unused or self.unmoved)

    @property
    def sentences(self) -> list[str]:
        """What was found, the first leak by itself, further ones counted."""
        said = []
        if self.leaks:
            said.append(self.leaks[0].sentence)
            if len(self.leaks) > 1:
                count = len(self.leaks) - 1
                more = "is one further pair that is" if count == 1 else f"are {count} further pairs that are"
                said.append(f"So {more} not allowed.")
        if self.unused:
            query, key = self.unused[0]
            more = f" {count} more allowed pairs are not reached." if (count := len(self.unused) - 1) else ""
            said.append(f"Position {query} is not reached by position {key}, which is allowed.{more}")
        said += [
            f"Replacing the token at position {key} changes nothing, so what it reaches is not known."
            for key in self.unmoved[:MOST_SENTENCES]
        ]
        return said


def permitted(found: Reach, allowed: Tensor | Sequence[Tensor]) -> Tensor:
    """(states, queries, keys) What may have been reached by each state.

    ``allowed`` is what one layer may see, (queries, N), or one mask for each layer. After l layers that is the l-th
    power of (mask + I): a window widens by itself. Embeddings may do what one layer may (a convolution before the
    layers). The one state of a callable may hold any number of layers, a list of states one layer each.
    """
    masks = [allowed] if isinstance(allowed, Tensor) else list(allowed)
    layers = [index for index, name in enumerate(found.names) if is_layer(name)]
    if len(masks) not in {1, len(layers)}:
        raise ValueError(f"allowed: {len(masks)} masks for {len(layers)} layers")
    queries = found.change.shape[1]
    wrong = [each for each in masks if each.dtype != torch.bool or each.dim() != 2 or len(each) != queries]
    if wrong or max(found.keys) >= min(each.shape[1] for each in masks):
        shapes = [f"{each.dtype} {tuple(each.shape)}" for each in wrong or masks[:1]]
        raise ValueError(f"allowed must be boolean masks of {queries} queries and all keys, not {', '.join(shapes)}")
    if masks[0].shape[0] != masks[0].shape[1]:  # of a decoder's positions by an encoder's: nothing follows from it
        return torch.stack([masks[0]] * len(found.names))[:, :, list(found.keys)]
    if not layers:
        return closure(masks[0]).expand(len(found.names), -1, -1)[:, :, list(found.keys)]
    arrived = reachable(masks * len(layers) if len(masks) == 1 else masks)
    states = []
    done = 0
    for name in found.names:
        states.append(arrived[max(0, done if is_layer(name) else done - 1)])
        done += is_layer(name)
    return torch.stack(states)[:, :, list(found.keys)]


def judge(found: Reach, allowed: Tensor | Sequence[Tensor], *, queries: Sequence[int] | None = None) -> Verdict:
    """What leaks and what is shut. ``queries`` are the positions that are asked about, such as those without padding.

    Raises ValueError for masks of another shape.
    """
    may = permitted(found, allowed)
    asked = torch.ones(found.change.shape[1], dtype=torch.bool)
    if queries is not None:
        asked[:] = False
        asked[list(queries)] = True
    forbidden = found.reached & ~may & asked[None, :, None]
    first = torch.where(forbidden.any(0), forbidden.int().argmax(0), -1)
    leaks = [
        _leak(found, query, column, int(first[query, column])) for query, column in (first >= 0).nonzero().tolist()
    ]
    leaks.sort(key=lambda leak: (leak.state, _came_by_another(found, leak), abs(leak.query - leak.key), leak.query))
    unused = []
    square = found.change.shape[1] > max(found.keys)
    unmoved = tuple(key for key in found.unmoved if not square or bool(asked[key]))
    if not bool(found.floor.any()):  # below a floor, not reached is not known
        missing = may[-1] & ~found.reached[-1] & asked[:, None]
        pairs = [(query, found.keys[column]) for query, column in missing.nonzero().tolist()]
        unused = [pair for pair in pairs if pair[1] not in unmoved]
    return Verdict(tuple(leaks), tuple(unused), unmoved)


def _leak(found: Reach, query: int, column: int, state: int) -> Leak:
    name = found.names[state]
    layer = sum(map(is_layer, found.names[:state])) if is_layer(name) else None
    return Leak(query, found.keys[column], state, name, layer, _way(found, query, column, state))


def _came_by_another(found: Reach, leak: Leak) -> bool:
    """Whether attention brought it from a position that the key had reached before, not from the key itself."""
    weights = found.weights[leak.state]
    return leak.way == "attention" and weights is not None and not bool(weights[leak.query, leak.key] > 0)


def _way(found: Reach, query: int, column: int, state: int) -> Way:
    """Through attention if the query attends to the key, or to what the key had reached in the layer before."""
    weights = found.weights[state]
    if weights is None:
        return "not through attention"
    if state == 0 and weights.shape[0] == weights.shape[1]:  # of a callable, all layers at once
        weights = closure(weights > 0).float()
    looks = weights[query] > 0
    if bool(looks[found.keys[column]]):
        return "attention"
    if state > 0 and len(looks) == found.change.shape[1]:
        before = found.reached[state - 1, :, column]
        if bool((looks & before).any()):
            return "attention"
    return "not through attention"


def first_states(found: Reach) -> Tensor:
    """(queries, keys) The first state at which each pair is reached, −1 where it never is."""
    reached = found.reached
    return torch.where(reached.any(0), reached.int().argmax(0), -1)


def paths_of_attention(found: Reach) -> Tensor:
    """(states, queries, N) What attention's weights alone can have carried so far: products of (weights > 0) + I."""
    count = found.change.shape[1]
    arrived = torch.eye(count, dtype=torch.bool)
    states = []
    for weights in found.weights:
        if weights is not None and weights.shape[0] == weights.shape[1]:
            arrived = product((weights > 0) | torch.eye(count, dtype=torch.bool), arrived)
        states.append(arrived)
    return torch.stack(states)
