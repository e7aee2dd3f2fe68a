"""Check that a model folder is complete, intact and of a supported kind, without loading it.

Folders are untrusted. Only JSON and the headers of safetensors files are read; nothing is unpickled and no code from
the folder is run.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedConfig

from attention_core import foreign_files
from attention_core.foreign_files import is_file, is_there
from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.files.adapters import Adapter
from attention_core.pretrained.models.files.model_files import (
    FOREIGN_WEIGHTS,
    SHARDED_WEIGHTS,
    SINGLE_WEIGHTS,
    entries,
    for_library,
    only_foreign,
    opened,
    read_bytes,
    read_json,
)
from attention_core.pretrained.models.files.safetensors_header import Header, read_headers
from attention_core.pretrained.models.files.stored_numbers import check_numbers
from attention_core.pretrained.models.files.tokenizer_files import (
    TOKENIZER_FILES,
    check_regular,
    has_tokenizer,
    why_unreadable,
)
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules, image_rules
from attention_core.pretrained.models.preprocessing.sound_rules import SoundRules, sound_rules
from attention_core.pretrained.models.support import Support, config_from_json, support_from
from attention_core.pretrained.models.text_towers import text_tower
from attention_core.refusal import Sentence

CONFIG = "config.json"
CHAT_TEMPLATE = "chat_template.jinja"
"""File with the chat template, where that is not in tokenizer_config.json."""

PREPROCESSOR = "preprocessor_config.json"
PROCESSOR = "processor_config.json"
IMAGE_PARTS = ("image_processor",)
SOUND_PARTS = ("feature_extractor", "audio_processor")
"""What processor_config.json calls the settings that are otherwise in preprocessor_config.json."""
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
    caveats: tuple[Sentence, ...] = ()
    """What is to be said of its files, which can be read."""


SIGNED = frozenset({".json", ".safetensors", ".txt", ".model", ".spm", ".jinja", ".md"})
"""Suffixes of the files that say what a model is."""
Signature = tuple[tuple[str, int, int], ...]
"""Name, size and modification time of every relevant file."""


def signature(folder: Path) -> Signature:
    """Changes whenever the folder's files do, so that inspection results can be cached.

    Raises ModelUnavailableError if the folder cannot be read.
    """
    return tuple((path.name, *foreign_files.trace_of(path)) for path in entries(folder) if path.suffix in SIGNED)


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
        images = image_rules(config, _read_preprocessor(folder, IMAGE_PARTS)) if facts.reads == "image" else None
    sounds = sound_rules(config, _read_preprocessor(folder, SOUND_PARTS)) if facts.reads == "sound" else None
    return Shape(config, facts, images, sounds, support, None if config is whole else whole)


def inspect_folder(folder: Path) -> Inspection:
    """Check a folder in transformers' format.

    Raises ModelUnavailableError with the reason if anything is missing, damaged or unsupported.
    """
    for_library(folder)
    shape = read_shape(folder)
    config, facts, images = shape.config, shape.facts, shape.images
    is_written = facts.reads == "text" or facts.kind == "encoder_decoder"
    if is_written:
        _check_tokenizer(folder, shape.whole or config)
    headers = read_headers(weight_files(folder))
    tensors = sum(header.tensors for header in headers)
    if facts.layers > tensors:
        raise ModelUnavailableError(
            "config.json gives {layers} layers, but there are only {tensors} weights.", facts.layers, tensors
        )
    caveats = check_numbers(headers)
    return Inspection(
        folder=folder,
        config=config,
        facts=facts,
        float32_bytes=4 * sum(header.parameters for header in headers),
        fingerprint=_fingerprint(folder, headers),
        images=images,
        sounds=shape.sounds,
        whole=shape.whole,
        caveats=caveats,
    )


def is_whole(folder: Path) -> bool:
    """Whether configuration, tokenizer and weights are all present, whatever their content."""
    try:
        return (
            is_file(folder / CONFIG)
            and all(map(is_file, weight_files(folder)))
            and (
                has_tokenizer(folder, _tokenizer_config(folder))
                or is_file(folder / PREPROCESSOR)
                or is_file(folder / PROCESSOR)
            )
        )
    except ModelUnavailableError:
        return False


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model, one or many shards.

    Raises ModelUnavailableError if one is missing or if the weights are only in another format.
    """
    if is_there(folder / SINGLE_WEIGHTS):
        return [folder / SINGLE_WEIGHTS]
    if is_there(folder / SHARDED_WEIGHTS):
        return _shards(folder)
    foreign = [path.name for path in entries(folder) if f"*{path.suffix}" in FOREIGN_WEIGHTS]
    if foreign:
        raise only_foreign(foreign[0])
    raise ModelUnavailableError("It has no weights: {file} is missing.", SINGLE_WEIGHTS)


