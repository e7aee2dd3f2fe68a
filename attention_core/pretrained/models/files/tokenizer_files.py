"""Which files make a tokenizer, and why one cannot be read here: found without building it."""

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformers import PreTrainedConfig
from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

from attention_core import foreign_files
from attention_core.foreign_files import is_file, is_there
from attention_core.pretrained.models.files.model_files import opened, unavailable
from attention_core.refusal import Sentence

TOKENIZER_FILES = (
    ("tokenizer.json",),
    ("vocab.txt",),
    ("vocab.json", "merges.txt"),
    ("tokenizer.model",),
    ("spiece.model",),
    ("sentencepiece.bpe.model",),
    ("vocab.json", "source.spm"),
)
"""Sets of files, each sufficient for a tokenizer."""

TOKENIZERS_WITHOUT_FILES = frozenset({"ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer"})
"""Tokenizers of bytes or characters, which need no vocabulary."""

NAMES = tuple(dict.fromkeys(name for names in TOKENIZER_FILES for name in names))
LFS_POINTER = b"version https://git-lfs"
PIECES = b"\n"
"""How a SentencePiece model begins: with the key of its first piece. One of tiktoken is a text."""
FAST, SENTENCEPIECE, TIKTOKEN = "tokenizer.json", ("sentencepiece", "protobuf"), ("tiktoken",)

OF_JAPANESE: Mapping[str, tuple[str, ...]] = {
    "mecab": ("fugashi",),
    "sudachi": ("sudachipy", "sudachidict-core"),
    "jumanpp": ("rhoknp",),
    "sentencepiece": ("sentencepiece",),
}
"""By the kind of a Japanese BERT's words and pieces. MeCab needs a dictionary besides."""
DEFAULT_DICTIONARY = "unidic_lite"
IMPORTED_WHEN_BUILT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("BioGptTokenizer", "FSMTTokenizer", "FlaubertTokenizer", "XLMTokenizer"), ("sacremoses",)),
    **dict.fromkeys(("CpmAntTokenizer", "RoFormerTokenizer"), ("rjieba",)),
    "Wav2Vec2PhonemeCTCTokenizer": ("phonemizer",),
    "CpmTokenizer": ("rjieba", "sentencepiece"),
    "SiglipTokenizer": SENTENCEPIECE,
    **dict.fromkeys(
        (
            *("BartphoTokenizer", "BertGenerationTokenizer", "GPTSw3Tokenizer", "M2M100Tokenizer", "MLukeTokenizer"),
            *("MarianTokenizer", "PLBartTokenizer", "Speech2TextTokenizer", "SpeechT5Tokenizer", "Tipsv2Tokenizer"),
        ),
        ("sentencepiece",),
    ),
}
"""Packages of the tokenizers written in Python, which a tokenizer.json does not replace."""
OF_MODEL: Mapping[str, str] = {
    "bert-generation": "BertGenerationTokenizer",
    "gpt-sw3": "GPTSw3Tokenizer",
    "m2m_100": "M2M100Tokenizer",
    "marian": "MarianTokenizer",
    "mluke": "MLukeTokenizer",
    "siglip": "SiglipTokenizer",
    "speech_to_text": "Speech2TextTokenizer",
    "speecht5": "SpeechT5Tokenizer",
    "tipsv2": "Tipsv2Tokenizer",
}
"""By the type of a model, what the library's own table lacks while the package is missing."""
MODULES: Mapping[str, str] = {"protobuf": "google.protobuf"}
"""Of packages whose module has another name."""
ENDING = 64
"""Bytes at the end of a file that are looked at."""

MISSING = Sentence(
    "Its tokenizer ({tokenizer}) needs packages that are not installed here. Install them with "
    "“pip install {packages}” and restart the server."
)
CONVERTIBLE = Sentence(
    "{missing} Or add a tokenizer.json, which needs none of them: where they are installed, "
    "AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes it."
)


