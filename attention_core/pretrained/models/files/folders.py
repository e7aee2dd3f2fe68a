"""Check that a model folder is complete, intact and of a supported kind, without loading it.

Folders are untrusted. Only JSON and the headers of safetensors files are read; nothing is unpickled and no code from
the folder is run.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PreTrainedConfig

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.files.adapters import Adapter
from attention_core.pretrained.models.files.model_files import (
    FOREIGN_WEIGHTS,
    SHARDED_WEIGHTS,
    SINGLE_WEIGHTS,
    only_foreign,
    read_json,
)
from attention_core.pretrained.models.files.safetensors_header import Header, read_header
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules, image_rules, vision_tower
from attention_core.pretrained.models.preprocessing.sound_rules import SoundRules, sound_rules
from attention_core.pretrained.models.support import Support, check_known, support_from
from attention_core.pretrained.models.text_towers import text_tower

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

CONFIG = "config.json"
CHAT_TEMPLATE = "chat_template.jinja"
"""File with the chat template, where that is not in tokenizer_config.json."""

PREPROCESSOR = "preprocessor_config.json"
"""File with the preprocessing of images or sounds."""

SAMPLES = 64
SAMPLE_BYTES = 4096


@dataclass(frozen=True)
class Inspection:
    """A folder that appears loadable from its files."""

    folder: Path
    config: PreTrainedConfig
    """Of the model, or of the part of it that is shown."""
    facts: ModelFacts
    float32_bytes: int
    """Memory of all weights in float32."""
    fingerprint: str
    """Hash of the content: the same on every machine with these files."""
    images: ImageRules | None = None
    """Preprocessing of an image model."""
    sounds: SoundRules | None = None
    """Preprocessing of an audio model."""
    adapter: Adapter | None = None
    """What is merged into the weights."""
    whole: PreTrainedConfig | None = None
    """Of a text part that is taken out of a model, the configuration of that model."""


SIGNED = frozenset({".json", ".safetensors", ".txt", ".model", ".spm", ".jinja", ".md"})
"""Suffixes of the files that say what a model is."""
Signature = tuple[tuple[str, int, int], ...]
"""Name, size and modification time of every relevant file."""


def signature(folder: Path) -> Signature:
    """Changes whenever the folder's files do, so that inspection results can be cached."""
    files = sorted(path for path in folder.iterdir() if path.suffix in SIGNED)
    stats = ((path.name, path.stat()) for path in files if path.is_file())
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@dataclass(frozen=True)
class Shape:
    """What the configuration alone says of a model of which something can be shown."""

    config: PreTrainedConfig
    facts: ModelFacts
    images: ImageRules | None
    sounds: SoundRules | None
    support: Support
    whole: PreTrainedConfig | None


def read_support(folder: Path) -> Support:
    """What can be shown of a model, whatever else its folder lacks. Never raises."""
    try:
        config = _read_config(folder)
        return support_from(config, _tokenizer_limit(_tokenizer_config(folder)))
    except ModelUnavailableError as error:
        return Support("refused", error.sentence)


def read_shape(folder: Path) -> Shape:
    """Read the configuration; neither tokenizer nor weights need be there.

    Raises ModelUnavailableError with the reason if it is missing, damaged or of an unsupported kind.
    """
    whole = _read_config(folder)
    support = support_from(whole, _tokenizer_limit(_tokenizer_config(folder)))
    facts = support.shown()
    config = text_tower(whole)
    with as_unavailable("{file} does not describe valid image preprocessing.", PREPROCESSOR):
        images = image_rules(config, _read_preprocessor(folder)) if facts.reads == "image" else None
    sounds = sound_rules(config, _read_preprocessor(folder)) if facts.reads == "sound" else None
    return Shape(config, facts, images, sounds, support, None if config is whole else whole)


def inspect_folder(folder: Path) -> Inspection:
    """Check a folder in transformers' format.

    Raises ModelUnavailableError with the reason if anything is missing, damaged or unsupported.
    """
    shape = read_shape(folder)
    config, facts, images = shape.config, shape.facts, shape.images
    is_written = facts.reads == "text" or facts.kind == "encoder_decoder"
    if is_written and not _has_tokenizer(folder, _tokenizer_config(folder)):
        raise ModelUnavailableError("It has no tokenizer: tokenizer.json or a vocabulary file is missing.")
    headers = [read_header(path) for path in weight_files(folder)]
    tensors = sum(header.tensors for header in headers)
    if facts.layers > tensors:
        raise ModelUnavailableError(
            "config.json gives {layers} layers, but there are only {tensors} weights.", facts.layers, tensors
        )
    return Inspection(
        folder=folder,
        config=config,
        facts=facts,
        float32_bytes=4 * sum(header.parameters for header in headers),
        fingerprint=_fingerprint(folder, headers),
        images=images,
        sounds=shape.sounds,
        whole=shape.whole,
    )


