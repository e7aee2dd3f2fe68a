"""Names of the files of a model folder that hold weights, and reading its JSON files."""

import json
from pathlib import Path
from typing import Any

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.refusal import Sentence

SINGLE_WEIGHTS = "model.safetensors"
GGUF_REFUSED = Sentence(
    "Its weights are a GGUF file ({file}), which is not read here. Put the folder of the original model here, or "
    "convert the file where gguf and accelerate are installed: AutoModelForCausalLM.from_pretrained(folder, "
    "gguf_file=…), then save_pretrained; the tokenizer likewise."
)
SHARDED_WEIGHTS = "model.safetensors.index.json"
FOREIGN_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.gguf", "*.ot")
MAX_JSON_BYTES = 64 * 2**20
"""The index of a model with many shards takes a few megabytes; a configuration a few kilobytes."""


def only_foreign(name: str) -> ModelUnavailableError:
    """What to raise for weights in another format."""
    if name.endswith(".gguf"):
        return ModelUnavailableError(GGUF_REFUSED.template, name)
    return ModelUnavailableError(
        "Its weights are not in safetensors format ({foreign}), and only that format is read: the "
        "others can run code. Convert them with save_pretrained(safe_serialization=True).",
        name,
    )


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
