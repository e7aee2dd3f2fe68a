"""Words by Unicode's boundaries, and the tokens of real kinds of tokenizers that they are made of."""

import json
import random
import shutil
import subprocess
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from attention_core.pretrained.inputs.tokens import Token, encode, tokenise, tokens_of, with_words
from attention_core.pretrained.inputs.word_boundaries import word_spans
from attention_core.pretrained.inputs.words import spans_of
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

TEXTS = {
    # text: its words, without blanks
    "The cat sat.": "The|cat|sat|.",
    "It's 3.14, isn’t it?": "It's|3.14|,|isn’t|it|?",
    "well-known foo_bar $5": "well|-|known|foo_bar|$|5",
    "café naïve résumé": "café|naïve|résumé",
    "cafe\u0301 nai\u0308ve": "cafe\u0301|nai\u0308ve",
    "Straße groß": "Straße|groß",
    "हिन्दी एक सुन्दर भाषा है": "हिन्दी|एक|सुन्दर|भाषा|है",
    "தமிழ் மொழி": "தமிழ்|மொழி",
    "می\u200cخواهم کتاب\u200cهای تازه": "می\u200cخواهم|کتاب\u200cهای|تازه",
    "كِتَابٌ جَدِيد": "كِتَابٌ|جَدِيد",
    "שָׁלוֹם עולם": "שָׁלוֹם|עולם",
    "매트 위의 고양이": "매트|위의|고양이",
    "བོད་སྐད": "བོད|་|སྐད",
    "👩\u200d🚀 🇩🇪🇫🇷": "👩\u200d🚀|🇩🇪|🇫🇷",
    "  two\r\n\tlines\u3000x ": "two|lines|x",
}
DICTIONARIES = ["日本語の橋を渡る", "สวัสดีชาวโลก", "ຂ້ອຍມັກແມວ", "ភាសាខ្មែរ", "မြန်မာစာ"]
"""Words that only a dictionary could tell apart."""


@pytest.mark.parametrize("text", TEXTS)
def test_words_of_a_text(text: str) -> None:
    assert "|".join(text[start:end] for start, end in word_spans(text)) == TEXTS[text]


@pytest.mark.parametrize("text", DICTIONARIES)
def test_letters_of_scripts_without_spaces_are_words_with_their_marks(text: str) -> None:
    words = [text[start:end] for start, end in word_spans(text)]
    assert "".join(words) == text
    assert all(1 <= len(word) <= 3 for word in words)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_boundaries_are_those_of_browsers() -> None:
    """In texts of any signs, as far as no dictionary is asked; ICU has one for Korean and for longer Katakana, too."""
    generator = random.Random(1)  # noqa: S311
    letters = "abéñЖßאב\u05f4קعכகद्िى\u0301\u200d\u200c\u00ad7٣カ"
    signs = " .,'’_-:;\"“?$%/@\n\r\t\u00a0\u2028🚀👍🏽🇩🇪"
    texts = ["".join(generator.choices(letters + signs, k=12)) for _ in range(5_000)]
    texts = [text for text in texts if text.count("カ") < 2]
    script = (
        "const words = new Intl.Segmenter('en', {granularity: 'word'});"
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(texts.map((text) => [...words.segment(text)].map((one) => one.segment))));"
    )
    ran = subprocess.run(["node", "-e", script], input=json.dumps(texts), capture_output=True, text=True, check=True)
    for text, expected in zip(texts, json.loads(ran.stdout), strict=True):
        assert [text[start:end] for start, end in word_spans(text)] == [each for each in expected if each.strip()]


def shown(tokens: list[Token]) -> list[str]:
    """What a row or a column is called with whole words."""
    spans = spans_of(tokens, hide_special=True, words=True)
    return [tokens[span.start].word_text or tokens[span.start].text for span in spans]


