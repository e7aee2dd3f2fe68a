"""Example sentences of roles against loops over the library's own weights."""

from typing import Any

import numpy as np
import pytest
from eager_words import arcs_of, between_words, weights_of

from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.head_roles import HeadRoles, head_roles
from attention_core.atlas.role_example import RoleExample, role_example
from attention_core.pretrained.errors import Cancelled, SelectionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy

pytestmark = pytest.mark.full  # each needs the roles of all heads over the whole probe


@pytest.fixture(scope="module")
def roles(minilm: LoadedModel) -> HeadRoles:
    return head_roles(minilm)


def test_an_example_is_the_head_in_that_sentence(minilm: LoadedModel, roles: HeadRoles) -> None:
    example = role_example(minilm, roles, "relation", relation="obj", number=2)
    relation = next(one for one in roles.relations if (one.relation, one.direction) == ("obj", "dependent_to_head"))
    best = relation.best
    assert (example.layer, example.head, example.number) == (best.layer, best.head, 2)
    document = next(each for each in probe_corpus(240, 0) if each.text == example.text)
    weights, ids, spans = weights_of(minilm, eager_copy(minilm.model), example.text)
    assert [token.id for token in example.tokens] == ids
    np.testing.assert_allclose(example.weights, weights[best.layer, best.head], atol=1e-5)
    words = between_words(weights, spans, document)[best.layer, best.head]
    assert example.words == [document.text[word.start : word.end] for word in document.words or ()]
    off = ~np.eye(len(words), dtype=bool)
    np.testing.assert_allclose(example.word_weights[off], words[off], atol=1e-5)
    assert [(pair.reader, pair.right) for pair in example.pairs] == arcs_of(document, "obj")
    assert [pair.strongest for pair in example.pairs] == [int(words[pair.reader].argmax()) for pair in example.pairs]
    for token, word in zip(example.tokens, example.word_of_token, strict=True):
        assert (word == -1) == token.special
        assert word == -1 or (token.text.strip() in example.words[word].lower() or token.text.startswith("##"))


@pytest.mark.full
def test_examples_of_the_other_roles(minilm: LoadedModel, roles: HeadRoles) -> None:

    def example(*args: Any, **kwargs: Any) -> RoleExample:
        return role_example(minilm, roles, *args, **kwargs)

    assert example("previous_token").count == 120
    repeated = example("induction", layer=2, head=5)
    assert (repeated.layer, repeated.head) == (2, 5)
    half = len(repeated.words) // 2
    assert repeated.words[:half] == repeated.words[half : 2 * half] or len(repeated.words) % 3 == 0
    assert repeated.pairs == []
    ids = [None if token.special else token.id for token in repeated.tokens]
    for query, key in enumerate(repeated.followed):  # what followed the last occurrence, and not right before the query
        earlier = [at for at in range(query) if ids[at] is not None and ids[at] == ids[query]]
        assert key == (earlier[-1] + 1 if earlier and earlier[-1] + 1 < query - 1 else -1)
    assert max(repeated.followed) > 0
    both = [
        example("relation", relation="det", direction=each).pairs for each in ("dependent_to_head", "head_to_dependent")
    ]
    assert [(pair.reader, pair.right) for pair in both[0]] == [(pair.right, pair.reader) for pair in both[1]]
    short = [len(example("sink", number=number).words) for number in (0, 1, 2)]
    assert max(short) <= 14


@pytest.mark.full
def test_what_is_refused(minilm: LoadedModel, roles: HeadRoles) -> None:
    for asked, field in (
        ({"role": "noun"}, "role"),
        ({"role": "relation"}, "relation"),
        ({"role": "relation", "relation": "root"}, "relation"),
        ({"role": "relation", "relation": "obj", "direction": "up"}, "direction"),
        ({"role": "sink", "layer": 6}, "layer"),
        ({"role": "sink", "head": 12}, "head"),
        ({"role": "sink", "number": 120}, "number"),
    ):
        with pytest.raises(SelectionError) as error:
            role_example(minilm, roles, **asked)
        assert error.value.field == field
    with pytest.raises(Cancelled):
        role_example(minilm, roles, "sink", cancelled=lambda: True)
