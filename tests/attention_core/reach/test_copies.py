"""Carried architectures of transformers, which leak nothing, raise no alarm: plain, in both of its kernels."""

import pytest
import torch
import transformers
from tiny_models import CLASSES, CONFIGS
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.reach.allowed import causal, windowed
from attention_core.reach.assertion import assert_reach

N = 16
IDS = [10 + 7 * each for each in range(N)]
HYBRID = {
    "vocab_size": 384,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
KINDS = {
    "tiny-gpt2": "causal",
    "tiny-llama": "causal",
    "tiny-qwen3": "causal",
    "tiny-mistral": windowed(N, 5),
    "tiny-gemma": "causal",
    "tiny-gpt-neox": "causal",
    "tiny-bert": "all",
    "tiny-roberta": "all",
    "tiny-distilbert": "all",
}


def built(name: str, attention: str) -> PreTrainedModel:
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model = getattr(transformers, CLASSES[name])(CONFIGS[name]())
    model.set_attn_implementation(attention)
    return model


@pytest.mark.sampled(6)
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("name", KINDS)
def test_models_of_transformers_see_what_they_may(name: str, attention: str) -> None:
    found = assert_reach(built(name, attention), IDS, KINDS[name])
    assert found.exact
    weights = found.weights[1]
    assert weights is not None
    assert torch.equal(weights > 0, found.reached[1]), "the library's own kernel is seen, too"


@pytest.mark.full
@pytest.mark.parametrize("chunk", [1, 3])
@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-mistral"])
def test_their_cached_steps_see_the_same(name: str, chunk: int) -> None:
    found = assert_reach(built(name, "sdpa"), IDS, KINDS[name], chunk=chunk)
    weights = found.weights[1]
    assert weights is not None
    assert torch.equal(weights > 0, found.reached[1]), "also of heads that the kernel folds into rows of one query"


@pytest.mark.full
@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama"])
def test_packed_documents_and_padding(name: str) -> None:
    assert_reach(built(name, "sdpa"), IDS, "packed", documents=[6, 10])
    mask = (torch.arange(N) >= 5).long()[None]
    assert_reach(built(name, "sdpa"), IDS, inputs={"attention_mask": mask})


def gemma3() -> PreTrainedModel:
    kinds = ["sliding_attention", "full_attention"]
    settings = {**HYBRID, "num_hidden_layers": 2, "layer_types": kinds, "sliding_window": 4}
    return transformers.Gemma3ForCausalLM(transformers.Gemma3TextConfig(**settings))


def qwen3_next() -> PreTrainedModel:
    sizes = {"linear_num_value_heads": 2, "linear_num_key_heads": 2, "linear_key_head_dim": 8, "num_experts": 4}
    more = {"linear_value_head_dim": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
    shared = {"shared_expert_intermediate_size": 16, "decoder_sparse_step": 1}
    return transformers.Qwen3NextForCausalLM(transformers.Qwen3NextConfig(**HYBRID, **sizes, **more, **shared))


def mixtral() -> PreTrainedModel:
    return transformers.MixtralForCausalLM(transformers.MixtralConfig(**HYBRID, num_local_experts=4))


@pytest.mark.full
@pytest.mark.parametrize(
    ("make", "allowed"),
    [(gemma3, [windowed(N, 4), causal(N)]), (qwen3_next, "causal"), (mixtral, "causal")],
    ids=["gemma3", "qwen3_next", "mixtral"],
)
def test_windows_hybrids_and_experts(make: object, allowed: str | list[Tensor]) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model = make()  # type: ignore[operator]
    found = assert_reach(model, IDS, allowed)
    assert not found.mixes_rows
    assert len(found.names) == 2 + model.config.num_hidden_layers


@pytest.mark.full
def test_both_sides_of_an_encoder_and_decoder() -> None:
    model = built("tiny-t5", "sdpa")
    source = torch.tensor([IDS[:9]])
    given = {"argument": "decoder_input_ids", "inputs": {"input_ids": source}}
    found = assert_reach(model, IDS, **given)
    assert found.names[1:4] == ("decoder.block.0", "decoder.block.1", "decoder.block.2")
    target = {"inputs": {"decoder_input_ids": torch.tensor([IDS])}, "layers": "decoder.block", "positions": N}
    crossed = assert_reach(model, IDS[:9], torch.ones(N, 9, dtype=torch.bool), **target)
    assert crossed.change.shape == (5, N, 9)
