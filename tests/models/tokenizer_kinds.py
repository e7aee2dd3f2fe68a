"""Small tokenizers of the kinds that write a blank as a piece of its own, and some written in Python."""

import json
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertJapaneseTokenizer, ByT5Tokenizer, CTRLTokenizer, PreTrainedTokenizerFast
from transformers.tokenization_utils_base import PreTrainedTokenizerBase

TEXTS = (
    "The cat sat on the mat because it was tired.",
    "Whoever reads this sentence twice has read it once more than needed.",
    "吾輩は猫である。名前はまだ無い。",
    "猫がマットの上に座ったのは、疲れていたからだ。",
    "那只猫坐在垫子上，因为它累了。",
    "注意力是值的加权平均。",
)
"""What they are trained on."""

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
ROLES = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "mask_token": "<mask>"}
UNKNOWN, *_ = SPECIALS = [*ROLES.values()]


def _metaspace(scheme: str, *, is_split: bool = True) -> pre_tokenizers.Metaspace:
    return pre_tokenizers.Metaspace(prepend_scheme=scheme, split=is_split)


def _unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = _metaspace("always")
    trainer = trainers.UnigramTrainer(
        vocab_size=240, special_tokens=SPECIALS, unk_token=UNKNOWN, show_progress=False, initial_alphabet=["▁"]
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def _byte_fallback() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN, byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = _metaspace("always")
    trainer = trainers.BpeTrainer(vocab_size=520, special_tokens=[*SPECIALS, *BYTES], show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    content = json.loads(tokenizer.to_str())  # else bytes count as special tokens, which a text may hold
    content["added_tokens"] = [each for each in content["added_tokens"] if each["content"] in SPECIALS]
    return Tokenizer.from_str(json.dumps(content))


def _of_t5(scheme: str) -> Tokenizer:
    """T5, DeBERTa-v2, ALBERT: the text normalised, then blanks written as pieces."""
    tokenizer = _unigram()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = _metaspace(scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    return tokenizer


def _of_xlm_roberta() -> Tokenizer:
    """XLM-R, CamemBERT: split at blanks, each word then with one in front."""
    tokenizer = _unigram()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), _metaspace("always")])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return tokenizer


def _of_llama(*, is_legacy: bool) -> Tokenizer:
    """Llama 2, Mistral: BPE with single bytes, a blank in front of the text; as it was converted first, and later."""
    tokenizer = _byte_fallback()
    if is_legacy:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.pre_tokenizer = None
    else:
        tokenizer.pre_tokenizer = _metaspace("first", is_split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def _of_gemma() -> Tokenizer:
    """Gemma: no blank in front."""
    tokenizer = _byte_fallback()
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = None
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def _of_bytes() -> Tokenizer:
    """GPT-2's kind with a blank in front."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIALS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _of_unigram_bytes() -> Tokenizer:
    """Unigram with bytes for what it does not know, as in Japanese decoders."""
    content = json.loads(_unigram().to_str())
    content["model"]["vocab"] += [[byte, -20.0] for byte in BYTES]
    content["model"]["byte_fallback"] = True
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.pre_tokenizer = _metaspace("first")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


FAST = {
    "T5": lambda: _of_t5("always"),
    "DeBERTa": lambda: _of_t5("first"),
    "no blank in front": lambda: _of_t5("never"),
    "XLM-R": _of_xlm_roberta,
    "Llama, legacy": lambda: _of_llama(is_legacy=True),
    "Llama": lambda: _of_llama(is_legacy=False),
    "Gemma": _of_gemma,
    "Unigram with bytes": _of_unigram_bytes,
    "GPT-2": _of_bytes,
}
"""By the best-known model of each kind."""


def fast_tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """One of FAST, as the library loads it from a tokenizer.json."""
    return PreTrainedTokenizerFast(tokenizer_object=FAST[kind](), **ROLES)


PYTHON = ("characters", "word pieces", "lower case", "ByT5", "BPE")
"""Kinds of tokenizers that are written in Python; ``mecab`` is one more, where MeCab is installed."""


def python_tokenizer(kind: str, folder: Path) -> PreTrainedTokenizerBase:
    """One of PYTHON."""
    if kind == "ByT5":
        return ByT5Tokenizer()
    if kind == "BPE":
        return _ctrl(folder)
    letters = sorted({letter for text in TEXTS for letter in text if not letter.isspace()})
    words = ["cat", "猫", "である", "吾輩", "は", "read", "##s", "##er", "##輩", "sent", "##ence"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters, *(f"##{each}" for each in letters)]
    path = folder / "vocab.txt"
    path.write_text("\n".join(dict.fromkeys(vocabulary)) + "\n", encoding="utf-8")
    return BertJapaneseTokenizer(
        str(path),
        word_tokenizer_type="mecab" if kind == "mecab" else "basic",
        subword_tokenizer_type="character" if kind == "characters" else "wordpiece",
        do_lower_case=kind == "lower case",
    )


def _ctrl(folder: Path) -> CTRLTokenizer:
    """BPE whose pieces end in ``@@`` where their word goes on."""
    letters = sorted({letter for text in TEXTS for letter in text if not letter.isspace()})
    pieces = ["<unk>", "cat", "th@@", "sent@@", *letters, *(f"{each}@@" for each in letters)]
    (folder / "vocab.json").write_text(json.dumps({piece: at for at, piece in enumerate(pieces)}), encoding="utf-8")
    merges = ["#version: 0.2", "t h", "c a", "ca t</w>", "s e", "se n", "sen t"]
    (folder / "merges.txt").write_text("\n".join(merges) + "\n", encoding="utf-8")
    return CTRLTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
