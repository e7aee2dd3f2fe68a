"""The list of models says why a tokenizer cannot be read, and what to do, before anyone loads it."""

import json
import shutil
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.files import tokenizer_files

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 466062\n"
PROTO = b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"
JAPANESE = {"tokenizer_class": "BertJapaneseTokenizer", "subword_tokenizer_type": "wordpiece"}
Installed = Callable[..., None]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Pretend that of all packages these alone are there."""

    def only(*modules: str) -> None:
        found = {name: ModuleSpec(name, None) for name in modules}
        monkeypatch.setattr(tokenizer_files, "find_spec", found.get)

    return only


@pytest.fixture
def folder(tmp_path: Path, models_dir: Path) -> Path:
    return Path(shutil.copytree(models_dir / "tiny-llama", tmp_path / "models" / "tiny-llama"))


def reason(folder: Path, files: dict[str, Any]) -> str | None:
    """What the list says of a model with these files for a tokenizer."""
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink(missing_ok=True)
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(raw)
    [entry] = [each for each in Catalog(models_dir=folder.parent, hub_models=(), device="cpu").entries()
               if each.id == folder.name]  # fmt: skip
    assert entry.available == (entry.reason is None)
    return None if entry.reason is None else str(entry.reason)


@pytest.mark.parametrize("name", ["tokenizer.model", "spiece.model", "sentencepiece.bpe.model"])
def test_a_sentencepiece_model_alone(folder: Path, installed: Installed, name: str) -> None:
    installed("google.protobuf")
    assert reason(folder, {name: PROTO}) == (
        f"Its tokenizer ({name}) needs packages that are not installed here. Install them with "
        "“pip install sentencepiece” and restart the server. Or add a tokenizer.json, which needs none of them: where "
        "they are installed, AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes it."
    )


def test_what_is_installed_is_not_missing(folder: Path, installed: Installed) -> None:
    installed("google.protobuf", "sentencepiece")
    assert reason(folder, {"tokenizer.model": PROTO}) is None


def test_a_tokenizer_json_needs_no_package(folder: Path, installed: Installed) -> None:
    installed()
    whole = (folder / "tokenizer.json").read_text()
    assert reason(folder, {"tokenizer.model": PROTO, "tokenizer.json": whole}) is None


@pytest.mark.parametrize(
    ("settings", "packages"),
    [
        ({**JAPANESE, "word_tokenizer_type": "mecab"}, "fugashi unidic-lite"),
        ({**JAPANESE, "word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_dic": "ipadic"}}, "fugashi ipadic"),
        ({**JAPANESE, "word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_dic": None}}, "fugashi"),
        ({**JAPANESE, "word_tokenizer_type": "sudachi"}, "sudachipy sudachidict-core"),
        ({**JAPANESE, "word_tokenizer_type": "jumanpp"}, "rhoknp"),
        ({**JAPANESE, "word_tokenizer_type": "mecab", "do_word_tokenize": False}, None),
        ({**JAPANESE, "word_tokenizer_type": "basic"}, None),
        ({"tokenizer_class": "XLMTokenizer"}, "sacremoses"),
        ({"tokenizer_class": "MarianTokenizer"}, "sentencepiece"),
        ({"tokenizer_class": "RoFormerTokenizerFast"}, "rjieba"),
    ],
)
def test_packages_of_tokenizers_written_in_python(
    folder: Path, installed: Installed, settings: dict[str, Any], packages: str | None
) -> None:
    installed()
    found = reason(folder, {"vocab.txt": "[UNK]\na\n", "tokenizer_config.json": json.dumps(settings)})
    if packages is None:
        assert found is None
    else:
        assert found is not None
        assert f"“pip install {packages}”" in found
        assert "tokenizer.json" not in found


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tokenizer.json", POINTER, "tokenizer.json is a pointer of Git LFS, not the file itself"),
        ("vocab.txt", POINTER, "vocab.txt is a pointer of Git LFS"),
        ("tokenizer.model", POINTER, "tokenizer.model is a pointer of Git LFS"),
        ("tokenizer.json", '{"version": "1.0", "model": {"vocab": {"a"', "tokenizer.json is truncated or not JSON"),
        ("tokenizer.json", "<html>{}</html>", "tokenizer.json is truncated or not JSON"),
        ("vocab.txt", "", "vocab.txt is empty"),
    ],
)
def test_files_that_were_fetched_in_part(folder: Path, name: str, content: str, said: str) -> None:
    found = reason(folder, {name: content})
    assert found is not None
    assert found.startswith(f"Its tokenizer cannot be read: {said}")


def test_packages_by_the_names_that_pip_knows() -> None:
    assert tokenizer_files.is_installed("torch")
    assert not tokenizer_files.is_installed("no-such-package")
    assert not tokenizer_files.is_installed("no_such.package")
