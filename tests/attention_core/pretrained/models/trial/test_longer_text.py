"""The second text of a model's check: its length, and what only it can find."""

from pathlib import Path

import pytest
import tiny_models
import torch
from tiny_models import write_model_folder

from attention_core.masks import DenseMask, MaskRule
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.trial import longer_text
from attention_core.pretrained.recording import recorder
from attention_core.pretrained.recording.unwritten_mask import UnwrittenMask


def checked_tokens(directory: Path, name: str) -> int:
    check = Catalog(models_dir=directory, device="cpu", hub_models=()).load(name).entry.self_check
    assert check is not None
    return check.tokens


@pytest.mark.full("tiny-t5-320")
@pytest.mark.parametrize(("name", "tokens"), [("tiny-gpt2", 70), ("tiny-bert", 48), ("tiny-t5", 320)])
def test_it_is_long_as_far_as_the_model_takes_it(models_dir: Path, name: str, tokens: int) -> None:
    assert checked_tokens(models_dir, name) == tokens


def test_it_is_longer_than_the_widest_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, monkeypatch, sliding_window=400, max_position_embeddings=1000)
    assert checked_tokens(tmp_path, "tiny-mistral") == 416


@pytest.mark.parametrize(("limit", "tokens"), [("MOST_WORK", 100), ("MOST_CELLS", 100), ("MOST_WORK", 12)])
def test_its_cost_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, tokens: int) -> None:
    write(tmp_path, monkeypatch, sliding_window=400, max_position_embeddings=1000)
    model = Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("tiny-mistral").model
    multiplied = sum(each.numel() for name, each in model.named_parameters() if "embed" not in name)
    monkeypatch.setattr(longer_text, limit, tokens * multiplied if limit == "MOST_WORK" else 8 * tokens**2)
    assert checked_tokens(tmp_path, "tiny-mistral") == tokens


def test_a_window_that_is_ignored_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 12 tokens a window of 40 does nothing."""
    write(tmp_path, monkeypatch, sliding_window=40)

    def causal_alone(mask: UnwrittenMask) -> tuple[MaskRule, None]:
        return DenseMask(torch.ones(mask.rule.size[1:], dtype=torch.bool).tril()), None

    monkeypatch.setattr(recorder, "_split_mask", causal_alone)
    with pytest.raises(ModelUnavailableError, match=r"on 64 random tokens its weights differ"):
        Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("tiny-mistral")


def write(directory: Path, monkeypatch: pytest.MonkeyPatch, **options: int) -> None:
    make = tiny_models.CONFIGS["tiny-mistral"]

    def changed() -> object:
        config = make()
        config.update(options)
        return config

    monkeypatch.setitem(tiny_models.CONFIGS, "tiny-mistral", changed)
    write_model_folder(directory, "tiny-mistral")
