"""Relations between words: heads and offsets chosen on one half, counted by a loop over the library's own weights."""

from typing import Any

import numpy as np
import pytest
from eager_words import between_words, weights_of

from attention_core.atlas.corpus.document import Document, Word
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.claims.claim_measures import HeadRelation
from attention_core.pretrained.studies.claims.claims import MINILM, claims_about
from attention_core.pretrained.studies.claims.relations import CHOSEN_ON, MEASURED_ON, Pair, Relation, relation_found

ALL = [pair for sets in (CHOSEN_ON, MEASURED_ON) for pairs in sets.values() for pair in pairs]


def nothing() -> None:
    pass


def found_in(loaded: LoadedModel, eager: Any, pair: Pair) -> np.ndarray:
    """(layers, heads): whether the word with the largest weight in the reader's row is its partner, in plain loops."""
    weights, _, spans = weights_of(loaded, eager, pair.text)
    places, at = [], 0
    for word in words(pair):
        at = pair.text.index(word, at)
        places.append(Word(at, at + len(word)))
        at += len(word)
    between = between_words(weights, spans, Document("", pair.text, tuple(places)))
    return between[:, :, words(pair).index(pair.reader)].argmax(axis=-1) == words(pair).index(pair.read)


@pytest.mark.full
@pytest.mark.parametrize("relation", ["direct_object", "pronoun"])
def test_every_head_against_loops_over_the_library_s_weights(minilm: LoadedModel, relation: Relation) -> None:
    eager = eager_copy(minilm.model)
    found = relation_found(minilm, relation, nothing)
    expected = np.mean([found_in(minilm, eager, pair) for pair in MEASURED_ON[relation]], axis=0)
    np.testing.assert_allclose(found.heads, expected, atol=1e-12)


@pytest.mark.full
@pytest.mark.parametrize("relation", ["direct_object", "pronoun"])
def test_the_claimed_head_was_chosen_on_other_sentences_and_beats_every_fixed_distance(
    minilm: LoadedModel, relation: Relation
) -> None:
    found = relation_found(minilm, relation, nothing)
    claim = next(
        claim
        for claim in claims_about(MINILM)
        if isinstance(claim.measure, HeadRelation) and claim.measure.relation == relation
    )
    asked = claim.measure
    assert isinstance(asked, HeadRelation)
    assert found.best == (asked.layer, asked.head)
    assert found.baseline == pytest.approx(claim.reference)
    distances = [words(pair).index(pair.read) - words(pair).index(pair.reader) for pair in MEASURED_ON[relation]]
    assert np.mean([one == found.offset for one in distances]) == pytest.approx(claim.reference)
    best_possible = max(distances.count(one) for one in distances) / len(distances)
    assert found.heads[found.best] > best_possible, "a distance chosen on these very sentences finds fewer, too"


def words(pair: Pair) -> list[str]:
    return pair.text.replace(".", " .").replace("'", " ' ").split()


def test_the_two_halves_share_no_sentence_and_every_word_occurs_once() -> None:
    assert len({pair.text for pair in ALL}) == len(ALL) == 48
    for pair in ALL:
        assert words(pair).count(pair.reader) == words(pair).count(pair.read) == 1, pair
