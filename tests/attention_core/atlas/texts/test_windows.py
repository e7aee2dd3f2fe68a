"""Windows cover each document, fit, and are cut before words."""

import pytest
from small_corpora import TEXTS, tree_documents

from attention_core.atlas.corpus.document import Document, Word
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import Window, cut_windows
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog

LONG = " ".join(TEXTS * 5)
KINDS = ("sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini", "tiny-llama", "tiny-bert")


def windows_of(models: Catalog, name: str, documents: list[Document], window_tokens: int = 16) -> list[Window]:
    return cut_windows(Tokeniser(models.load(name)), documents, 7, window_tokens)


@pytest.mark.parametrize("name", KINDS)
def test_windows_fit_and_lose_nothing_but_spaces(models: Catalog, name: str) -> None:
    document = Document("d", LONG)
    windows = windows_of(models, name, [document])
    assert len(windows) > 5
    assert max(len(window.tokens) for window in windows) <= 16
    assert [window.id for window in windows] == [(7 << 20) + number for number in range(len(windows))]
    end = 0
    for window in windows:
        assert LONG[end : window.start].strip() == ""
        assert window.text == LONG[window.start : window.end] == window.text.strip()
        end = window.end
    assert LONG[end:].strip() == ""


@pytest.mark.parametrize("name", KINDS)
def test_windows_end_between_words_and_have_the_tokens_of_their_text(models: Catalog, name: str) -> None:
    loaded = models.load(name)
    for window in windows_of(models, name, [Document("d", LONG)], 20):
        assert window.end == len(LONG) or LONG[window.end].isspace()
        _, tokens = tokenise(loaded, window.text)
        assert window.tokens.ids.tolist() == [token.id for token in tokens]
        starts = [-1 if token.start is None else token.start for token in tokens]
        assert window.tokens.starts.tolist() == starts


def test_a_document_that_fits_is_one_window(models: Catalog) -> None:
    windows = windows_of(models, "observatory-gpt2-mini", [Document("a", " Go. "), Document("b", "\u200b go")], 128)
    assert [(window.id, window.text) for window in windows] == [(7 << 20, " Go. "), (8 << 20, "\u200b go")]


def test_a_word_that_is_too_long_is_cut_between_characters(models: Catalog) -> None:
    text = "日本語" * 30 + "é" * 40
    windows = windows_of(models, "tiny-llama", [Document("d", text)], 16)
    assert "".join(window.text for window in windows) == text
    assert max(len(window.tokens) for window in windows) <= 16


def test_characters_of_more_tokens_than_a_window_are_reported_and_nothing_else_is_lost(models: Catalog) -> None:
    tokeniser = Tokeniser(models.load("observatory-gpt2-mini"))
    rare = "\N{CUNEIFORM SIGN A}"
    assert len(tokeniser([rare])[0]) > 3
    text = f"go {rare} on {rare}{rare} so"
    lost: list[str] = []
    windows = cut_windows(tokeniser, [Document("d", text)], 0, 3, lost.append)
    assert lost == [rare] * 3
    assert "".join(window.text for window in windows).replace(" ", "") == "goonso"


def test_windows_keep_the_words_of_a_treebank_whole(models: Catalog) -> None:
    text = "".join(document.text for document in tree_documents(4))  # no space between sentences
    words, at = [], 0
    for document in tree_documents(4):
        words += [Word(at + word.start, at + word.end, None, None, word.upos) for word in document.words or ()]
        at += len(document.text)
    windows = windows_of(models, "tiny-llama", [Document("d", text, tuple(words))], 16)
    assert len(windows) > 3
    found = [word for window in windows for word in window.words or ()]
    assert found == words
    for window in windows:
        assert words[window.first_word] == (window.words or ())[0]
