"""Reach on loading: planted leaks are named with their layer, right models say nothing."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tiny_models import write_model_folder
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.models.gpt2.modeling_gpt2 import GPT2Block

from attention_core.masks import DenseMask
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.support import support_from
from attention_core.pretrained.models.trial.reach_check import MOST_TOKENS, _run_of, reach_check
from attention_core.pretrained.recording import recorder
from attention_core.pretrained.recording.recorder import IMPLEMENTATION
from attention_core.pretrained.running.caveats import caveats_of

IDS = torch.randint(3, 50, (1, 12), generator=torch.Generator().manual_seed(4))
SIZES: dict[str, Any] = {"vocab_size": 50, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}
GPT2 = transformers.GPT2Config(vocab_size=50, n_layer=3, n_head=4, n_embd=32, n_positions=32)
MUCH = 10_000
"""Tokens of a comparison that allow a whole text."""


def build(config: PreTrainedConfig, std: float = 0.3) -> PreTrainedModel:
    facts = support_from(config).shown()
    model = getattr(transformers, facts.architecture)._from_config(config, attn_implementation=IMPLEMENTATION).eval()
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim == 2:
            parameter.data.normal_(std=std, generator=generator)
    return model


def said_of(config: PreTrainedConfig, std: float = 0.3) -> list[str]:
    found = reach_check(build(config, std), {"input_ids": IDS}, support_from(config).shown(), MUCH)
    return [str(each) for each in found]


@pytest.mark.parametrize("std", [0.02, 1.0, 4.0])
def test_a_right_decoder_says_nothing_however_sharp_it_is(std: float) -> None:
    assert said_of(GPT2, std) == []


def test_declared_windows_and_declared_sight_of_everything_are_no_findings() -> None:
    windows = transformers.MistralConfig(**SIZES, num_key_value_heads=2, intermediate_size=48, sliding_window=3)
    both_ways = transformers.LlamaConfig(**SIZES, num_key_value_heads=2, intermediate_size=48, is_causal=False)
    encoder = transformers.BertConfig(**SIZES, intermediate_size=48)
    assert [said_of(each) for each in (windows, both_ways, encoder)] == [[], [], []]


def looking_ahead(layer: int) -> Any:
    """GPT-2's block with the next position's state added in one layer."""
    real = GPT2Block.forward

    def forward(self: GPT2Block, *args: Any, **options: Any) -> Any:
        output = real(self, *args, **options)
        state: Tensor = output[0] if isinstance(output, tuple) else output
        if self.attn.layer_idx == layer:
            state = state + 0.1 * torch.cat([state[:, 1:], torch.zeros_like(state[:, :1])], 1)
        return (state, *output[1:]) if isinstance(output, tuple) else state

    return forward


def test_a_library_that_looks_ahead_is_named_with_the_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through loading: both attentions agree on it, so the model is shown, and every analysis says it."""
    write_model_folder(tmp_path, "tiny-gpt2")
    right = Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("tiny-gpt2")
    assert right.entry.caveats == ()
    monkeypatch.setattr(GPT2Block, "forward", looking_ahead(1))
    catalog = Catalog(models_dir=tmp_path, device="cpu", hub_models=())
    loaded = catalog.load("tiny-gpt2")
    said = (
        "It is declared as a decoder, but sees the future: position 0 is reached by position 1 from layer 1 on, "
        "not through attention."
    )
    assert [str(each) for each in loaded.entry.caveats] == [said]
    assert [(each.code, str(each.message)) for each in caveats_of(loaded, [])] == [("reach", said)]
    assert next(each for each in catalog.entries() if each.id == "tiny-gpt2").caveats == loaded.entry.caveats


def test_a_leak_of_ours_alone_is_refused_with_the_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    split, calls = recorder._split_mask, []

    def leaking(mask: Any) -> Any:
        """In the last of three layers everything is open."""
        calls.append(1)
        return (None, None) if len(calls) % 3 == 0 else split(mask)

    monkeypatch.setattr(recorder, "_split_mask", leaking)
    with pytest.raises(ModelUnavailableError) as refused:
        said_of(GPT2)
    assert str(refused.value) == (
        "With our attention, unlike the library's own, position 0 is reached by position 1 from layer 2 on."
    )


def test_masks_that_shut_too_far_are_named_with_the_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of 2 that is declared nowhere: three layers carry 3 positions, so position 4 never sees position 0."""
    narrow = torch.ones(12, 12, dtype=torch.bool).tril().triu(-1)
    monkeypatch.setattr(recorder, "_split_mask", lambda _: (DenseMask(narrow[None, None]), None))
    assert said_of(GPT2) == ["Its masks shut out what is declared, first in layer 0: position 4 is not reached by 0."]


def test_a_large_model_is_measured_on_fewer_tokens() -> None:
    """Six copies of the text at most a third of what was compared; at least two tokens."""
    facts = support_from(GPT2).shown()
    model = build(GPT2)
    for compared in (10, 62, 180, 664):
        run = _run_of(model, {"input_ids": IDS}, facts, compared)
        assert run is not None
        count = len(run.ids)
        assert count == MOST_TOKENS or 3 * 6 * (count + 1) > compared
        assert count == 2 or 3 * 6 * count <= compared


def test_one_token_is_nothing_to_measure() -> None:
    assert reach_check(build(GPT2), {"input_ids": IDS[:, :1]}, support_from(GPT2).shown(), MUCH) == ()
