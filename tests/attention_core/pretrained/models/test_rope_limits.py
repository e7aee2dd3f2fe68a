"""The longest text of models with scaled RoPE, and their weights beyond the original length."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from word_models import WORDS, text_of, write_tokenizer

from attention_core.pretrained.errors import TextTooLongError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.configuration import facts_from
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse

LONG = {"rope_type": "longrope", "short_factor": [1.0] * 2, "long_factor": [2.0] * 2}


@pytest.mark.parametrize(
    ("scaling", "most"),
    [
        ({"rope_type": "dynamic", "factor": 4.0}, 256),
        ({"type": "dynamic", "factor": 1.5}, 96),
        ({"rope_type": "linear", "factor": 2}, 128),
        ({"rope_type": "yarn", "factor": 4.0}, 256),
        ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}, 64),
        ({"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16}, 128),
        (
            {
                "rope_type": "llama3",
                "factor": 32.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16,
            },
            64,
        ),
        ({**LONG, "original_max_position_embeddings": 16}, 64),
        ({"rope_type": "default"}, 64),
        (None, 64),
    ],
)
def test_the_longest_text(scaling: dict[str, Any] | None, most: int) -> None:
    config = transformers.LlamaConfig(
        max_position_embeddings=64, rope_scaling=scaling, hidden_size=16, num_attention_heads=4
    )
    assert facts_from(config, None).max_tokens == most


def test_layers_that_are_scaled_beside_others_that_are_not() -> None:
    config = transformers.Gemma3TextConfig(
        max_position_embeddings=64, rope_scaling={"rope_type": "linear", "factor": 8.0}
    )
    assert facts_from(config, None).max_tokens == 64


def write(directory: Path, scaling: dict[str, Any]) -> Path:
    folder = directory / "scaled"
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS) + 1,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=16,
        max_position_embeddings=24,
        initializer_range=0.3,
        rope_scaling=scaling,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


@pytest.mark.full
@pytest.mark.parametrize("scaling", [{"rope_type": "dynamic", "factor": 4.0}, {"rope_type": "yarn", "factor": 4.0}])
def test_weights_beyond_the_original_length_are_the_librarys(tmp_path: Path, scaling: dict[str, Any]) -> None:
    folder = write(tmp_path, scaling)
    loaded = Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("scaled")
    assert loaded.entry.max_tokens == 96
    assert loaded.entry.self_check is not None
    assert loaded.entry.self_check.tokens == 96
    for count in (96, 24, 60):
        # A new one for each length: the library's own keeps the frequencies of the longest text.
        library = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
        analysis = analyse(loaded, AnalysisRequest(text_of(count)), max_tokens=512)
        ids = torch.tensor([[token.id for token in analysis.tokens]])
        with torch.no_grad():
            expected = torch.stack(library(ids, output_attentions=True).attentions)[:, 0]
        for layer in range(2):
            found = torch.stack([torch.tensor(analysis.window(None, layer, head)) for head in range(4)])
            torch.testing.assert_close(found.float(), expected[layer], atol=1e-5, rtol=0)


def test_the_limit_is_exact(tmp_path: Path) -> None:
    write(tmp_path, {"rope_type": "dynamic", "factor": 2.0})
    loaded = Catalog(models_dir=tmp_path, device="cpu", hub_models=()).load("scaled")
    assert len(analyse(loaded, AnalysisRequest(text_of(48)), max_tokens=512).tokens) == 48
    with pytest.raises(TextTooLongError, match="has 49 tokens; scaled accepts at most 48") as caught:
        analyse(loaded, AnalysisRequest(text_of(49)), max_tokens=512)
    assert caught.value.limit == 48
