"""The table of biases against the classes' own parameters."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from transformers import GPT2Config, GPT2Model, LlamaConfig, LlamaModel, WhisperConfig, WhisperModel

from attention_core.pretrained.models.projection_biases import ARCHITECTURES, biases_of, known_biases


def test_state_dicts_say_the_same() -> None:
    with torch.device("meta"):
        gpt2 = GPT2Model(GPT2Config(n_layer=1)).state_dict()
        llama = LlamaModel(LlamaConfig(num_hidden_layers=1)).state_dict()
        whisper = WhisperModel(WhisperConfig(encoder_layers=1, decoder_layers=1)).state_dict()
    found = biases_of("gpt2")
    assert "h.0.attn.c_attn.bias" in gpt2
    assert (found.query, found.key, found.value, found.output, found.fused) == (True, True, True, True, True)
    found = biases_of("llama")
    assert not [name for name in llama if "self_attn" in name and name.endswith("bias")]
    assert (found.query, found.key, found.value, found.output, found.fused) == (False, False, False, False, False)
    found = biases_of("whisper")
    assert "encoder.layers.0.self_attn.q_proj.bias" in whisper
    assert "encoder.layers.0.self_attn.k_proj.bias" not in whisper
    assert (found.query, found.key, found.value) == (True, False, True)


def test_the_whole_table() -> None:
    table = {
        row.architecture: "".join("qkvo"[i] for i, has in enumerate((r.query, r.key, r.value, r.output)) if has)
        for row in known_biases()
        for r in (row,)
    }
    assert list(table) == ["torch", *ARCHITECTURES]
    assert {name for name, roles in table.items() if roles == ""} == {
        "falcon", "gemma", "gptj", "llama", "mistral", "modernbert", "nanochat", "olmo2", "qwen3", "t5",
    }  # fmt: skip
    assert {name: roles for name, roles in table.items() if roles not in {"", "qkvo"}} == {
        "gpt_neo": "o",
        "qwen2": "qkv",
        "whisper": "qvo",
    }


def test_sources_are_named() -> None:
    rows = {row.architecture: row for row in known_biases()}
    assert rows["torch"].source.startswith(f"torch {torch.__version__}, nn.MultiheadAttention")
    assert rows["bert"].library_class == "BertSelfAttention"
    assert "BertModel" in rows["bert"].source


@pytest.mark.full
def test_nothing_random_is_touched_and_threads_agree() -> None:
    before = torch.random.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: known_biases(), range(4)))
    assert all(table == tables[0] for table in tables)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.empty(1).device.type == "cpu"


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^architecture must be one of albert, .*, not 'nosuch'$"):
        biases_of("nosuch")
