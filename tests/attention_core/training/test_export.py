"""Exported folders, loaded by transformers and the catalog, match the network."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.testing import assert_close
from transformers import AutoModelForCausalLM, AutoTokenizer

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.training.config import TrainingConfig
from attention_core.training.export import export, export_arrays, why_not
from attention_core.training.run import Training
from attention_core.training.tasks import TASKS

EXACT: dict[str, tuple[dict[str, Any], str]] = {
    "default": ({}, "LlamaForCausalLM"),
    "grouped keys": ({"num_kv_heads": 2}, "LlamaForCausalLM"),
    "feed-forward": ({"feed_forward": True}, "LlamaForCausalLM"),
    "no positions": ({"positions": "none"}, "LlamaForCausalLM"),
    "QK-norm": ({"mechanism": "qk_norm"}, "Qwen3ForCausalLM"),
    "QK-norm, no positions": ({"mechanism": "qk_norm", "positions": "none"}, "Qwen3ForCausalLM"),
    "cosine": ({"mechanism": "cosine"}, "Qwen3ForCausalLM"),
    "sinusoidal": ({"positions": "sinusoidal"}, "GPT2LMHeadModel"),
    "sinusoidal, one key": ({"positions": "sinusoidal", "num_kv_heads": 1}, "GPT2LMHeadModel"),
}


def trained(**options: Any) -> Training:
    training = Training(TrainingConfig(**({"d_model": 16, "steps": 12, "seed": 3} | options)))
    while not training.is_finished:
        training.step()
    return training


@pytest.mark.full
@pytest.mark.parametrize("name", EXACT)
@torch.no_grad()
def test_export_computes_the_same(name: str, tmp_path: Path) -> None:
    options, architecture = EXACT[name]
    with torch.enable_grad():
        training = trained(**options)
    export_arrays(training.config, training.weights(), tmp_path)
    model, told = AutoModelForCausalLM.from_pretrained(tmp_path, output_loading_info=True, attn_implementation="eager")
    assert [told[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")] == [set(), set(), set()]
    assert type(model).__name__ == architecture
    ids = TASKS["repeat"].draw(3, torch.Generator().manual_seed(6)).ids
    trace = training.decoder(ids, trace=True)
    theirs = model(ids, output_attentions=True)
    assert_close(theirs.logits, trace.logits, rtol=0, atol=2e-5)
    for block, weights in zip(trace.blocks, theirs.attentions, strict=True):
        assert_close(weights, block.attention.attention.weights, rtol=0, atol=5e-6)


@pytest.mark.parametrize("task", TASKS)
def test_export_reads_its_own_words(task: str, tmp_path: Path) -> None:
    training = trained(task=task, steps=1)
    export_arrays(training.config, training.weights(), tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    words = TASKS[training.config.task].vocabulary
    assert tokenizer(" ".join(words))["input_ids"] == list(range(len(words)))
    assert tokenizer("hello")["input_ids"] == [0]
    assert tokenizer.model_max_length == 48
    card = (tmp_path / "README.md").read_text()
    assert f"# A small network that learned: {task}" in card
    assert "LlamaForCausalLM" in card


@pytest.mark.full
def test_the_catalog_opens_an_export(tmp_path: Path) -> None:
    """Its attention weights are those of the network, through the ordinary way of an analysis."""
    training = trained()
    export_arrays(training.config, training.weights(), tmp_path / "mine")
    loaded = Catalog(models_dir=tmp_path, hub_models=()).load("mine")
    assert (loaded.entry.layers, loaded.entry.heads, loaded.entry.kind) == (2, 4, "decoder")
    ids = TASKS["repeat"].draw(1, torch.Generator().manual_seed(6)).ids[0]
    analysis = analyse(loaded, AnalysisRequest(" ".join(map(str, ids.tolist()))), max_tokens=100)
    assert [token.id for token in analysis.tokens] == ids.tolist()
    with torch.no_grad():
        blocks = training.decoder(ids[None], trace=True).blocks
    for layer, block in enumerate(blocks):
        for head in range(4):
            found = analysis.window(None, layer, head, "weights", None, None, None, "max", max_cells=10_000)
            expected = block.attention.attention.weights[0, head].numpy()
            assert_close(torch.from_numpy(found), torch.from_numpy(expected), rtol=0, atol=5e-6)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"positions": "alibi"}, "no architecture with ALiBi"),
        ({"positions": "sinusoidal", "mechanism": "cosine"}, "adds its positions and normalises"),
        ({"positions": "sinusoidal", "mechanism": "qk_norm"}, "adds its positions and normalises"),
        ({"positions": "sinusoidal", "feed_forward": True}, "has this feed-forward layer"),
    ],
)
def test_what_has_no_architecture_says_so(options: dict[str, Any], reason: str, tmp_path: Path) -> None:
    config = TrainingConfig(**options)
    assert reason in str(why_not(config))
    with pytest.raises(ValueError, match=reason):
        export(config, {}, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_what_has_one_gives_no_reason() -> None:
    assert [why_not(TrainingConfig(**options)) for options, _ in EXACT.values()] == [None] * len(EXACT)
