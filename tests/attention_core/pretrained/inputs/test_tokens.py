"""Tokens against the tokenizer called directly and against slices of the text."""

import unicodedata

import pytest
import torch
from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

from attention_core.pretrained.errors import EmptyTextError, InvalidTextError, TextTooLongError
from attention_core.pretrained.inputs.tokens import Token, tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

CAT = "The cat sat on the mat because it was tired."

TEXTS = {
    "sentence": CAT,
    "one character": "x",
    "Hebrew": "שלום עולם, מה שלומך?",
    "Arabic with vowel signs": "السَّلَامُ عَلَيْكُمْ",
    "Japanese": "吾輩は猫である。名前はまだ無い。",
    "emoji": "a 😀 b 👩‍👩‍👧 c 🇯🇵",
    "combining": "e\u0301 naïve Z\u0351\u036b\u0343algo",
    "control": "a\x00b\x07c\td\r\ne\u200bf\ufefff",
    "replacement character": "a \ufffd b",
    "markup": "<script>alert('x')</script> & \"quotes\"",
    "spaces": "  two  spaces  ",
}

FAST = ["tiny-gpt2", "tiny-bert", "tiny-roberta", "tiny-llama", "tiny-t5"]


@pytest.mark.full
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("model_id", [*FAST, "sentence-transformers/all-MiniLM-L6-v2"])
def test_ids_and_inputs_are_the_tokenizers(catalog: Catalog, model_id: str, text: str) -> None:
    loaded = catalog.load(model_id)
    inputs, tokens = tokenise(loaded, text, max_tokens=None)
    expected = loaded.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = expected.pop("offset_mapping")[0].tolist()
    assert set(inputs) == set(expected)
    assert all(torch.equal(inputs[name], expected[name]) for name in expected)
    assert [token.id for token in tokens] == expected["input_ids"][0].tolist()
    assert [token.token for token in tokens] == expected.tokens()
    assert [token.index for token in tokens] == list(range(len(tokens)))
    own = {index for start, end in offsets for index in range(start, end)}

    def reach(end: int) -> int:
        """An accent that the tokenizer drops belongs to its letter."""
        while end < len(text) and end not in own and unicodedata.combining(text[end]):
            end += 1
        return end

    assert [(token.start or 0, token.end or 0) for token in tokens] == [
        (start, reach(end)) if start < end else (0, 0) for start, end in offsets
    ]


def test_slices_of_minilm_are_the_words(minilm: LoadedModel) -> None:
    _, tokens = tokenise(minilm, CAT)
    assert [CAT[token.start : token.end] for token in tokens[1:-1]] == CAT.replace(".", " .").split()
    assert [token.text for token in tokens[1:-1]] == CAT.lower().replace(".", " .").split()
    assert [token.special for token in tokens] == [True] + [False] * 11 + [True]
    assert {(token.start, token.end) for token in (tokens[0], tokens[-1])} == {(None, None)}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_bytes_of_one_character_show_that_character(catalog: Catalog, text: str) -> None:
    """Byte-level BPE cuts through characters; no label may be a replacement character that is not in the text."""
    _, tokens = tokenise(catalog.load("tiny-gpt2"), text)
    shown = [token for token in tokens if "\ufffd" in token.text]
    assert all(text[token.start : token.end] == token.text for token in shown)
    covered = sorted({index for token in tokens for index in range(token.start or 0, token.end or 0)})
    assert covered == list(range(len(text)))


def test_an_emoji_in_four_tokens(catalog: Catalog) -> None:
    _, tokens = tokenise(catalog.load("tiny-gpt2"), "a 😀b")
    assert [(token.text, token.start, token.end) for token in tokens] == [
        ("a", 0, 1),
        (" ", 1, 2),
        *[("😀", 2, 3)] * 4,
        ("b", 3, 4),
    ]


