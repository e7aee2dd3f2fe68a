"""Check that a model folder is complete, intact and of a supported kind, without loading it.

Folders are untrusted. Only JSON and the headers of safetensors files are read; nothing is unpickled and no code from
the folder is run.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PreTrainedConfig

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.image_rules import ImageRules, image_rules, vision_tower
from attention_core.pretrained.models.support import Support, check_known, support_from

MAX_JSON_BYTES = 64 * 2**20
"""The index of a model with many shards takes a few megabytes; a configuration a few kilobytes."""

MAX_HEADER_BYTES = 100 * 2**20
"""Limit of the safetensors format itself."""

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
"""File with the image preprocessing."""

SINGLE_WEIGHTS = "model.safetensors"
SHARDED_WEIGHTS = "model.safetensors.index.json"
FOREIGN_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.gguf", "*.ot")
SAMPLES = 64
SAMPLE_BYTES = 4096


@dataclass(frozen=True)
class Inspection:
    """A folder that appears loadable from its files."""

    folder: Path
    config: PreTrainedConfig
    facts: ModelFacts
    float32_bytes: int
    """Memory of all weights in float32."""
    fingerprint: str
    """Hash of the content: the same on every machine with these files."""
    images: ImageRules | None = None
    """Preprocessing of an image model."""


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
    support: Support


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
    config = _read_config(folder)
    support = support_from(config, _tokenizer_limit(_tokenizer_config(folder)))
    facts = support.shown()
    with as_unavailable("{file} does not describe valid image preprocessing.", PREPROCESSOR):
        images = image_rules(config, _read_preprocessor(folder)) if facts.reads == "image" else None
    return Shape(config, facts, images, support)


def inspect_folder(folder: Path) -> Inspection:
    """Check a folder in transformers' format.

    Raises ModelUnavailableError with the reason if anything is missing, damaged or unsupported.
    """
    shape = read_shape(folder)
    config, facts, images = shape.config, shape.facts, shape.images
    if images is None and not _has_tokenizer(folder, _tokenizer_config(folder)):
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
        raise ModelUnavailableError(
            "Its weights are not in safetensors format ({foreign}), and only that format is read: the "
            "others can run code. Convert them with save_pretrained(safe_serialization=True).",
            foreign[0],
        )
    raise ModelUnavailableError("It has no weights: {file} is missing.", SINGLE_WEIGHTS)


def read_json(path: Path) -> dict[str, Any]:
    """Parse a JSON object from a file; ModelUnavailableError names the file and the problem."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise ModelUnavailableError("{name} is larger than {max_json_bytes} bytes.", path.name, MAX_JSON_BYTES)
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelUnavailableError("{name} cannot be read.", path.name) from error
    except (ValueError, RecursionError) as error:
        raise ModelUnavailableError("{name} is not valid JSON.", path.name) from error
    if not isinstance(content, dict):
        raise ModelUnavailableError("{name} is not a JSON object.", path.name)
    return content


def _read_config(folder: Path) -> PreTrainedConfig:
    if not (folder / CONFIG).is_file():
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


@dataclass(frozen=True)
class Header:
    """The header of a safetensors file."""

    path: Path
    digest: str
    tensors: int
    parameters: int


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


def read_header(path: Path) -> Header:
    """Header of a safetensors file: 8 bytes of length, JSON, then exactly the bytes the JSON names.

    Raises ModelUnavailableError if the file is anything else.
    """
    broken = ModelUnavailableError("{name} is truncated or not a safetensors file.", path.name)
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(MAX_HEADER_BYTES, size - 8):
            raise broken
        raw = file.read(length)
    try:
        tensors = {name: entry for name, entry in json.loads(raw).items() if name != "__metadata__"}
        end = max((int(entry["data_offsets"][1]) for entry in tensors.values()), default=0)
        parameters = sum(math.prod(entry["shape"]) for entry in tensors.values())
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise broken from error
    if 8 + length + end != size:
        raise broken
    return Header(path, hashlib.sha256(raw).hexdigest(), len(tensors), int(parameters))


def _fingerprint(folder: Path, headers: list[Header]) -> str:
    """SHA-256 of configuration, tokenizer, weight headers and evenly spread samples of the weights.

    Two training runs of one architecture differ in every sample, so hashing gigabytes at every start is unnecessary.
    """
    digest = hashlib.sha256()
    names = {CONFIG, PREPROCESSOR}.union(*TOKENIZER_FILES)
    for path in sorted(folder / name for name in names):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for header in headers:
        digest.update(header.digest.encode())
        size = header.path.stat().st_size
        with header.path.open("rb") as file:
            for index in range(SAMPLES):
                file.seek(size * index // SAMPLES)
                digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()
