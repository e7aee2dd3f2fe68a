"""Tokens against the tokenizer called directly and against slices of the text."""

from attention_core.pretrained.loading import LoadedModel
from attention_core.pretrained.tokens import tokenise


def test_ids_inputs_and_slices_of_minilm(minilm: LoadedModel) -> None:
    text = "The cat sat on the mat because it was tired."
    inputs, tokens = tokenise(minilm, text)
    expected = minilm.tokenizer(text, return_tensors="pt")
    assert set(inputs) == set(expected)
    assert all(inputs[name].equal(expected[name]) for name in expected)
    assert [token.id for token in tokens] == expected["input_ids"][0].tolist()
    assert [text[token.start : token.end] for token in tokens[1:-1]] == text.replace(".", " .").split()
    assert [token.special for token in tokens] == [True] + [False] * 11 + [True]
