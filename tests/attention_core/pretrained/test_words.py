"""Words in texts: by regular expression of one's own, and through real tokenizers."""

import pytest

from attention_core.pretrained.catalog import Catalog
from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.loading import LoadedModel
from attention_core.pretrained.tokens import tokenise
from attention_core.pretrained.words import WordChoice, find_word, word_tokens


@pytest.mark.parametrize(
    ("text", "word", "occurrence", "span"),
    [
        ("The bank by the river bank.", "bank", 0, (4, 8)),
        ("The bank by the river bank.", "bank", 1, (22, 26)),
        ("Banks, and a Bank", "bank", 0, (13, 17)),  # a whole word goes before a piece of one
        ("Riverbanks", "bank", 0, (5, 9)),
        ("日本語の橋を渡る", "橋", 0, (4, 5)),
        ("It costs $5 (about).", "$5", 0, (9, 11)),
        ("a.b", " . ", 0, (1, 2)),
    ],
)
def test_where_a_word_stands(text: str, word: str, occurrence: int, span: tuple[int, int]) -> None:
    assert find_word(WordChoice(text, word, occurrence)) == span


def test_the_tokens_of_a_word(minilm: LoadedModel, catalog: Catalog) -> None:
    text = "The unbelievable bank."
    tokens = tokenise(minilm, text)[1]
    found = word_tokens(WordChoice(text, "unbelievable"), tokens)
    assert "".join(tokens[index].text.removeprefix("##") for index in found) == "unbelievable"
    assert [tokens[index].text for index in word_tokens(WordChoice(text, "bank"), tokens)] == ["bank"]
    assert word_tokens(WordChoice(text, token=0), tokens) == [0]
    byte_pairs = tokenise(catalog.load("tiny-gpt2"), text)[1]
    found = word_tokens(WordChoice(text, "bank"), byte_pairs)
    assert "".join(byte_pairs[index].text for index in found).strip() == "bank"
    assert found == list(range(found[0], found[-1] + 1))


@pytest.mark.parametrize(
    ("choice", "field", "message"),
    [
        (WordChoice("a b", "c"), "word", "word is not in its text"),
        (WordChoice("a b", " "), "word", "word must not be empty"),
        (WordChoice("a b a", "a", 2), "occurrence", "occurrence must be from 0 to 1, not 2"),
        (WordChoice("a b a", "a", -1), "occurrence", "occurrence must be from 0 to 1, not -1"),
        (WordChoice("a b"), "word", "word must be given, or token, and not both"),
        (WordChoice("a b", "a", token=1), "word", "word must be given, or token, and not both"),
        (WordChoice("a b", token=4), "token", "token must be from 0 to 3, not 4"),
        (WordChoice("a b", token=-1), "token", "token must be from 0 to 3, not -1"),
        (WordChoice("a \u200b b", "\u200b"), "word", "word is not among the tokens that the model reads"),
    ],
)
def test_what_is_refused(minilm: LoadedModel, choice: WordChoice, field: str, message: str) -> None:
    tokens = tokenise(minilm, "a b")[1]
    with pytest.raises(SelectionError, match=f"^{message}$") as error:
        word_tokens(choice, tokens if "\u200b" not in choice.text else tokenise(minilm, choice.text)[1])
    assert error.value.field == field