def _read_config(folder: Path) -> PreTrainedConfig:
    if not is_there(folder / CONFIG):
        if files := [path for path in entries(folder) if path.suffix == ".gguf"]:
            raise only_foreign(files[0].name)
        raise ModelUnavailableError("It has no config.json, so it is not in transformers' format.")
    content = read_json(folder / CONFIG)
    if "auto_map" in _tokenizer_config(folder):
        raise ModelUnavailableError("It needs custom code (auto_map), and code from model folders is never run.")
    return config_from_json(content)


def _tokenizer_config(folder: Path) -> dict[str, Any]:
    path = folder / "tokenizer_config.json"
    return read_json(path) if is_there(path) else {}


def _read_preprocessor(folder: Path, parts: Iterable[str]) -> dict[str, Any] | None:
    """The settings of one kind of preprocessing, which processor_config.json may hold as a part; None if none are."""
    path = folder / PROCESSOR
    whole = read_json(path) if is_there(path) else {}
    for part in parts:
        if isinstance(whole.get(part), dict):
            return dict(whole[part])
    path = folder / PREPROCESSOR
    return read_json(path) if is_there(path) else None


def _check_tokenizer(folder: Path, config: PreTrainedConfig) -> None:
    """Raise ModelUnavailableError with the reason if there is no tokenizer, or one that cannot be read."""
    settings = _tokenizer_config(folder)
    if not has_tokenizer(folder, settings):
        check_regular(folder)
        raise ModelUnavailableError("It has no tokenizer: tokenizer.json or a vocabulary file is missing.")
    if (reason := why_unreadable(folder, settings, config)) is not None:
        raise ModelUnavailableError(reason)


def _tokenizer_limit(tokenizer_config: dict[str, Any]) -> int | None:
    """The tokenizer's length limit; absurdly large values mean that it has none."""
    limit = tokenizer_config.get("model_max_length")
    return limit if isinstance(limit, int) and 0 < limit < 10**7 else None


def _shards(folder: Path) -> list[Path]:
    weight_map = read_json(folder / SHARDED_WEIGHTS).get("weight_map")
    names = set(weight_map.values()) if isinstance(weight_map, dict) else set()
    if not names or not all(isinstance(name, str) and Path(name).name == name for name in names):
        raise ModelUnavailableError("{file} has no valid weight_map.", SHARDED_WEIGHTS)
    missing = sorted(name for name in names if not is_there(folder / name))
    if missing:
        raise ModelUnavailableError(
            "{missing} of its {count} weight files are missing, the first being {first}.",
            len(missing),
            len(names),
            foreign_files.shown(missing[0]),
        )
    return sorted(folder / name for name in names)


def _fingerprint(folder: Path, headers: list[Header]) -> str:
    """SHA-256 of configuration, tokenizer, weight headers and evenly spread samples of the weights.

    Two training runs of one architecture differ in every sample, so hashing gigabytes at every start is unnecessary.
    """
    digest = hashlib.sha256()
    names = {CONFIG, PREPROCESSOR, PROCESSOR}.union(*TOKENIZER_FILES)
    fingerprint_files(digest, sorted(folder / name for name in names), headers)
    return digest.hexdigest()


def fingerprint_files(digest: "hashlib._Hash", small: Iterable[Path], headers: Iterable[Header]) -> None:
    """Add small files in whole, as far as they are there, and of weights the header and samples."""
    for path in small:
        if is_there(path):
            digest.update(path.name.encode() + b"\0" + read_bytes(path))
    for header in headers:
        digest.update(header.digest.encode())
        with opened(header.path) as file:
            size = os.fstat(file.fileno()).st_size
            for index in range(SAMPLES):
                file.seek(size * index // SAMPLES)
                digest.update(file.read(SAMPLE_BYTES))
