"""Names of the files of a model folder, how large each may be, and reading its JSON files."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from attention_core import foreign_files
from attention_core.foreign_files import ForeignFileError
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.refusal import Sentence

SINGLE_WEIGHTS = "model.safetensors"
GGUF_REFUSED = Sentence(
    "Its weights are a GGUF file ({file}), which is not read here. Put the folder of the original model here, or "
    "convert the file where gguf and accelerate are installed: AutoModelForCausalLM.from_pretrained(folder, "
    "gguf_file=…, quantization_config=GgufConfig(dequantize=True)), then save_pretrained; and the tokenizer with "
    "AutoTokenizer.from_pretrained(folder, gguf_file=…)."
)
SHARDED_WEIGHTS = "model.safetensors.index.json"
FOREIGN_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.gguf", "*.ot")
UNREAD_BY_LIBRARY = (".h5", ".msgpack")
TEMPLATES = "additional_chat_templates"
"""A folder inside the model's folder, of which the library reads every template."""
READ_BY_LIBRARY = re.compile(
    r"(config|generation_config|special_tokens_map|added_tokens|tekken|emoji|normalizer|byte_maps)\.json"
    r"|(processor_config|preprocessor_config|word_shape|word_pronunciation|entity_vocab|target_vocab)\.json"
    r"|tokenizer.*\.json|vocab(-src|-tgt)?\.json|.*\.index\.json|(vocab|merges|dict)\.txt|bpe\.codes"
    r"|.*\.(model|spm|jinja|tokenizer)"
)
"""Names of the files, weights aside, that the library looks for in a folder."""

MAX_BYTES: Mapping[str, int] = {
    **dict.fromkeys(("config.json", "generation_config.json"), 4 * 2**20),
    **dict.fromkeys(("preprocessor_config.json", "processor_config.json"), 4 * 2**20),
    **dict.fromkeys(("adapter_config.json", "tokenizer_config.json", "special_tokens_map.json"), 8 * 2**20),
    ".json": 64 * 2**20,
    **dict.fromkeys((".txt", ".model", ".spm", ".codes", ".tokenizer"), 32 * 2**20),
    ".jinja": 2**20,
}
"""How much is read of a file of this name, else of this suffix, at most.

The largest files published take about half of it: the tokenizer.json of 262,000 tokens 33 MB, a SentencePiece model
5 MB, a config.json with 21,000 classes 2 MB. It is the reader's memory that is bounded: parsed, they take ten times
as much.
"""


def only_foreign(name: str) -> ModelUnavailableError:
    """What to raise for weights in another format."""
    if name.endswith(".gguf"):
        return ModelUnavailableError(GGUF_REFUSED.template, name)
    if name.endswith(UNREAD_BY_LIBRARY):
        return ModelUnavailableError(
            "Its weights are those of TensorFlow or Flax ({foreign}), which transformers no longer reads. Put a folder "
            "with safetensors of the same model here, or convert it with transformers 4, which does: "
            "from_pretrained(folder, from_tf=True), for Flax from_flax=True, then save_pretrained.",
            name,
        )
    return ModelUnavailableError(
        "Its weights are not in safetensors format ({foreign}), and only that format is read: the others can run "
        "code. Convert them where you trust them: from_pretrained(folder), then save_pretrained, which writes it.",
        name,
    )


def read_json(path: Path) -> dict[str, Any]:
    """Parse a JSON object from a file; ModelUnavailableError names the file and the problem."""
    raw = read_bytes(path)
    try:
        content = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelUnavailableError("{name} is not valid JSON.", path.name) from error
    if not isinstance(content, dict):
        raise ModelUnavailableError("{name} is not a JSON object.", path.name)
    return content


def read_bytes(path: Path) -> bytes:
    """A whole file of a model folder, weights aside. Raises ModelUnavailableError with the reason."""
    with unavailable():
        return foreign_files.read(path, most_bytes(path))


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A file of weights, of any size. Raises ModelUnavailableError with the reason."""
    with unavailable(), foreign_files.opened(path) as file:
        yield file


def entries(folder: Path) -> list[Path]:
    """What is in a model's folder, sorted. Raises ModelUnavailableError with the reason."""
    with unavailable():
        return foreign_files.entries(folder)


def for_library(path: Path) -> Path:
    """A file of weights, or a model's folder, that the library opens by itself.

    Raises ModelUnavailableError if something that it might read there is no regular file, or too large.
    """
    with unavailable():
        if not foreign_files.is_folder(path):
            return foreign_files.checked(path)
        inside = foreign_files.entries(path)
        if foreign_files.is_folder(path / TEMPLATES):
            inside += foreign_files.entries(path / TEMPLATES)
        for each in inside:
            if READ_BY_LIBRARY.fullmatch(each.name) and not foreign_files.is_folder(each):
                foreign_files.checked(each, most_bytes(each))
    return path


def most_bytes(path: Path) -> int:
    """How much of a file is read at most."""
    return MAX_BYTES.get(path.name, MAX_BYTES.get(path.suffix, MAX_BYTES[".json"]))


@contextmanager
def unavailable() -> Iterator[None]:
    """Raise why a file cannot be read as the reason why its model is not available."""
    try:
        yield
    except ForeignFileError as error:
        raise ModelUnavailableError(error.sentence) from error
