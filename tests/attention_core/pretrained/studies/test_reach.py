"""The command that measures a model's folder: its table, its sentence, its exit code."""

from pathlib import Path

import pytest
import torch
import transformers
from tiny_models import CONFIGS, write_model_folder

from attention_core.pretrained.studies.reach import kind_of, model_reach
from server.command import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["reach", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name in ("tiny-llama", "tiny-mistral", "tiny-t5"):
        write_model_folder(tmp_path, name)
    return tmp_path


@pytest.mark.full
def test_a_right_model_in_all_cases(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(folders / "tiny-llama"), "--packed", "--padded", "--cached", "--tokens", "12") == 0
    said = capsys.readouterr().out.splitlines()
    heads = ["plain", "packed", "padded", "cached"]
    assert [line for line in said if "positions" in line] == [f"{each}: 12 positions, bit for bit" for each in heads]
    assert said.count("Everything is as allowed.") == 4
    row = next(line.split() for line in said if line.startswith("model.layers.1"))
    assert row == ["model.layers.1", "78", "0", "0", "78"]


@pytest.mark.full
def test_windows_widen_and_both_parts_are_measured(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(folders / "tiny-mistral"), "--tokens", "16") == 0
    said = capsys.readouterr().out
    assert [line.split()[1] for line in said.splitlines() if line.startswith("model.layers")] == ["70", "108"]
    assert run(str(folders / "tiny-t5"), "--cached", "--tokens", "9") == 0
    said = capsys.readouterr().out
    assert [said.count(f"{part}: 9 positions") for part in ("encoder", "decoder", "cached")] == [1, 1, 1]


@pytest.mark.full
def test_a_leak_is_a_sentence_and_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that was trained to see everything, given as one that generates."""
    folder = tmp_path / "seeing"
    config = transformers.BertConfig(
        vocab_size=90, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    assert run(str(folder), "--tokens", "8", "--sees", "causal") == 1
    said = capsys.readouterr().out
    assert "Position 0 is reached by position 1 from layer 0 on, through attention." in said
    assert run(str(folder), "--tokens", "8") == 0


@pytest.mark.full
def test_packed_documents_that_the_library_does_not_tell_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Falcon's mask is made without position ids, in the release that is pinned here."""
    config = transformers.FalconConfig(vocab_size=90, hidden_size=16, num_hidden_layers=2, num_attention_heads=2)
    transformers.FalconForCausalLM(config).save_pretrained(tmp_path / "falcon")
    assert run(str(tmp_path / "falcon"), "--tokens", "10", "--packed") == 1
    said = capsys.readouterr().out
    assert "Position 4 is reached by position 3 from layer 0 on, through attention." in said
    assert "is not what its document alone has" in said


@pytest.mark.full
def test_what_cannot_be_measured_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(tmp_path / "none")) == 2
    (tmp_path / "config.json").write_text('{"model_type": "llama", "architectures": ["NoSuchClass"]}')
    assert run(str(tmp_path)) == 2
    assert "transformers has no class 'NoSuchClass'" in capsys.readouterr().err
    write_model_folder(tmp_path, "tiny-llama")
    assert run(str(tmp_path / "tiny-llama"), "--tokens", "4") == 2
    assert "tokens must be at least 8, not 4" in capsys.readouterr().err


def test_what_a_model_may_see_follows_from_its_kind() -> None:
    classes = {"tiny-llama": "LlamaModel", "tiny-gpt2": "GPT2LMHeadModel", "tiny-bert": "BertModel"}
    with torch.device("meta"):
        models = {name: getattr(transformers, each)(CONFIGS[name]()) for name, each in classes.items()}
    kinds = {name: kind_of(model) for name, model in models.items()}
    assert kinds == {"tiny-llama": "causal", "tiny-gpt2": "causal", "tiny-bert": "all"}
    with pytest.raises(ValueError, match="tokens must be at least 8, not 7"):
        model_reach(models["tiny-llama"], tokens=7)
