"""Roles of heads against loops over the library's own weights, and what is known of the carried models."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from eager_words import arcs_of, between_words, weights_of

from attention_core.atlas.corpus.document import Document
from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.head_roles import FEWEST_ARCS, LEFT_OUT, HeadRoles, RelationRole, RoleHead, head_roles
from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.parity import eager_copy

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"


@pytest.fixture(scope="module")
def minilm_roles(models: Catalog) -> HeadRoles:
    return head_roles(models.load(MINILM))


@pytest.mark.full
@pytest.mark.parametrize(("name", "relation"), [(MINILM, "det"), (DECODER, "obj")])
def test_against_loops_over_the_librarys_weights(models: Catalog, name: str, relation: str) -> None:
    loaded = models.load(name)
    documents = list(probe_corpus(60, 0))
    found = head_roles(loaded, sentences=60)
    twin = eager_copy(loaded.model)
    taken = [weights_of(loaded, twin, document.text) for document in documents]
    previous = [weights[:, :, i, i - 1] for weights, _, _ in taken for i in range(1, weights.shape[-1])]
    following = [weights[:, :, i, i + 1] for weights, _, _ in taken for i in range(weights.shape[-1] - 1)]
    np.testing.assert_allclose(found.values["previous_token"], np.mean(previous, axis=0), atol=1e-5)
    np.testing.assert_allclose(found.values["next_token"], np.mean(following, axis=0), atol=1e-5)
    ends = {loaded.tokenizer.sep_token_id, loaded.tokenizer.eos_token_id}
    sinks = [
        sum(weights[:, :, i, j] for j, id_ in enumerate(ids) if j == 0 or id_ in ends)
        for weights, ids, _ in taken
        for i in range(len(ids))
    ]
    np.testing.assert_allclose(found.values["sink"], np.mean(sinks, axis=0), atol=1e-5)
    assert found.tokens == sum(len(ids) for _, ids, _ in taken)
    for direction in ("dependent_to_head", "head_to_dependent"):
        check_relation(role(found, relation, direction), documents, taken)


def check_relation(one: RelationRole, documents: list[Document], taken: list[Any]) -> None:
    halves: list[list[tuple[int, np.ndarray]]] = [[], []]
    for number, (document, (weights, _, spans)) in enumerate(zip(documents, taken, strict=True)):
        words = between_words(weights, spans, document)
        for dependent, head in arcs_of(document, one.relation):
            reader, right = (dependent, head) if one.direction == "dependent_to_head" else (head, dependent)
            row = words[:, :, reader]
            halves[number % 2].append((right - reader, (row.argmax(-1) == right) & (row[:, :, right] > 0)))
    chosen_on, measured_on = halves
    assert one.count == len(measured_on)
    shares = np.mean([hits for _, hits in measured_on], axis=0)
    np.testing.assert_allclose(one.found, shares)
    chosen = np.unravel_index(np.sum([hits for _, hits in chosen_on], axis=0).argmax(), shares.shape)
    assert (one.best.layer, one.best.head) == chosen
    assert one.best.value == pytest.approx(shares[chosen])
    counts = Counter(offset for offset, _ in chosen_on)
    assert counts[one.offset] == max(counts.values())
    assert one.baseline == pytest.approx(np.mean([offset == one.offset for offset, _ in measured_on]))


def role(roles: HeadRoles, relation: str, direction: str = "dependent_to_head") -> RelationRole:
    return next(each for each in roles.relations if (each.relation, each.direction) == (relation, direction))


@pytest.mark.full
def test_what_heads_of_minilm_do(minilm_roles: HeadRoles) -> None:
    """What the page tells about it."""
    roles = minilm_roles
    assert (roles.layers, roles.heads, roles.causal, roles.sentences) == (6, 12, False, 240)
    previous = roles.standing_out["previous_token"]
    assert [(each.layer, each.head) for each in previous] == [(0, 2)]
    assert previous[0].value > 0.99
    assert len(roles.standing_out["sink"]) > 72 / 3
    assert roles.standing_out["induction"] == []
    surnames = role(roles, "flat")
    assert (surnames.best.layer, surnames.best.head, surnames.best.value) == (0, 2, 1.0)
    assert (surnames.offset, surnames.baseline) == (-1, 1.0)
    pronouns = role(roles, "antecedent")
    assert pronouns.best.value > pronouns.baseline + 0.5
    assert roles.values["sink"][3, 1] > 0.5
    for relation, direction in (
        ("antecedent", "dependent_to_head"),
        ("det", "dependent_to_head"),
        ("nummod", "dependent_to_head"),
        ("obj", "head_to_dependent"),
    ):
        one = role(roles, relation, direction)
        assert one.found[3, 1] > one.baseline + 0.2, relation


@pytest.mark.full
def test_relations_are_ordered_by_what_is_above_the_baseline(minilm_roles: HeadRoles) -> None:
    above = [each.best.value - each.baseline for each in minilm_roles.relations]
    assert above == sorted(above, reverse=True)
    assert min(each.count for each in minilm_roles.relations) >= FEWEST_ARCS
    assert {each.relation for each in minilm_roles.relations}.isdisjoint(LEFT_OUT)


@pytest.mark.full
def test_a_decoder_has_induction_heads_and_finds_no_partner_that_comes_later(models: Catalog) -> None:
    roles = head_roles(models.load(DECODER))
    assert roles.causal
    assert [(each.layer, each.head) for each in roles.standing_out["induction"]] == [(1, 0), (1, 1)]
    assert np.abs(roles.values["next_token"]).max() < 1e-6
    articles = role(roles, "det")
    assert articles.found.max() == 0.0
    assert articles.baseline > 0.3


@pytest.mark.full
def test_what_is_refused(models: Catalog, minilm_roles: HeadRoles) -> None:
    loaded = models.load(MINILM)
    with pytest.raises(SelectionError, match="sentences must be from 60 to 600, not 59"):
        head_roles(loaded, sentences=59)
    with pytest.raises(ModelUnavailableError, match="tiny-vit takes images"):
        head_roles(models.load("tiny-vit"))
    with pytest.raises(Cancelled, match="the measurement was cancelled"):
        head_roles(loaded, cancelled=lambda: True)


@pytest.mark.full
def test_memory_is_counted(minilm_roles: HeadRoles) -> None:
    arrays = sum(each.nbytes for each in minilm_roles.values.values())
    assert minilm_roles.nbytes > arrays
    assert isinstance(minilm_roles.standing_out["sink"][0], RoleHead)
