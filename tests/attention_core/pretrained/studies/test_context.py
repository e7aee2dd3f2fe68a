"""Words in context against the library's own hidden states and eager attention, cosines by naive loops."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError, TextTooLongError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.words import WordChoice
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.context import context_key, words_in_context

RIVER = WordChoice("He fished from the bank of the river.", "bank")
MONEY = WordChoice("She took her money to the bank.", "bank")
LOAN = WordChoice("The bank gave us a loan.", "bank")


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    return float((first * second).sum() / np.sqrt((first**2).sum() * (second**2).sum()))


def library(loaded: LoadedModel, text: str) -> tuple[list[np.ndarray], list[np.ndarray], list[int]]:
    """Table rows and hidden states, and the weights of each layer, from eager attention; and the ids."""
    inputs, tokens = tokenise(loaded, text)
    twin: Any = eager_copy(loaded.model)
    reader: Any = twin.get_encoder() if loaded.entry.kind == "encoder_decoder" else body(twin)
    with torch.no_grad():
        out = reader(**inputs, output_hidden_states=True, output_attentions=True)
    table = loaded.model.get_input_embeddings().weight[[token.id for token in tokens]]
    states = [table.detach().numpy(), *(state[0].numpy() for state in out.hidden_states)]
    return states, [weights[0].numpy() for weights in out.attentions], [token.id for token in tokens]


MODELS = ("minilm", "tiny-gpt2", "tiny-qwen3", "tiny-modernbert", "tiny-t5", "tiny-bart")


@pytest.mark.parametrize("name", MODELS)
def test_equals_the_librarys_hidden_states(catalog: Catalog, minilm: LoadedModel, name: str) -> None:
    loaded = minilm if name == "minilm" else catalog.load(name)
    choices = [RIVER, MONEY, LOAN]
    found = words_in_context(loaded, choices)
    places = [word.word_tokens for word in found.words]
    read = [library(loaded, choice.text) for choice in choices]
    layers = loaded.entry.layers
    assert found.states == ["table", "embeddings", *(f"layer_{layer}" for layer in range(layers or 0))]
    assert found.cosines.shape == (len(found.states), 3, 3)
    for state in range(len(found.states)):
        vectors = [states[state][place].mean(axis=0) for (states, _, _), place in zip(read, places, strict=True)]
        expected = [[cosine(mine, yours) for yours in vectors] for mine in vectors]
        np.testing.assert_allclose(found.cosines[state], expected, atol=2e-5)
        for word, vector in zip(found.words, vectors, strict=True):
            assert word.norms[state] == pytest.approx(np.sqrt((vector**2).sum()), rel=1e-4)
    for word, (_, attentions, _), place in zip(found.words, read, places, strict=True):
        expected = np.stack([weights[:, place].mean(axis=1) for weights in attentions])
        np.testing.assert_allclose(word.reads, expected, atol=1e-5)


def test_baseline_and_nearest_by_naive_loops(minilm: LoadedModel) -> None:
    choices = [RIVER, MONEY]
    found = words_in_context(minilm, choices)
    read = [library(minilm, choice.text) for choice in choices]
    inside = [range(1, len(word.tokens) - 1) for word in found.words]
    for state in (0, 3, 7):
        pairs = [
            cosine(read[0][0][state][mine], read[1][0][state][yours])
            for mine in inside[0]
            for yours in inside[1]
            if mine not in found.words[0].word_tokens and yours not in found.words[1].word_tokens
            if read[0][2][mine] != read[1][2][yours]
        ]
        assert found.baseline is not None
        assert found.baseline[state] == pytest.approx(np.mean(pairs), abs=1e-5)
        word = read[0][0][state][found.words[0].word_tokens[0]]
        ranked = sorted(
            (
                (-cosine(word, read[text][0][state][token]), text, token)
                for text in (0, 1)
                for token in inside[text]
                if (text, token) != (0, found.words[0].word_tokens[0])
            ),
        )[:3]
        near = found.words[0].nearest[state]
        assert [(each.text, each.token) for each in near] == [(text, token) for _, text, token in ranked]
        np.testing.assert_allclose([each.cosine for each in near], [-rank[0] for rank in ranked], atol=1e-5)


def test_context_bends_the_vectors(minilm: LoadedModel) -> None:
    """One row of the table; then two banks of money stay nearer to each other than to that of the river."""
    found = words_in_context(minilm, [RIVER, MONEY, LOAN])
    np.testing.assert_allclose(found.cosines[0], np.ones((3, 3)), atol=1e-6)
    assert found.same_tokens.all()
    last = found.cosines[-1]
    assert last[1, 2] > last[0, 1]
    assert last[1, 2] > last[0, 2]
    assert found.cosines[1:, 0, 1].argmax() == 0  # the farther up, the farther apart


def test_the_same_text_twice_and_other_tokens(minilm: LoadedModel, catalog: Catalog) -> None:
    twice = words_in_context(minilm, [LOAN, LOAN])
    np.testing.assert_allclose(twice.cosines, np.ones_like(twice.cosines), atol=1e-6)
    other = words_in_context(catalog.load("tiny-gpt2"), [WordChoice("The cat", "cat"), WordChoice("CAT", "cat")])
    assert other.same_tokens.tolist() == [[True, False], [False, True]]
    alone = words_in_context(minilm, [WordChoice("bank", "bank"), WordChoice("bank", token=1)])
    assert alone.baseline is None
    assert [len(near) for near in alone.words[0].nearest] == [1] * 8


def test_what_is_refused(minilm: LoadedModel, catalog: Catalog) -> None:
    with pytest.raises(SelectionError, match="Give 2 to 6 texts to compare, not 1") as error:
        words_in_context(minilm, [RIVER])
    assert (error.value.field, error.value.limit) == ("texts", 6)
    with pytest.raises(SelectionError, match="The word does not occur in the text") as error:
        words_in_context(minilm, [RIVER, WordChoice("No such thing.", "bank")])
    assert error.value.field == "texts.1.word"
    with pytest.raises(TextTooLongError, match="accepts at most 5") as too_long:
        words_in_context(minilm, [WordChoice("bank", "bank"), MONEY], max_tokens=5)
    assert too_long.value.field == "texts.1.text"
    with pytest.raises(ModelUnavailableError):
        words_in_context(catalog.load("tiny-vit"), [RIVER, MONEY])
    with pytest.raises(Cancelled, match="the comparison was cancelled"):
        words_in_context(minilm, [RIVER, MONEY], cancelled=lambda: True)


def test_the_key_tells_questions_apart(minilm: LoadedModel) -> None:
    keys = {context_key(minilm, each) for each in ([RIVER, MONEY], [MONEY, RIVER], [RIVER, LOAN], [RIVER, MONEY])}
    assert len(keys) == 3
