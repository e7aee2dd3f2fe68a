"""The best fixed offset of every relation of a corpus, from the routines that scans use."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from attention_core.atlas.corpus.document import Document, arcs
from attention_core.pretrained.recording.word_attention import best_fixed_offset


@dataclass(frozen=True)
class FixedOffset:
    """The one offset from a dependent that finds its head most often."""

    count: int
    """Words with this relation."""
    offset: int
    """Head minus dependent, in words."""
    share: float
    """Of the words with this relation, those whose head stands there: 0…1."""


def fixed_offsets(documents: Iterable[Document]) -> dict[str, FixedOffset]:
    """By relation without its subtype, the most frequent one first (Clark et al. 2019, section 4.2)."""
    offsets: dict[str, Counter[int]] = {}
    for document in documents:
        for dependent, head, relation in arcs(document.words or ()):
            offsets.setdefault(relation, Counter())[head - dependent] += 1
    found = {}
    for relation, counts in sorted(offsets.items(), key=lambda item: (-item[1].total(), item[0])):
        best = best_fixed_offset(counts)
        found[relation] = FixedOffset(counts.total(), best, counts[best] / counts.total())
    return found
