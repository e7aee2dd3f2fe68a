"""The self-check of models: what passes, what is refused, and when it runs."""

from pathlib import Path

import pytest
import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.trial import self_check
from attention_core.pretrained.recording import recorder
from attention_core.pretrained.recording.parity import BOUND, LARGEST_BOUND
from attention_core.pretrained.recording.recorder import IMPLEMENTATION

IDS = torch.randint(3, 50, (1, 12), generator=torch.Generator().manual_seed(4))


def build(std: float) -> PreTrainedModel:
    config = transformers.GPT2Config(vocab_size=50, n_layer=3, n_head=4, n_embd=32, n_positions=32)
    model = transformers.GPT2Model._from_config(config, attn_implementation=IMPLEMENTATION).eval()
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim == 2:
            parameter.data.normal_(std=std, generator=generator)
    return model


@pytest.mark.parametrize("std", [0.02, 0.3, 1.0, 4.0])
def test_small_and_huge_scores_pass(std: float) -> None:
    """With a standard deviation of 4 scores are far above 1,000."""
    found = self_check.self_check(build(std), {"input_ids": IDS})
    assert found.weights is not None
    assert max(found.weights, found.last_hidden_state) <= found.bound <= LARGEST_BOUND
    assert found.tokens == 12
    if std < 0.1:
        assert found.bound == BOUND


@pytest.mark.parametrize("std", [0.02, 0.3, 1.0])
def test_another_scale_is_found(std: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours alone computes with a scale that is 20 percent larger."""
    ours = recorder.BlockwiseAttention

    def larger(**options: object) -> recorder.BlockwiseAttention:
        return ours(**{**options, "scale": float(options["scale"]) * 1.2})  # type: ignore[arg-type]

    monkeypatch.setattr(recorder, "BlockwiseAttention", larger)
    with pytest.raises(ModelUnavailableError, match=r"its weights differ by up to .*, and rounding explains"):
        self_check.self_check(build(std), {"input_ids": IDS})


@pytest.mark.parametrize("std", [0.02, 0.3, 1.0])
def test_another_mask_is_found(std: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours alone may read what comes later."""
    monkeypatch.setattr(recorder, "_split_mask", lambda _: (None, None))
    with pytest.raises(ModelUnavailableError, match="its weights differ by up to"):
        self_check.self_check(build(std), {"input_ids": IDS})


def test_another_result_with_the_same_weights_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every weight is right; what is made of them in the last layer is not."""
    attend = recorder.BlockwiseAttention.attend
    calls: list[int] = []

    def changed(self: recorder.BlockwiseAttention, *args: object) -> tuple[Tensor, Tensor]:
        output, log_sum_exp = attend(self, *args)  # type: ignore[arg-type]
        calls.append(1)
        return (output * 1.05 if len(calls) == 3 else output), log_sum_exp

    monkeypatch.setattr(recorder.BlockwiseAttention, "attend", changed)
    with pytest.raises(ModelUnavailableError, match="its last hidden state differs by"):
        self_check.self_check(build(0.3), {"input_ids": IDS})


def test_windows_that_are_not_those_of_the_whole_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    head = recorder.BlockwiseAttention.head
    monkeypatch.setattr(recorder.BlockwiseAttention, "head", lambda self, index: head(self, (index + 1) % 4))
    with pytest.raises(ModelUnavailableError, match="The weights of layer 0 do not add up"):
        self_check.self_check(build(0.3), {"input_ids": IDS})


def test_a_library_that_hands_out_no_weights_is_compared_by_its_hidden_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention_core.pretrained.recording.parity._weights_among", lambda *_: None)
    found = self_check.self_check(build(0.3), {"input_ids": IDS})
    assert found.weights is None
    assert 0 < found.last_hidden_state <= found.bound


@pytest.mark.full
def test_a_model_is_checked_once_and_says_so_in_the_list(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models that do not fit into memory together are loaded in turn; each is checked the first time alone."""
    checked: list[str] = []
    real = self_check.self_check

    def counted(model: PreTrainedModel, *inputs: dict[str, Tensor]) -> self_check.SelfCheck:
        checked.append(type(model).__name__)
        return real(model, *inputs)

    monkeypatch.setattr("attention_core.pretrained.models.loading.self_check", counted)
    catalog = Catalog(models_dir=models_dir, device="cpu", hub_models=(), max_model_bytes=200_000)
    before = {entry.id: entry for entry in catalog.entries()}
    assert before["tiny-gpt2"].self_check is None
    for _ in range(2):
        for name in ("tiny-gpt2", "tiny-bert"):
            loaded: LoadedModel = catalog.load(name)
            assert loaded.entry.self_check is not None
            del loaded
    assert checked == ["GPT2LMHeadModel", "BertForMaskedLM"]
    after = {entry.id: entry for entry in catalog.entries()}
    assert after["tiny-gpt2"].self_check == catalog.load("tiny-gpt2").entry.self_check


def test_what_a_check_holds_for() -> None:
    cpu, other = torch.device("cpu"), torch.device("meta")
    keys = {
        self_check.check_key("a", cpu, torch.float32),
        self_check.check_key("b", cpu, torch.float32),
        self_check.check_key("a", other, torch.float32),
        self_check.check_key("a", cpu, torch.float16),
    }
    assert len(keys) == 4
    assert all(transformers.__version__ in key for key in keys)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_checked_before_it_is_rounded(models_dir: Path, dtype: str) -> None:
    catalog = Catalog(models_dir=models_dir, device="cpu", dtype=dtype, hub_models=())
    loaded = catalog.load("tiny-llama")
    assert loaded.entry.self_check is not None
    assert loaded.entry.self_check.bound == BOUND
    assert loaded.model.dtype == getattr(torch, dtype)
