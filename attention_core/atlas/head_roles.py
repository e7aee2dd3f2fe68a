"""What heads do over the probe corpus: the roles of every head, and what the best fixed offset would have found.

Four roles are mean weights: on the previous token, on the next one, on sinks (the first token and separators), and on
the token that followed this one last time (induction). The fifth is syntactic: for a relation and a direction, how
often the word that gets most of a head's attention is the right one (Clark et al. 2019, section 4.2). A word at a fixed
distance is often right too; that share is the baseline.

The best head and the best offset of a relation are chosen on one half of the sentences and measured on the other, so
that neither is flattered by having been chosen from many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from jaxtyping import Float

from attention_core.atlas.corpus.document import Document
from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.folding.fold import folding
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.measures import PER_QUERY
from attention_core.atlas.summaries.exact_sums import as_float
from attention_core.atlas.summaries.relation_counts import DIRECTIONS, RelationCounts, best_offset
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.batches import batches
from attention_core.atlas.texts.plan import Plan, PlannedShard
from attention_core.atlas.texts.sampling import QuerySample
from attention_core.atlas.texts.windows import Window, cut_windows
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_between
from attention_core.pretrained.running.cancellation import stopping

FEWEST_SENTENCES, MOST_SENTENCES = 60, 600
DEFAULT_SENTENCES = 240
SEED = 0
WINDOW_TOKENS = 128
CELLS = 2**15
"""Pairs of a query and a key in a batch."""
FEWEST_ARCS = 12
"""In each half: relations that are rarer are left out."""
LEFT_OUT = frozenset({"root", "punct", "parataxis"})

ROLES: dict[str, tuple[str, ...]] = {
    "previous_token": ("previous_token",),
    "next_token": ("next_token",),
    "sink": ("first_token", "separator"),
    "induction": ("induction",),
}
"""The measures whose sum each role is."""
STANDS_OUT = 0.5
"""A head stands out in a role if it gives it over half of its attention, as in Clark et al. (2019), section 3."""
MARGIN = 0.1
"""A head stands out in a relation if it finds so much more than the best fixed offset."""


@dataclass(frozen=True)
class RoleHead:
    """A head and its number in a role."""

    layer: int
    head: int
    value: float


@dataclass(frozen=True, eq=False)
class RelationRole:
    """A relation in one direction: how often each head finds the right word, and how often a fixed offset does."""

    relation: str
    """As treebanks name it; ``antecedent`` is that of a pronoun."""
    direction: str
    """Which word attends: dependent_to_head or head_to_dependent."""
    count: int
    """Pairs of words that were measured."""
    found: Float[np.ndarray, "layers heads"]
    """Share of them in which the right word gets most of the head's attention."""
    best: RoleHead
    """The head that found most pairs of the other half, and its share in this one."""
    offset: int
    """The distance in words that was right most often in the other half, from the word that attends."""
    baseline: float
    """Share of the measured pairs that are at this distance."""


