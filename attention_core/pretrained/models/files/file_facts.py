"""What a model folder's files say beside its shape: parameters, bytes, licence, chat template; refused models included.

Everything is read leniently: what is missing or damaged is None, and why a model cannot be used is said elsewhere.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from attention_core import foreign_files
from attention_core.foreign_files import ForeignFileError
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.folders import CHAT_TEMPLATE, CONFIG, weight_files
from attention_core.pretrained.models.files.model_files import read_json
from attention_core.pretrained.models.files.safetensors_header import read_headers

CARD = "README.md"
CARD_BYTES = 2**16
"""Read of a model card: its front matter comes first."""
LONGEST_LICENCE = 60
LICENCE = re.compile(r"^(license(?:_name)?):[ \t]*(?:\n[ \t]*-)?[ \t]*(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class FileFacts:
    """What is known before any weight is loaded; None for what the files do not say."""

    parameters: int | None = None
    """Numbers in the weight files."""
    size_bytes: int | None = None
    """Bytes of the weight files."""
    licence: str | None = None
    """As the model card names it, such as mit or apache-2.0."""
    architecture: str | None = None
    """The class that config.json names."""
    has_chat_template: bool = False


def file_facts(folder: Path) -> FileFacts:
    """Read configuration, model card and the headers of the weights."""
    parameters, size_bytes = _weights(folder)
    return FileFacts(parameters, size_bytes, _licence(folder), _architecture(folder), has_chat_template(folder))


def licence_of(card: str) -> str | None:
    """The licence that the YAML front matter of a model card names; of "other", the name given beside it."""
    if not card.startswith("---"):
        return None
    front = card[3:].partition("\n---")[0]
    fields = {name: value.strip().strip("'\"") for name, value in LICENCE.findall(front)}
    named = fields.get("license")
    licence = fields.get("license_name", named) if named == "other" else named
    return licence[:LONGEST_LICENCE] if licence and licence.isprintable() else None


def has_chat_template(folder: Path) -> bool:
    """Whether its tokenizer can write a conversation as the model was trained on."""
    if foreign_files.is_file(folder / CHAT_TEMPLATE):
        return True
    try:
        return bool(read_json(folder / "tokenizer_config.json").get("chat_template"))
    except ModelUnavailableError:
        return False


def _weights(folder: Path) -> tuple[int | None, int | None]:
    try:
        files = weight_files(folder)
    except ModelUnavailableError:
        return None, None
    states = [state for path in files if (state := foreign_files.state_of(path)) is not None]
    if len(states) < len(files):
        return None, None
    size_bytes = sum(size for size, _ in states)
    try:
        return sum(header.parameters for header in read_headers(files)), size_bytes
    except ModelUnavailableError:
        return None, size_bytes


def _licence(folder: Path) -> str | None:
    try:
        with foreign_files.opened(folder / CARD) as file:
            return licence_of(file.read(CARD_BYTES).decode("utf-8", "replace").replace("\r\n", "\n"))
    except ForeignFileError:
        return None


def _architecture(folder: Path) -> str | None:
    try:
        named = read_json(folder / CONFIG).get("architectures")
    except ModelUnavailableError:
        return None
    first = named[0] if isinstance(named, list) and named else None
    return first if isinstance(first, str) and first.isidentifier() else None