@pytest.mark.parametrize(
    ("model_id", "segments", "special"),
    [
        ("tiny-bert", [0, 0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 0, 0, 1]),
        ("tiny-roberta", [0, 0, 0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 1, 0, 0, 1]),
        ("tiny-gpt2", [0, 0, 1, 1], [0, 0, 0, 0]),
    ],
)
def test_segments_of_a_pair(catalog: Catalog, model_id: str, segments: list[int], special: list[int]) -> None:
    """[CLS] the cat [SEP] the cat [SEP]; offsets count in the text that the token is from."""
    inputs, tokens = tokenise(catalog.load(model_id), "The cat", "The cat")
    assert [token.segment for token in tokens] == segments
    assert [int(token.special) for token in tokens] == special
    first, second = ([t for t in tokens if t.segment == segment and not t.special] for segment in (0, 1))
    assert [(t.text, t.start, t.end) for t in first] == [(t.text, t.start, t.end) for t in second]
    if "token_type_ids" in inputs:
        assert inputs["token_type_ids"].tolist() == [segments]


def test_a_special_token_that_was_typed_is_special_and_has_its_place(minilm: LoadedModel) -> None:
    _, tokens = tokenise(minilm, "a [MASK] 😀")
    assert [(t.text, t.start, t.end, t.special) for t in tokens[1:-1]] == [
        ("a", 0, 1, False),
        ("[MASK]", 2, 8, True),
        ("[UNK]", 9, 10, False),
    ]


def test_only_what_the_model_takes_is_handed_on(catalog: Catalog) -> None:
    """DistilBERT has no segments, its tokenizer speaks of them all the same."""
    inputs, _ = tokenise(catalog.load("tiny-distilbert"), "The cat", "The mat")
    assert set(inputs) == {"input_ids", "attention_mask"}


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000"])
def test_blank_text(minilm: LoadedModel, text: str) -> None:
    with pytest.raises(EmptyTextError, match=r"^The text is empty") as caught:
        tokenise(minilm, text)
    assert (caught.value.code, caught.value.field, caught.value.limit) == ("text_empty", "text", None)
    with pytest.raises(EmptyTextError, match=r"^The second text is empty") as caught:
        tokenise(minilm, "a", text)
    assert caught.value.field == "text_pair"


def test_text_of_which_the_tokenizer_leaves_nothing(minilm: LoadedModel) -> None:
    """BERT drops control characters; [MASK] alone is something."""
    with pytest.raises(EmptyTextError, match="no character that the model's tokenizer keeps"):
        tokenise(minilm, "\x00\u200b")
    with pytest.raises(EmptyTextError, match=r"^The second text has no character"):
        tokenise(minilm, "a", "\x00\u200b")
    assert len(tokenise(minilm, "[MASK]")[1]) == 3


@pytest.mark.parametrize("surrogate", ["\ud83d", "\ude00", "\udfff", "\ud800"], ids=ascii)  # noqa: PT014 - all four differ
def test_half_a_surrogate_pair(minilm: LoadedModel, surrogate: str) -> None:
    with pytest.raises(InvalidTextError, match="surrogate pair at position 3,") as caught:
        tokenise(minilm, f"abc{surrogate}d")
    assert (caught.value.code, caught.value.field) == ("text_invalid", "text")
    with pytest.raises(InvalidTextError, match=r"^The second text holds"):
        tokenise(minilm, "a", f"abc{surrogate}d")


def test_limit_of_the_model_is_exact(minilm: LoadedModel) -> None:
    assert len(tokenise(minilm, "cat " * 510)[1]) == 512
    with pytest.raises(
        TextTooLongError, match=r"^The text has 513 tokens; sentence-.*-v2 accepts at most 512.$"
    ) as caught:
        tokenise(minilm, "cat " * 511)
    assert (caught.value.code, caught.value.field, caught.value.limit) == ("text_too_long", "text", 512)


def test_five_thousand_words(minilm: LoadedModel, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TextTooLongError, match="has 5002 tokens"):
        tokenise(minilm, "word " * 5000)
    assert not caplog.records