@dataclass(frozen=True, eq=False)
class HeadRoles:
    """The roles of all heads of a model."""

    sentences: int
    tokens: int
    layers: int
    heads: int
    causal: bool
    """Whether tokens attend only to earlier ones: then relations whose right word comes later cannot be found."""
    values: dict[str, Float[np.ndarray, "layers heads"]]
    """By role, the mean weight of each head."""
    standing_out: dict[str, list[RoleHead]]
    """By role, the heads that give it over half of their attention, the strongest first."""
    relations: list[RelationRole]
    """Those first whose best head is furthest above the best fixed offset."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 8 * self.layers * self.heads * (len(self.values) + len(self.relations)) + 4096


def head_roles(
    loaded: LoadedModel, *, sentences: int = DEFAULT_SENTENCES, cancelled: Callable[[], bool] | None = None
) -> HeadRoles:
    """Measure all heads on the first sentences of the probe corpus (of an encoder–decoder model, the encoder's).

    Raises SelectionError for another number of sentences, ModelUnavailableError for a model that takes no texts.
    """
    check_between("sentences", sentences, FEWEST_SENTENCES, MOST_SENTENCES)
    check = stopping(cancelled, "measurement")
    model = scanned(loaded)
    chosen_on, measured_on = (_summary(model, windows_of(model, half), check) for half in probe_halves(sentences))
    both = chosen_on.merged(measured_on)
    shape = (model.layers, model.heads)
    means = as_float(both.sums) / np.maximum(both.queries, 1)[:, None]
    values = {
        role: np.sum([means[PER_QUERY.index(name)] for name in measures], axis=0).reshape(shape)
        for role, measures in ROLES.items()
    }
    return HeadRoles(
        sentences=sentences,
        tokens=int(both.totals[2]),
        layers=model.layers,
        heads=model.heads,
        causal=bool(model.part.causal),
        values=values,
        standing_out={role: _standing_out(each) for role, each in values.items()},
        relations=_relations(chosen_on.relations, measured_on.relations, shape),
    )


def scanned(loaded: LoadedModel) -> ScannedModel:
    """The model as scans need it. Raises ModelUnavailableError for an image model."""
    if loaded.images is not None:
        raise ModelUnavailableError("{id} takes images; the probe sentences are texts.", loaded.entry.id)
    if loaded.sounds is not None:
        raise ModelUnavailableError("{id} takes sounds; the probe sentences are texts.", loaded.entry.id)
    return ScannedModel(loaded)


def probe_halves(sentences: int) -> tuple[list[Document], list[Document]]:
    """The first sentences of the probe corpus: those to choose on, and those to measure on, in turn."""
    documents = list(probe_corpus(sentences, SEED))
    return documents[::2], documents[1::2]


def windows_of(model: ScannedModel, documents: Sequence[Document]) -> list[Window]:
    """One window for each sentence, as far as the model has room for it."""
    limit = model.loaded.entry.max_tokens
    return cut_windows(model.tokeniser, documents, 0, WINDOW_TOKENS if limit is None else min(WINDOW_TOKENS, limit))


def _summary(model: ScannedModel, windows: Sequence[Window], check: Callable[[], None]) -> Summary:
    tokens = sum(len(window.tokens) for window in windows)
    shard = PlannedShard(0, 0, len(windows), len(windows), tokens)
    plan = Plan(WINDOW_TOKENS, (shard,), (), QuerySample.empty())
    with folding(model, plan, shard) as fold:
        for batch in batches(windows, CELLS):
            check()
            fold.add(batch)
        return fold.result()


def _standing_out(values: Float[np.ndarray, "layers heads"]) -> list[RoleHead]:
    order = np.argsort(-values, axis=None, kind="stable")
    places = [divmod(int(index), values.shape[1]) for index in order]
    return [
        RoleHead(layer, head, float(values[layer, head])) for layer, head in places if values[layer, head] > STANDS_OUT
    ]


def _relations(chosen_on: RelationCounts, measured_on: RelationCounts, shape: tuple[int, int]) -> list[RelationRole]:
    relations = []
    known = [name for name in chosen_on.names.tolist() if name in set(measured_on.names.tolist()) - LEFT_OUT]
    for name, (side, direction) in product(known, enumerate(DIRECTIONS)):
        first = chosen_on.names.tolist().index(name)
        second = measured_on.names.tolist().index(name)
        count = int(measured_on.arcs[second])
        if min(count, int(chosen_on.arcs[first])) < FEWEST_ARCS:
            continue
        shares = (measured_on.found[second, side] / count).reshape(shape)
        layer, head = divmod(int(chosen_on.found[first, side].argmax()), shape[1])
        offset, _ = best_offset(chosen_on.offsets[first, side])
        middle = measured_on.offsets.shape[-1] // 2
        relations.append(
            RelationRole(
                relation=name,
                direction=direction,
                count=count,
                found=shares,
                best=RoleHead(layer, head, float(shares[layer, head])),
                offset=offset,
                baseline=float(measured_on.offsets[second, side, middle + offset] / count),
            )
        )
    return sorted(
        relations, key=lambda relation: (relation.baseline - relation.best.value, relation.relation, relation.direction)
    )
