"""Facts of a model folder's files, against the library's own readers."""

import json
import shutil
from pathlib import Path

import pytest
from huggingface_hub.repocard import ModelCard
from safetensors.numpy import load_file

from attention_core.pretrained.models.files.file_facts import FileFacts, file_facts, licence_of


def test_parameters_bytes_licence_and_template_of_a_folder(tmp_path: Path, models_dir: Path) -> None:
    folder = Path(shutil.copytree(models_dir / "tiny-llama", tmp_path / "model"))
    numbers = sum(each.size for each in load_file(folder / "model.safetensors").values())
    size = (folder / "model.safetensors").stat().st_size
    assert file_facts(folder) == FileFacts(numbers, size, None, "LlamaForCausalLM", False)
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# license: none\n")
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert file_facts(folder) == FileFacts(numbers, size, "apache-2.0", "LlamaForCausalLM", True)
    (folder / "chat_template.jinja").unlink()
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"chat_template": "{{ messages }}"}))
    assert file_facts(folder).has_chat_template


def test_what_is_damaged_is_unknown(tmp_path: Path) -> None:
    assert file_facts(tmp_path) == FileFacts()
    for name, content in {"config.json": "[", "tokenizer_config.json": "{", "model.safetensors": "no header"}.items():
        (tmp_path / name).write_text(content)
    assert file_facts(tmp_path) == FileFacts(size_bytes=9)
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["<b>"]}))
    assert file_facts(tmp_path).architecture is None


@pytest.mark.parametrize(
    ("front", "licence"),
    [
        ("license: mit", "mit"),
        ("tags:\n- x\nlicense:\n- apache-2.0\nlicense_link: y", "apache-2.0"),
        ('license: "cc-by-4.0"', "cc-by-4.0"),
        ("license: other\nlicense_name: gemma", "gemma"),
        ("license: other", "other"),
        ("language: en", None),
    ],
)
def test_licences_as_the_hub_reads_them(front: str, licence: str | None) -> None:
    card = f"---\n{front}\n---\n\nlicense: in the text\n"
    assert licence_of(card) == licence
    read = vars(ModelCard(card, ignore_metadata_errors=True).data)
    named = read.get("license_name") or read.get("license")
    assert (named[0] if isinstance(named, list) else named) == licence
    assert licence_of(card.removeprefix("---\n")) is None