def trained(model: models.Model, **parts: Any) -> PreTrainedTokenizerFast:
    """A tokenizer that knows single bytes and a few pairs of letters, so that words are cut into many pieces."""
    tokenizer = Tokenizer(model)
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    is_of_letters = isinstance(parts["pre_tokenizer"], pre_tokenizers.ByteLevel)
    bytes_ = [] if is_of_letters else [f"<0x{byte:02X}>" for byte in range(256)]
    alphabet = pre_tokenizers.ByteLevel.alphabet() if is_of_letters else []
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>", *bytes_], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(["the at kn own isn it"] * 3, trainer)
    content = json.loads(tokenizer.to_str())  # else bytes count as special tokens, which a text may hold
    content["added_tokens"] = [each for each in content["added_tokens"] if each["content"] not in bytes_]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")  # noqa: S106 - no password


def byte_level() -> PreTrainedTokenizerFast:
    """As GPT-2's."""
    cut = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return trained(models.BPE(), pre_tokenizer=cut, decoder=decoders.ByteLevel())


def sentencepiece(scheme: str) -> PreTrainedTokenizerFast:
    """As Llama's, DeBERTa's and Pegasus's: the blank is in the token's span, or a token of its own."""
    model = models.BPE(unk_token="<unk>", byte_fallback=True)  # noqa: S106 - no password
    decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return trained(model, pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme=scheme), decoder=decoder)


def without_splitting() -> PreTrainedTokenizerFast:
    """The same, but whole texts are cut, not words, as by Llama 2's."""
    tokenizer = sentencepiece("first")
    whole = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.backend_tokenizer.pre_tokenizer = whole
    return tokenizer


KINDS = {
    "bytes": byte_level,
    "always": lambda: sentencepiece("always"),
    "never": lambda: sentencepiece("never"),
    "first": lambda: sentencepiece("first"),
    "without-splitting": without_splitting,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_tokenizer_has_the_same_words(kind: str) -> None:
    tokenizer = KINDS[kind]()
    for text, words in TEXTS.items():
        tokens = tokens_of(tokenizer, encode(tokenizer, text, None), [text])
        found = [word.strip(" \r\n\t\u3000▁") for word in shown(tokens)]
        assert "|".join(word for word in found if word) == words
        assert "  " in text or "" not in found, "a single blank is no word by itself"
    for text in DICTIONARIES:
        tokens = tokens_of(tokenizer, encode(tokenizer, text, None), [text])
        spans = spans_of(tokens, hide_special=True, words=True)
        assert len(spans) > len(text) / 3
        assert "".join(word.strip(" ▁") for word in shown(tokens)) == text


def test_words_of_wordpieces(minilm: LoadedModel) -> None:
    """Of vowels in pieces of their own, of accents that the tokenizer drops, of punctuation inside a word."""

    def words(text: str) -> list[str]:
        return shown(tokenise(minilm, text)[1])

    assert words("The 매트 is undrinkable.") == ["the", "매트", "is", "undrinkable", "."]
    assert words("Résumés can't naïvely") == ["Résumés", "can't", "naïvely"]
    assert words("日本語の橋") == ["日", "本", "語", "の", "橋"]


def test_words_of_pairs_and_of_single_tokens(minilm: LoadedModel, catalog: Catalog) -> None:
    tokens = tokenise(minilm, "undrinkable cat", "undrinkable")[1]
    numbers = [token.word for token in tokens if token.word is not None]
    assert sorted(set(numbers)) == [0, 1, 2]
    assert numbers == sorted(numbers)
    assert [token.word_text for token in tokens if token.word_text] == ["undrinkable", "undrinkable"]
    assert all(token.word is None for token in tokens if token.special)
    gpt2 = tokenise(catalog.load("tiny-gpt2"), "an unbelievable cat")[1]
    assert [word.strip() for word in shown(gpt2)] == ["an", "unbelievable", "cat"]


def test_tokens_without_a_text_have_their_vocabulary_s_signs() -> None:
    texts = ["[CLS]", "un", "##afraid", "##able", "##", "cat", "s"]
    tokens = [
        Token(index, 0, text, text, None, None, special=text == "[CLS]", segment=0) for index, text in enumerate(texts)
    ]
    assert [token.word for token in with_words(tokens, [])] == [None, 0, 0, 0, 1, 2, 3]
