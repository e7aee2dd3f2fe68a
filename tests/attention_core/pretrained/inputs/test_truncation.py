"""Truncated texts against the tokenizer on prefix and whole."""

import unicodedata
from itertools import takewhile

import pytest
from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

from attention_core.pretrained.errors import EmptyTextError, ReadsImagesError, TextTooLongError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.inputs.truncation import truncate
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

SENTENCE = "Unbelievable stargazers, embeddings and naïve observatories were re-discovered. "
TEXTS = {
    "English": SENTENCE * 3,
    "Japanese": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 3,
    "emoji": "a 😀 b 👩‍👩‍👧 c 🇯🇵 " * 6,
    "Arabic with vowel signs": "السَّلَامُ عَلَيْكُمْ " * 13,
    "combining": "e\u0301 naïve Z\u0351\u036b\u0343algo " * 6,
    "long words": "antidisestablishmentarianism " * 25,
}
LIMIT = 24


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("model_id", ["tiny-gpt2", "tiny-bert", "tiny-llama", "tiny-t5"])
def test_a_text_is_cut_between_tokens(catalog: Catalog, model_id: str, text: str) -> None:
    loaded = catalog.load(model_id)
    whole = loaded.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    ids, ends = whole["input_ids"], [end for _, end in whole["offset_mapping"]]
    assert len(ids) > LIMIT
    found = truncate(loaded, text, max_tokens=LIMIT)
    assert text.startswith(found.text)
    _, kept = tokenise(loaded, found.text, max_tokens=LIMIT)
    assert (found.tokens, found.limit) == (len(kept), LIMIT)
    own = [token.id for token in kept if not token.special]
    assert own == ids[: len(own)]
    # What there was room for besides is less than one character, which byte-level tokens cut through.
    room = LIMIT - len(kept)
    left = whole["offset_mapping"][len(own) : len(own) + room + 1]
    assert room == 0 or len({start for start, _ in left}) == 1
    last = ends[len(own) - 1]
    accents = "".join(takewhile(unicodedata.combining, text[last:]))  # dropped ones belong to their letter
    assert found.text[-1:] in {text[last - 1], accents[-1:] or text[last - 1]}


@pytest.mark.parametrize(("first", "second"), [(100, 5), (5, 100), (100, 100), (20, 100)])
def test_of_two_texts_the_longer_gives_way(minilm: LoadedModel, first: int, second: int) -> None:
    found = truncate(minilm, "cat " * first, "dog " * second, max_tokens=43)
    assert found.tokens == 43
    room = 43 - 3
    shares = {(100, 5): (35, 5), (5, 100): (5, 35), (100, 100): (20, 20), (20, 100): (20, 20)}[first, second]
    assert sum(shares) == room
    assert (found.text.split(), (found.text_pair or "").split()) == (["cat"] * shares[0], ["dog"] * shares[1])


def test_what_fits_is_kept_whole(minilm: LoadedModel) -> None:
    found = truncate(minilm, "  A cat, \n a dog. ", "A bird.", max_tokens=64, max_characters=18)
    assert (found.text, found.text_pair, found.target_text) == ("  A cat, \n a dog. ", "A bird.", None)
    assert truncate(minilm, "cat " * 510).text == "cat " * 510
    assert truncate(minilm, "cat " * 511).text == "cat " * 509 + "cat"


def test_what_is_cut_by_characters_loses_the_word_that_was_severed(minilm: LoadedModel) -> None:
    assert truncate(minilm, "the cat observes", max_characters=10).text == "the cat"
    assert truncate(minilm, "the cat observes", max_characters=16).text == "the cat observes"


def test_a_target_is_counted_as_the_decoder_reads_it(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-t5")
    found = truncate(loaded, "a", None, SENTENCE * 3, max_tokens=9)
    assert found.target_tokens == len(tokenise_target(loaded, found.target_text, max_tokens=9)[1]) == 9
    assert SENTENCE.startswith(found.target_text or "-")


def test_a_tokenizer_that_gives_no_offsets(minilm: LoadedModel) -> None:
    """Bytes, written in Python: é and 猫 are several tokens of which none is left alone."""
    model = T5ForConditionalGeneration(T5Config(vocab_size=384, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2))
    loaded = LoadedModel(
        **{**vars(minilm), "model": model, "tokenizer": ByT5Tokenizer()},
    )
    found = truncate(loaded, "ab cd ef gh", max_tokens=6)
    assert found.text == "ab cd"
    assert found.tokens == 6


def test_what_cannot_be_cut(minilm: LoadedModel, catalog: Catalog) -> None:
    with pytest.raises(TextTooLongError, match="no room"):
        truncate(minilm, "cat", max_tokens=2)
    with pytest.raises(EmptyTextError):
        truncate(minilm, "   ")
    with pytest.raises(ReadsImagesError):
        truncate(catalog.load("tiny-vit"), "cat")
