"""The tokens of a folder are those of its tokenizer.json, compared with the library ``tokenizers``, which reads it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import transformers
from tokenizer_kinds import FAST, ROLES
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from attention_core.pretrained.inputs.tokens import encode
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.tokenizers.tokenizer_loading import PROBES, load_tokenizer
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.refusal import Sentence

TEXTS = (
    *PROBES,
    "    x = 1234567  # don't STOP",
    "Ünïcödé ÀÉÎ ﬀ Ⅳ",
    "日本語と English と 2024年",
    "two  blanks\n\tand a tab\u3000and a wide one",
)
REBUILT = (
    *("BertTokenizer", "GPT2Tokenizer", "LlamaTokenizer", "Qwen2Tokenizer", "T5Tokenizer", "XLMRobertaTokenizer"),
    *("CamembertTokenizer", "DebertaTokenizer", "DebertaV2Tokenizer", "MPNetTokenizer", "RobertaTokenizer"),
    *("WhisperTokenizer", "CLIPTokenizer", "GemmaTokenizer", "CodeLlamaTokenizer", "AlbertTokenizer"),
    *("NllbTokenizer", "MBartTokenizer", "MBart50Tokenizer", "ConvBertTokenizer", "XLNetTokenizer"),
)
"""Classes that the library builds from the vocabulary, each with rules of its own."""


def load(
    folder: Path, tokenizer: Tokenizer, name: str | None, model_type: str = "llama", **settings: object
) -> tuple[PreTrainedTokenizerBase, tuple[Sentence, ...]]:
    folder.mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    named = {} if name is None else {"tokenizer_class": name}
    (folder / "tokenizer_config.json").write_text(json.dumps({**named, **settings}))
    return load_tokenizer(folder)


def check_tokens(folder: Path, tokenizer: PreTrainedTokenizerBase) -> None:
    file = Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text in TEXTS:
        expected, found = file.encode(text), encode(tokenizer, text, None)
        assert found.ids == expected.ids, text
        assert tokenizer.convert_ids_to_tokens(found.ids) == [file.id_to_token(each) for each in expected.ids]
        assert tokenizer.backend_tokenizer.decode(found.ids).strip() == file.decode(expected.ids).strip()
    one, two = file.encode(TEXTS[0], TEXTS[3]), encode(tokenizer, TEXTS[0], TEXTS[3])
    assert (two.ids, two.texts) == (one.ids, one.sequence_ids)


@pytest.mark.parametrize("name", REBUILT)
@pytest.mark.parametrize("kind", ["Llama", "GPT-2"])
def test_whatever_the_class(tmp_path: Path, name: str, kind: str) -> None:
    tokenizer, _ = load(tmp_path, FAST[kind](), name, **ROLES)
    check_tokens(tmp_path, tokenizer)
    assert tokenizer.mask_token == ROLES["mask_token"]


@pytest.mark.full
@pytest.mark.parametrize("kind", sorted(FAST.keys() - {"Llama", "GPT-2"}))
def test_whatever_the_file(tmp_path: Path, kind: str) -> None:
    for name in REBUILT:
        tokenizer, _ = load(tmp_path / name, FAST[kind](), name, **ROLES)
        check_tokens(tmp_path / name, tokenizer)


@pytest.mark.parametrize("model_type", ["qwen2", "bert", "gpt2", "t5", "xlm-roberta", "deberta-v2", "phi3"])
def test_whatever_the_model_where_no_class_is_named(tmp_path: Path, model_type: str) -> None:
    tokenizer, _ = load(tmp_path, FAST["Unigram with bytes"](), None, model_type, **ROLES)
    check_tokens(tmp_path, tokenizer)


def cased_word_pieces() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"do_lower_case": True, "strip_accents": True, "tokenize_chinese_chars": False},
        {"add_prefix_space": True, "clean_up_tokenization_spaces": True},
        {"add_bos_token": True, "add_eos_token": True, "bos_token": "[CLS]", "eos_token": "[SEP]"},
    ],
)
def test_settings_beside_the_file_change_no_token(tmp_path: Path, settings: Mapping[str, object]) -> None:
    tokenizer, said = load(tmp_path, cased_word_pieces(), "BertTokenizerFast", "bert", **settings)
    check_tokens(tmp_path, tokenizer)
    assert tokenizer.tokenize("Old DON'T 12")[0][0] == "O"
    assert tokenizer.tokenize("12") == ["1", "2"]
    assert len(said) == 1


def test_the_class_gives_what_the_file_does_not_say(tmp_path: Path) -> None:
    """Names of the special tokens, inputs, the chat template."""
    tokenizer, _ = load(tmp_path, cased_word_pieces(), "BertTokenizer", "bert", chat_template="{{ messages }}")
    assert type(tokenizer).__name__ == "BertTokenizer"
    assert (tokenizer.mask_token, tokenizer.cls_token_id, tokenizer.sep_token_id) == ("[MASK]", 2, 3)
    assert list(tokenizer("a", "b")) == ["input_ids", "token_type_ids", "attention_mask"]
    assert tokenizer.chat_template == "{{ messages }}"


def test_special_tokens_of_another_vocabulary_are_forgotten(tmp_path: Path) -> None:
    """Qwen's class names <|endoftext|>, which this file does not have."""
    tokenizer, _ = load(tmp_path, FAST["Llama"](), "Qwen2Tokenizer", "qwen2", bos_token=ROLES["bos_token"])
    assert (tokenizer.bos_token, tokenizer.eos_token, tokenizer.pad_token) == ("<s>", None, None)
    assert tokenizer.all_special_ids == [1]
    assert len(tokenizer) == Tokenizer.from_file(str(tmp_path / "tokenizer.json")).get_vocab_size()


