"""The best fixed offset of every relation, against one worked out by hand and against trying them all."""

import pytest
from fixed_offsets import FixedOffset, fixed_offsets

from attention_core.atlas.corpus.document import ROOT, Document, Word
from attention_core.atlas.corpus.probe import probe_corpus


def test_fixed_offsets_of_a_sentence_worked_out_by_hand() -> None:
    words = (
        Word(0, 1, 1, "det"),
        Word(2, 3, 3, "nsubj"),
        Word(4, 5, 3, "nsubj"),
        Word(6, 7, ROOT, "root"),
        Word(8, 9, 6, "det"),
        Word(10, 11, 6, "det", None, 1),
        Word(12, 13, 3, "obj"),
        Word(14, 15),
    )
    assert fixed_offsets([Document("a", "a b c d e f g h", words), Document("b", "x")]) == {
        "det": FixedOffset(3, 1, 2 / 3),
        "nsubj": FixedOffset(2, 1, 1 / 2),
        "antecedent": FixedOffset(1, -4, 1.0),
        "obj": FixedOffset(1, -3, 1.0),
    }


def naive_share(sentences: list[Document], relation: str) -> tuple[int, float]:
    """Tries every offset on every word."""
    arcs = [
        (place, word.antecedent if relation == "antecedent" else word.head)
        for one in sentences
        for place, word in enumerate(one.words or ())
        if (
            word.antecedent is not None if relation == "antecedent" else (word.relation or "").split(":")[0] == relation
        )
    ]
    shares = [sum(place + offset == head for place, head in arcs) / len(arcs) for offset in range(-80, 80)]
    return len(arcs), max(shares)


def test_no_other_offset_finds_more() -> None:
    sentences = list(probe_corpus(200, seed=3))
    found = fixed_offsets(sentences)
    assert {"nsubj", "obj", "antecedent", "det", "case", "flat"} <= set(found)
    for relation, offset in found.items():
        assert (offset.count, offset.share) == pytest.approx(naive_share(sentences, relation))