def test_limit_of_the_operator(minilm: LoadedModel) -> None:
    with pytest.raises(TextTooLongError, match=r"^The text has 13 tokens; this server accepts at most 12.$") as caught:
        tokenise(minilm, CAT, max_tokens=12)
    assert caught.value.limit == 12
    assert len(tokenise(minilm, CAT, max_tokens=13)[1]) == 13


def test_the_pair_counts(minilm: LoadedModel) -> None:
    with pytest.raises(TextTooLongError, match="has 513 tokens"):
        tokenise(minilm, "cat " * 255, "cat " * 255)


# --- targets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model_id", "start"), [("tiny-t5", 1), ("tiny-bart", 2)])
def test_decoder_reads_the_target_shifted_right(catalog: Catalog, model_id: str, start: int) -> None:
    """Oracle: the model's own shift of the labels."""
    loaded = catalog.load(model_id)
    labels = loaded.tokenizer(text_target="The cat sat.", return_tensors="pt")["input_ids"]
    inputs, tokens = tokenise_target(loaded, "The cat sat.")
    if model_id == "tiny-t5":
        expected = loaded.model.prepare_decoder_input_ids_from_labels(labels)
    else:
        expected = torch.cat([torch.tensor([[start]]), labels[:, :-1]], dim=1)
    assert torch.equal(inputs["decoder_input_ids"], expected)
    assert [token.id for token in tokens] == expected[0].tolist()
    assert [token.text for token in tokens[2:]] == ["The", " cat", " sat", "."]
    assert ["The cat sat."[token.start : token.end] for token in tokens[2:]] == ["The", "cat", "sat", "."]
    assert [token.special for token in tokens] == [True, True, False, False, False, False]


def test_without_a_target_the_decoder_reads_its_start(catalog: Catalog) -> None:
    inputs, tokens = tokenise_target(catalog.load("tiny-t5"), None)
    assert inputs["decoder_input_ids"].tolist() == [[1]]
    assert tokens == [Token(0, 1, "<pad>", "<pad>", None, None, special=True, segment=0)]


def test_errors_of_a_target_name_it(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bart")
    with pytest.raises(EmptyTextError, match=r"^The decoder's text is empty"):
        tokenise_target(loaded, " ")
    with pytest.raises(InvalidTextError, match=r"^The decoder's text holds"):
        tokenise_target(loaded, "\ud800")
    with pytest.raises(
        TextTooLongError, match=r"^The decoder's text has 52 tokens; tiny-bart accepts at most 48"
    ) as caught:
        tokenise_target(loaded, "." * 50)
    assert (caught.value.field, caught.value.limit) == ("target_text", 48)


# --- a tokenizer written in Python ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def byt5(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """Bytes as tokens, no fast tokenizer and no vocabulary file."""
    directory = tmp_path_factory.mktemp("slow")
    with torch.random.fork_rng():
        torch.manual_seed(5)
        config = T5Config(vocab_size=384, d_model=16, d_kv=4, num_heads=2, d_ff=16, num_layers=1)
        T5ForConditionalGeneration(config).save_pretrained(directory / "byt5")
    ByT5Tokenizer().save_pretrained(directory / "byt5")
    return Catalog(models_dir=directory, hub_models=(), device="cpu").load("byt5")


def test_places_are_found_without_a_fast_tokenizer(byt5: LoadedModel) -> None:
    assert not byt5.tokenizer.is_fast
    _, tokens = tokenise(byt5, "abca", "bc")
    assert [(t.text, t.start, t.end, t.segment, t.special) for t in tokens] == [
        ("a", 0, 1, 0, False),
        ("b", 1, 2, 0, False),
        ("c", 2, 3, 0, False),
        ("a", 3, 4, 0, False),
        ("</s>", None, None, 0, True),
        ("b", 0, 1, 1, False),
        ("c", 1, 2, 1, False),
        ("</s>", None, None, 1, True),
    ]