def test_added_and_special_tokens_of_the_settings_are_known(tmp_path: Path) -> None:
    tokenizer = FAST["GPT-2"]()
    size = tokenizer.get_vocab_size()
    added = {str(size): {"content": "<tool>", "special": True}, str(size + 1): {"content": "→→", "special": False}}
    loaded, _ = load(
        tmp_path, tokenizer, "GPT2Tokenizer", "gpt2", additional_special_tokens=["<tool>"], added_tokens_decoder=added
    )
    ids = encode(loaded, "a<tool>b→→", None).ids
    assert [token_id for token_id in ids if token_id >= size] == [size, size + 1]
    assert loaded.convert_tokens_to_ids("<tool>") in loaded.all_special_ids


@pytest.mark.parametrize("is_named", [True, False])
def test_a_translator_marks_texts_with_their_language(tmp_path: Path, *, is_named: bool) -> None:
    """The body is the file's; without the languages in the file, all of it."""
    tokenizer = FAST["XLM-R"]()
    codes = ["eng_Latn", "jpn_Jpan"]
    if is_named:
        tokenizer.add_special_tokens(codes)
    loaded, _ = load(
        tmp_path, tokenizer, "NllbTokenizer", "m2m_100", src_lang=codes[0], tgt_lang=codes[1], **ROLES,
        extra_special_tokens=codes if is_named else [],
    )  # fmt: skip
    file = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        body = file.encode(text, add_special_tokens=False).ids
        for as_target, code in zip((False, True, False), (*codes, codes[0]), strict=True):
            around = [file.token_to_id(code)] if is_named else [1]
            assert encode(loaded, text, None, as_target=as_target).ids == [*around, *body, 2]


def test_without_the_file_the_library_builds_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\n", encoding="utf-8")
    tokenizer, said = load_tokenizer(tmp_path)
    assert tokenizer.tokenize("CAT dog") == ["cat", "[UNK]"]
    assert said == ()


@pytest.mark.parametrize(
    ("tokenizer", "name", "said"),
    [
        (cased_word_pieces, "PreTrainedTokenizerFast", None),
        (
            cased_word_pieces,
            "BertTokenizer",
            "builds BertTokenizer from the vocabulary instead, which divides “In",
        ),
        (FAST["Llama"], "CamembertTokenizer", "makes no working tokenizer of this folder"),
        (
            FAST["Llama"],
            "ByT5Tokenizer",
            "those of transformers' ByT5Tokenizer, which does not read tokenizer.json",
        ),
    ],
)
def test_what_is_said(tmp_path: Path, tokenizer: object, name: str, said: str | None) -> None:
    assert callable(tokenizer)
    _, sentences = load(tmp_path, tokenizer(), name, **ROLES)
    assert [said in str(each) for each in sentences if said] == ([] if said is None else [True])


def test_nothing_is_said_where_both_agree(tmp_path: Path) -> None:
    """What the library itself writes for its class."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    words = [*("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), *"abcdefghijklmnopqrstuvwxyz0123456789", "cat", "##s"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    AutoTokenizer.from_pretrained(tmp_path).save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    tokenizer, said = load_tokenizer(tmp_path)
    assert (type(tokenizer).__name__, said) == ("BertTokenizer", ())
    check_tokens(tmp_path, tokenizer)


def test_an_analysis_shows_the_tokens_of_the_file_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "own-bert"
    config = transformers.BertConfig(
        vocab_size=300, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    cased_word_pieces().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    loaded = Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("own-bert")
    analysis = analyse(loaded, AnalysisRequest("the Old cat said 12345"), max_tokens=512)
    expected = Tokenizer.from_file(str(folder / "tokenizer.json")).encode("the Old cat said 12345")
    assert [token.token for token in analysis.tokens] == expected.tokens
    assert [warning.code for warning in analysis.warnings if "tokenizer.json" in str(warning.message)] == ["tokenizer"]


def test_the_shipped_and_plain_files_are_read_by_the_librarys_plain_class(models_dir: Path) -> None:
    tokenizer, said = load_tokenizer(models_dir / "tiny-gpt2")
    assert (type(tokenizer), said) == (PreTrainedTokenizerFast, ())