def is_whole(folder: Path) -> bool:
    """Whether configuration, tokenizer and weights are all present, whatever their content."""
    try:
        return (
            (folder / CONFIG).is_file()
            and bool(weight_files(folder))
            and (_has_tokenizer(folder, _tokenizer_config(folder)) or (folder / PREPROCESSOR).is_file())
        )
    except (ModelUnavailableError, OSError):
        return False


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model, one or many shards.

    Raises ModelUnavailableError if one is missing or if the weights are only in another format.
    """
    if (folder / SINGLE_WEIGHTS).is_file():
        return [folder / SINGLE_WEIGHTS]
    if (folder / SHARDED_WEIGHTS).is_file():
        return _shards(folder)
    foreign = sorted({path.name for pattern in FOREIGN_WEIGHTS for path in folder.glob(pattern)})
    if foreign:
        raise only_foreign(foreign[0])
    raise ModelUnavailableError("It has no weights: {file} is missing.", SINGLE_WEIGHTS)


def _read_config(folder: Path) -> PreTrainedConfig:
    if not (folder / CONFIG).is_file():
        if files := sorted(folder.glob("*.gguf")):
            raise only_foreign(files[0].name)
        raise ModelUnavailableError("It has no config.json, so it is not in transformers' format.")
    content = read_json(folder / CONFIG)
    if "auto_map" in _tokenizer_config(folder):
        raise ModelUnavailableError("It needs custom code (auto_map), and code from model folders is never run.")
    model_type = check_known(content)
    with as_unavailable("config.json does not fit the architecture {model_type}.", model_type):
        return vision_tower(AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False))


def _tokenizer_config(folder: Path) -> dict[str, Any]:
    path = folder / "tokenizer_config.json"
    return read_json(path) if path.is_file() else {}


def _read_preprocessor(folder: Path) -> dict[str, Any]:
    path = folder / PREPROCESSOR
    return read_json(path) if path.is_file() else {}


def _has_tokenizer(folder: Path, tokenizer_config: dict[str, Any]) -> bool:
    if str(tokenizer_config.get("tokenizer_class")) in TOKENIZERS_WITHOUT_FILES:
        return True
    return any(all((folder / name).is_file() for name in names) for names in TOKENIZER_FILES)


def _tokenizer_limit(tokenizer_config: dict[str, Any]) -> int | None:
    """The tokenizer's length limit; absurdly large values mean that it has none."""
    limit = tokenizer_config.get("model_max_length")
    return limit if isinstance(limit, int) and 0 < limit < 10**7 else None


def _shards(folder: Path) -> list[Path]:
    weight_map = read_json(folder / SHARDED_WEIGHTS).get("weight_map")
    names = set(weight_map.values()) if isinstance(weight_map, dict) else set()
    if not names or not all(isinstance(name, str) and Path(name).name == name for name in names):
        raise ModelUnavailableError("{file} has no valid weight_map.", SHARDED_WEIGHTS)
    missing = sorted(name for name in names if not (folder / name).is_file())
    if missing:
        raise ModelUnavailableError(
            "{missing} of its {count} weight files are missing, the first being {first}.",
            len(missing),
            len(names),
            missing[0],
        )
    return sorted(folder / name for name in names)


def _fingerprint(folder: Path, headers: list[Header]) -> str:
    """SHA-256 of configuration, tokenizer, weight headers and evenly spread samples of the weights.

    Two training runs of one architecture differ in every sample, so hashing gigabytes at every start is unnecessary.
    """
    digest = hashlib.sha256()
    names = {CONFIG, PREPROCESSOR}.union(*TOKENIZER_FILES)
    fingerprint_files(digest, sorted(folder / name for name in names), headers)
    return digest.hexdigest()


def fingerprint_files(digest: "hashlib._Hash", small: Iterable[Path], headers: Iterable[Header]) -> None:
    """Add small files in whole, as far as they are there, and of weights the header and samples."""
    for path in small:
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for header in headers:
        digest.update(header.digest.encode())
        size = header.path.stat().st_size
        with header.path.open("rb") as file:
            for index in range(SAMPLES):
                file.seek(size * index // SAMPLES)
                digest.update(file.read(SAMPLE_BYTES))