def has_tokenizer(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether there are the files of a tokenizer; ``settings`` are those of tokenizer_config.json."""
    if str(settings.get("tokenizer_class")) in TOKENIZERS_WITHOUT_FILES:
        return True
    return any(all(is_file(folder / name) for name in names) for names in TOKENIZER_FILES)


def check_regular(folder: Path) -> None:
    """Raise ModelUnavailableError with the reason if a file of the tokenizer is there, but no regular file."""
    for name in NAMES:
        if is_there(folder / name):
            with unavailable():
                foreign_files.checked(folder / name)


def why_unreadable(folder: Path, settings: Mapping[str, Any], config: PreTrainedConfig) -> Sentence | None:
    """Why a tokenizer that is there cannot be read, and what to do; None if its files and packages do not tell.

    Raises ModelUnavailableError if one of the files cannot be opened.
    """
    present = [name for name in NAMES if is_file(folder / name)]
    for name in [FAST] if FAST in present else present:
        if (fault := _fault(folder / name)) is not None:
            return fault
    tokenizer = str(settings.get("tokenizer_class") or getattr(config, "tokenizer_class", None) or "")
    tokenizer = tokenizer.removesuffix("Fast") or _class_of(config.model_type)
    missing = [name for name in _of_class(tokenizer, settings) if not is_installed(name)]
    if missing:
        return _lacks(tokenizer, missing)
    vocabulary = next((name for name in present if name.endswith((".model", ".spm"))), None)
    if FAST in present or vocabulary is None:
        return None
    missing = [name for name in _of_vocabulary(folder / vocabulary) if not is_installed(name)]
    return Sentence(CONVERTIBLE.template, _lacks(vocabulary, missing)) if missing else None


def is_installed(package: str) -> bool:
    """Whether a package can be imported, by the name that pip knows it by; it is not imported."""
    try:
        return find_spec(MODULES.get(package, package.replace("-", "_"))) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        return False


def _class_of(model_type: str) -> str:
    return TOKENIZER_MAPPING_NAMES.get(model_type) or OF_MODEL.get(model_type, "")


def _fault(path: Path) -> Sentence | None:
    """What is wrong with a file that was fetched in part, or not at all."""
    with opened(path) as file:
        beginning = file.read(len(LFS_POINTER)).lstrip()
        file.seek(-min(ENDING, file.seek(0, os.SEEK_END)), os.SEEK_END)
        ending = file.read(ENDING).rstrip()
    if beginning.startswith(LFS_POINTER):
        return Sentence(
            "Its tokenizer cannot be read: {name} is a pointer of Git LFS, not the file itself. “git lfs pull” fetches "
            "it.",
            path.name,
        )
    if not beginning and path.name != "merges.txt":  # a vocabulary of bytes alone merges nothing
        return Sentence("Its tokenizer cannot be read: {name} is empty. Fetch it again.", path.name)
    if path.suffix == ".json" and not (beginning.startswith(b"{") and ending.endswith(b"}")):
        return Sentence("Its tokenizer cannot be read: {name} is truncated or not JSON. Fetch it again.", path.name)
    return None


def _of_class(tokenizer: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """The packages that a class of tokenizers imports when it is built, whatever the files."""
    yield from IMPORTED_WHEN_BUILT.get(tokenizer, ())
    if tokenizer != "BertJapaneseTokenizer":
        return
    words = settings.get("word_tokenizer_type", "basic") if settings.get("do_word_tokenize", True) else None
    for kind in (words, settings.get("subword_tokenizer_type")):
        yield from OF_JAPANESE.get(str(kind), ())
    if words == "mecab":
        own = settings.get("mecab_kwargs")
        dictionary = own.get("mecab_dic", DEFAULT_DICTIONARY) if isinstance(own, dict) else DEFAULT_DICTIONARY
        if isinstance(dictionary, str):
            yield dictionary.replace("_", "-")


def _of_vocabulary(path: Path) -> tuple[str, ...]:
    with opened(path) as file:
        return SENTENCEPIECE if file.read(len(PIECES)) == PIECES else TIKTOKEN


def _lacks(tokenizer: str, packages: Iterable[str]) -> Sentence:
    return Sentence(MISSING.template, tokenizer=tokenizer, packages=" ".join(packages))
