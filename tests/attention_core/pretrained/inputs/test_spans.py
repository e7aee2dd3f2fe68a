"""Spans and texts of tokens, for tokenizers that write blanks as pieces and for those written in Python."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizer_kinds import FAST, PYTHON, TEXTS, fast_tokenizer, python_tokenizer
from transformers import PreTrainedTokenizerBase

from attention_core.pretrained.inputs.tokens import Token, encode, tokens_of

LETTERS = "".join(sorted({letter for text in TEXTS for letter in text if not letter.isspace()}))
SIGNS = st.sampled_from(LETTERS) | st.sampled_from("  \n\t\u3000") | st.sampled_from("🙂Ω中▁#")
WRITTEN = st.lists(st.sampled_from([text[at : at + 7] for text in TEXTS for at in range(0, len(text), 5)]) | SIGNS)
INPUTS = WRITTEN.map("".join).filter(str.strip)
COMPOSED = st.lists(st.sampled_from([*"がé각ガﬁ½Ωш", "か\u3099", "e\u0301", "ｶﾞ", "नि", "шΩ", "👍🏽", "猫", " ", "\n"]))
"""Characters of several parts, which a tokenizer may compose, take apart or drop in part."""
UNKNOWN = {"[UNK]", "<unk>"}
has_mecab = find_spec("fugashi") is not None and find_spec("unidic_lite") is not None
of_mecab = pytest.param("mecab", marks=pytest.mark.skipif(not has_mecab, reason="MeCab is not installed (fugashi)"))
KINDS = [*FAST, *PYTHON, of_mecab]


@cache
def tokenizer_of(kind: str) -> PreTrainedTokenizerBase:
    if kind in FAST:
        return fast_tokenizer(kind)
    return python_tokenizer(kind, Path(mkdtemp()))


def tokens_in(kind: str, text: str, pair: str | None = None) -> list[Token]:
    tokenizer = tokenizer_of(kind)
    found = tokens_of(tokenizer, encode(tokenizer, text, pair), [text] if pair is None else [text, pair])
    return [token for token in found if not token.special]


def once(tokens: list[Token]) -> Iterator[Token]:
    """Of the parts of one character the first."""
    end = 0
    for token in tokens:
        if token.end is None or token.end > end:
            yield token
        end = max(end, token.end or 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@given(text=INPUTS | COMPOSED.map("".join).filter(str.strip))
@example(text="中文 hello 日本語")
@example(text="  猫  cat")
@example(text="шΩ шΩ")
@settings(max_examples=60, deadline=None, derandomize=True)
def test_every_character_belongs_to_one_token(kind: str, text: str) -> None:
    """Spans follow each other; parts of a character share it; nothing but blanks is left over."""
    tokens = tokens_in(kind, text)
    placed = [(token.start, token.end) for token in tokens if token.start is not None and token.end is not None]
    for (start, end), (following, last) in pairwise(placed):
        marks = sum(unicodedata.category(sign)[0] == "M" or sign in "\uff9e\uff9f" for sign in text[start + 1 : end])
        is_same_character = (start, end) == (following, last) and end - start == 1 + marks
        assert start < end
        assert following >= end or is_same_character
    is_clear = all(token.start is not None for token in tokens if token.token in UNKNOWN)
    covered = {index for start, end in placed for index in range(start, end)}
    assert not is_clear or {text[index] for index in range(len(text)) if index not in covered} <= set(" \n\t\u3000▁")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@given(text=INPUTS)
@example(text="中文 hello 日本語")
@example(text="  猫  cat ### sat")
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_token_says_what_it_stands_for(kind: str, text: str) -> None:
    for token in tokens_in(kind, text):
        source = text[token.start : token.end] if token.start is not None else ""
        if re.fullmatch("[▁Ġ]+", token.token):
            assert token.text.strip("▁") == "" or token.text.isspace()
            assert source.strip("▁") == "" or source.isspace()
        elif source and token.token not in UNKNOWN and kind != "lower case":
            assert token.text.strip() == source.strip(" ▁\n\t\u3000") or token.text == source


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@given(text=INPUTS)
@example(text="中文 hello 日本語")
@example(text="The cat sat.\n  猫 ")
@settings(max_examples=60, deadline=None, derandomize=True)
def test_joined_texts_give_the_input_back(kind: str, text: str) -> None:
    """What the tokenizer does not know stands for itself, and what it drops is compared without."""
    text = text.replace("▁", "")
    if not text.strip() or kind == "lower case":
        return
    tokens = tokens_in(kind, text)
    if any(token.token in UNKNOWN and token.start is None for token in tokens):
        return  # of unknown words without a gap it is not clear where one ends
    said = "".join(
        text[token.start : token.end] if token.token in UNKNOWN else token.text
        for token in once(tokens)
        if token.start is not None
    )
    if kind in {"Llama", "Llama, legacy", "Gemma", "GPT-2"}:
        assert said == text
    elif kind in FAST:
        assert said.split() == text.split()
    else:
        assert "".join(said.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("XLM-R", "名前 は", [(" ", None), ("名", (0, 1)), ("前", (1, 2)), (" ", (2, 3)), ("は", (3, 4))]),
        ("T5", "名前 は", [(" ", None), ("名", (0, 1)), ("前", (1, 2)), (" ", (2, 3)), ("は", (3, 4))]),
        ("Llama", "名前 は", [(" ", None), ("名", (0, 1)), ("前", (1, 2)), (" ", (2, 3)), ("は", (3, 4))]),
        ("Llama, legacy", " 名", [(" ", None), (" ", (0, 1)), ("名", (1, 2))]),
        ("Llama", " 名", [(" ", (0, 1)), ("名", (1, 2))]),
        ("Gemma", "The cat", [("Th", (0, 2)), ("e", (2, 3)), (" cat", (3, 7))]),
        ("Llama", "The cat", [("The", (0, 3)), (" cat", (3, 7))]),
        ("XLM-R", "cat\n\n猫", [(" ", None), ("ca", (0, 2)), ("t", (2, 3)), (" ", (3, 5)), ("猫", (5, 6))]),
        ("word pieces", "吾輩 readers", [("吾輩", (0, 2)), ("read", (3, 7)), ("er", (7, 9)), ("s", (9, 10))]),
        ("lower case", "Readers", [("read", (0, 4)), ("er", (4, 6)), ("s", (6, 7))]),
        ("word pieces", "猫 ΩΩ Ψ 猫", [("猫", (0, 1)), ("[UNK]", (2, 4)), ("[UNK]", (5, 6)), ("猫", (7, 8))]),
        ("characters", "名Ωは", [("名", (0, 1)), ("[UNK]", (1, 2)), ("は", (2, 3))]),
        ("characters", "はΩは", [("は", (0, 1)), ("[UNK]", (1, 2)), ("は", (2, 3))]),
        ("Unigram with bytes", "шΩa", [(" ", None), *[("ш", (0, 1))] * 2, *[("Ω", (1, 2))] * 2, ("a", (2, 3))]),
        ("T5", "e\u0301は", [(" ", None), ("<unk>", (0, 2)), ("は", (2, 3))]),
        ("T5", "ｶﾞは", [(" ", None), ("<unk>", (0, 2)), ("は", (2, 3))]),
        ("BPE", "the cat", [("th", (0, 2)), ("e", (2, 3)), ("cat", (4, 7))]),
        ("ByT5", "a 猫\n", [("a", (0, 1)), (" ", (1, 2)), *[("猫", (2, 3))] * 3, ("\n", (3, 4))]),
    ],
)  # fmt: skip
def test_texts_and_spans(kind: str, text: str, expected: list[tuple[str, tuple[int, int] | None]]) -> None:
    tokens = tokens_in(kind, text)
    assert [(token.text, None if token.start is None else (token.start, token.end)) for token in tokens] == expected


@pytest.mark.parametrize("kind", ["XLM-R", "Llama, legacy", "Llama", "word pieces", "characters"])
def test_spans_of_a_pair_count_in_the_text_of_each(kind: str) -> None:
    one, two = "名前 は", "猫 名前"
    tokens = tokens_in(kind, one, two)
    assert {token.segment for token in tokens} == {0, 1}
    for number, text in enumerate((one, two)):
        own = [token for token in tokens if token.segment == number and token.start is not None]
        assert "".join(text[token.start : token.end] for token in own if token.text.strip()) == text.replace(" ", "")
