"""Files of model folders: which the library reads, and how much of each."""

import os
import re
from pathlib import Path

import pytest
import transformers
from transformers.quantizers.auto import get_hf_quantizer

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.model_files import (
    GGUF_REFUSED,
    READ_BY_LIBRARY,
    for_library,
    most_bytes,
    only_foreign,
    read_json,
)

NAMED = re.compile(r"VOCAB_FILES_NAMES\s*=\s*\{([^}]*)\}")


def test_every_vocabulary_that_a_tokenizer_of_the_library_looks_for_is_checked() -> None:
    sources = Path(transformers.__file__).parent.glob("models/*/tokenization_*.py")
    found = {
        name
        for source in sources
        for table in NAMED.findall(source.read_text("utf-8"))
        for name in re.findall(r':\s*"([^"]+)"', table)
    }
    assert {"vocab.txt", "spiece.model", "tokenizer.json", "merges.txt"} <= found
    assert [name for name in sorted(found) if not READ_BY_LIBRARY.fullmatch(name)] == []


@pytest.mark.parametrize("name", ["config.json", "tokenizer.4.0.json", "spiece.model", "bpe.codes", "chat.jinja"])
def test_a_file_that_the_library_would_open_is_regular_and_of_bounded_size(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"{}")
    assert for_library(tmp_path) == tmp_path
    with path.open("wb") as file:
        file.truncate(most_bytes(path) + 1)
    with pytest.raises(ModelUnavailableError, match=f"{name} is larger than {most_bytes(path)} bytes"):
        for_library(tmp_path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ModelUnavailableError, match=f"{name} is a named pipe"):
        for_library(tmp_path)


def test_so_is_every_chat_template_beside_it_and_nothing_else(tmp_path: Path) -> None:
    inside = tmp_path / "additional_chat_templates"
    inside.mkdir()
    with (tmp_path / "train.txt").open("wb") as file:
        file.truncate(2**33)
    os.mkfifo(tmp_path / "pipe")
    assert for_library(tmp_path) == tmp_path
    os.mkfifo(inside / "tools.jinja")
    with pytest.raises(ModelUnavailableError, match=r"tools\.jinja is a named pipe"):
        for_library(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff{}", b"[]", b"1" * 5_000, b""])
def test_what_is_no_json_object_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=r"^config\.json is not (valid JSON|a JSON object)\.$"):
        read_json(tmp_path / "config.json")


@pytest.mark.parametrize("source", ["the refusal", "docs/folders.md"])
def test_the_way_out_for_gguf_files_ends_in_a_folder(root: Path, tmp_path: Path, source: str) -> None:
    """As far as it goes without the packages that read GGUF files: what is named unpacks the weights to be saved."""
    text = GGUF_REFUSED.template if source == "the refusal" else (root / source).read_text("utf-8")
    (named,) = re.findall(r"GgufConfig\([^)]*\)", text)
    settings = eval(named, {"GgufConfig": transformers.GgufConfig})  # noqa: S307 - our own text
    for given, is_saved in ((settings, True), (None, False)):
        config = transformers.GPT2Config(vocab_size=8, n_embd=4, n_layer=1, n_head=1)
        quantizer, config, _ = get_hf_quantizer(config, given, None, True, {}, gguf_file="model.gguf")
        model = transformers.GPT2LMHeadModel(config)
        model.hf_quantizer = quantizer
        quantizer.postprocess_model(model)
        if is_saved:
            model.save_pretrained(tmp_path)
            assert "quantization_config" not in read_json(tmp_path / "config.json")
        else:
            with pytest.raises(ValueError, match="not serializable"):
                model.save_pretrained(tmp_path)


def test_what_the_library_no_longer_reads_is_not_said_to_be_converted_by_it() -> None:
    for name in ("tf_model.h5", "flax_model.msgpack"):
        assert f"({name}), which transformers no longer reads" in str(only_foreign(name))
    for name in ("pytorch_model.bin", "adapter_model.bin", "model.ckpt"):
        assert f"({name}), and only that format is read" in str(only_foreign(name))
