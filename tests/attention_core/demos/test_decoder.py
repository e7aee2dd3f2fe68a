"""The random decoder from plain options: stages match the decoder, parameter counts add up."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.decoder import Decoder
from attention_core.demos.decoder import DecoderChoice, decoder_example

IDS = [0, 1, 2, 0, 3]
CHOICES: dict[str, dict[str, Any]] = {
    "modern": {},
    "llama": {"form": "llama"},
    "gpt2": {"form": "gpt2", "num_kv_heads": None},
    "one head, alibi": {"form": "gpt2", "positions": "alibi", "num_heads": 1, "num_kv_heads": None},
    "l2 before rope": {"qk_norm": "l2", "qk_norm_before_rope": True, "feed_forward": "relu_squared"},
    "nanochat, 2025": {"form": "nanochat_2025", "num_layers": 3},
    "nanochat, 2026": {"form": "nanochat_2026", "num_layers": 5},
    "no qk-norm": {"qk_norm": "none", "num_kv_heads": 1, "hidden_dim": 7},
}


@pytest.mark.parametrize("name", CHOICES)
def test_decoder_example_is_the_decoder(name: str) -> None:
    choice = DecoderChoice(**CHOICES[name], precision="float64", seed=3)
    found = decoder_example(choice, IDS, vocab_size=4, generate=4)
    decoder = Decoder(choice.config(4, 9), generator=torch.Generator().manual_seed(3)).double()
    logits = decoder(torch.tensor([IDS]))[0].detach()
    np.testing.assert_allclose(found.stages["logits"], logits, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.probabilities, logits.softmax(-1), rtol=0, atol=1e-13)
    assert list(found.generated) == decoder.generate(torch.tensor([IDS]), 4)[0, 5:].tolist()
    assert max(found.cached_difference, found.fused_difference) <= 1e-12
    x = found.stages["embeddings"]
    for block in found.blocks:
        np.testing.assert_array_equal(block.stages["inputs"], x)
        x = x + block.stages["attention_output"] + block.stages["feed_forward_output"]
        np.testing.assert_allclose(block.stages["outputs"], x, rtol=0, atol=1e-12)
        heads = choice.num_heads
        assert block.attention["weights"].shape == (heads, 5, 5)
        assert block.attention["mask"].shape == (5, 5)
        assert block.entropy.shape == (heads, 5)
        if "bias" in block.attention:
            assert block.attention["bias"].shape == (heads, 5, 5)
    assert found.parameters["total"] == sum(parameter.numel() for parameter in decoder.parameters())
    assert sum(count for part, count in found.parameters.items() if part != "total") == found.parameters["total"]


def test_decoder_example_parameters_by_part() -> None:
    gpt2 = decoder_example(DecoderChoice(form="gpt2", num_kv_heads=None), [0], vocab_size=3).parameters
    assert gpt2["embeddings"] == 16 * 3 + 16 * 1
    assert gpt2["attention"] == 2 * 4 * (16 * 16 + 16)
    assert gpt2["feed_forward"] == 2 * (2 * 16 * 64 + 64 + 16)
    assert gpt2["norms"] == 5 * 2 * 16
    assert gpt2["output"] == 0
    modern = decoder_example(DecoderChoice(), [0], vocab_size=3).parameters
    assert modern["attention"] == 2 * (2 * 16 * 16 + 2 * 16 * 8)
    assert modern["feed_forward"] == 2 * 3 * 16 * 64
    assert modern["output"] == 3 * 16
    nanochat = decoder_example(DecoderChoice(form="nanochat_2026"), [0], vocab_size=3).parameters
    assert nanochat["norms"] == 0
    assert nanochat["embeddings"] == 3 * 16 + 3 * 8 + 2 * 12
    assert nanochat["attention"] == modern["attention"]


def test_decoder_example_bytes_of_the_cache() -> None:
    assert decoder_example(DecoderChoice(), IDS, vocab_size=4).kv_cache_bytes_per_token == 2 * 2 * 2 * 4 * 4


def test_decoder_example_single_token_and_seed() -> None:
    state = torch.random.get_rng_state()
    first, same, other = (decoder_example(DecoderChoice(seed=seed), [0], vocab_size=1) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert first.blocks[0].attention["weights"].tolist() == [[[1.0]]] * 4
    assert np.array_equal(first.stages["logits"], same.stages["logits"])
    assert not np.array_equal(first.stages["logits"], other.stages["logits"])
    assert first.probabilities.tolist() == [[1.0]]


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_decoder_example_in_half_precision(precision: str) -> None:
    found = decoder_example(DecoderChoice(precision=precision), IDS, vocab_size=4)
    wide = decoder_example(DecoderChoice(precision="float64"), IDS, vocab_size=4)
    np.testing.assert_allclose(found.probabilities, wide.probabilities, atol=0.03)


def test_decoder_example_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="ids must not be empty"):
        decoder_example(DecoderChoice(), [], vocab_size=3)
    with pytest.raises(ValueError, match="ids must lie between 0 and 2"):
        decoder_example(DecoderChoice(), [3], vocab_size=3)
    with pytest.raises(ValueError, match=r"num_heads must divide d_model \(16\), which 3 does not"):
        decoder_example(DecoderChoice(num_heads=3, num_kv_heads=None), [0], vocab_size=3)
