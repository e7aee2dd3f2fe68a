"""What transformers hands out as attentions: steps put together, and what to do where there are no weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    MistralConfig,
    MistralForCausalLM,
)

from attention_observatory import Observatory, ObservatoryError
from attention_observatory.handed_out import whole

PROMPT = torch.tensor([[3, 4, 5]])
NAMES = list("abcdef")
SMALL = {"vocab_size": 50, "bos_token_id": 0, "eos_token_id": 49}
HALVES = {"encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2}


@pytest.fixture(autouse=True)
def _same_weights() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(7)
        yield


def gpt2(implementation: str = "eager") -> Any:
    config = GPT2Config(**SMALL, n_layer=2, n_head=2, n_embd=8, n_positions=32, initializer_range=0.5)
    return GPT2LMHeadModel._from_config(config, attn_implementation=implementation).eval()


def written(model: Any, **settings: Any) -> Any:
    settings = {"max_new_tokens": 3, "min_new_tokens": 3, "do_sample": False, **settings}
    return model.generate(PROMPT, output_attentions=True, return_dict_in_generate=True, **settings)


def stacked(attentions: Any) -> np.ndarray[Any, Any]:
    return torch.stack(attentions)[:, 0].detach().numpy()


@pytest.mark.parametrize(
    "settings",
    [{}, {"use_cache": False}, {"cache_implementation": "static"}, {"max_new_tokens": 1, "min_new_tokens": 1}],
    ids=["a cache", "no cache", "a static cache", "one step"],
)
def test_the_steps_of_generate_are_one_run_over_what_was_written(settings: dict[str, Any]) -> None:
    model = gpt2()
    outputs = written(model, **settings)
    read = outputs.sequences[:, :-1]
    names = NAMES[: outputs.sequences.shape[1]]
    arrays, tokens = whole({"weights": outputs.attentions}, names)
    expected = stacked(model(read, output_attentions=True).attentions)
    found = np.asarray(arrays["weights"])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert tokens == names[:-1]
    assert whole({"weights": outputs.attentions}, names[:-1])[1] == names[:-1]


@pytest.mark.parametrize("use_cache", [True, False])
def test_all_parts_of_an_encoder_decoder_model_that_writes(use_cache: bool) -> None:
    config = BartConfig(**SMALL, d_model=8, **HALVES, encoder_ffn_dim=8, decoder_ffn_dim=8, init_std=0.5)
    model = BartForConditionalGeneration._from_config(config, attn_implementation="eager").eval()
    outputs = written(model, use_cache=use_cache, num_beams=1)
    parts = {name: getattr(outputs, f"{name}_attentions") for name in ("encoder", "decoder", "cross")}
    arrays, tokens = whole({f"{name}_weights": given for name, given in parts.items()}, NAMES[:4])
    once = model(PROMPT, decoder_input_ids=outputs.sequences[:, :-1], output_attentions=True)
    for name in ("decoder", "cross"):
        np.testing.assert_allclose(arrays[f"{name}_weights"], stacked(once[f"{name}_attentions"]), atol=1e-5)
    assert arrays["encoder_weights"] is outputs.encoder_attentions
    assert tokens == NAMES[:3]


def test_they_are_sent(server_url: str) -> None:
    model = gpt2()
    outputs = written(model)
    sent = Observatory(server_url).send(weights=outputs.attentions, tokens=NAMES)
    expected = stacked(model(outputs.sequences[:, :-1], output_attentions=True).attentions)
    assert sent.tokens == NAMES[:-1]
    np.testing.assert_allclose(sent.weights(1, 0), expected[1, 0], atol=1e-5)


def refusal(**arrays: Any) -> str:
    (name,) = arrays
    with pytest.raises(ObservatoryError) as caught:
        Observatory("http://127.0.0.1:9").send(**arrays)
    assert (caught.value.code, caught.value.field) == ("tensors_invalid", name)
    return str(caught.value)


def test_steps_that_cannot_be_put_together_say_which_call_can_be_sent() -> None:
    beams = refusal(weights=written(gpt2(), num_beams=2).attentions)
    assert "several texts or beams share each step" in beams
    assert beams.endswith("model(outputs.sequences[:1], output_attentions=True).attentions.")
    config = MistralConfig(
        **SMALL, num_hidden_layers=1, hidden_size=8, num_attention_heads=2, num_key_value_heads=1,
        intermediate_size=8, sliding_window=4,
    )  # fmt: skip
    model = MistralForCausalLM._from_config(config, attn_implementation="eager").eval()
    outputs = written(model)
    assert "as with a sliding window. Run the model once" in refusal(weights=outputs.attentions)
    arrays, _ = whole({"weights": model(outputs.sequences[:1], output_attentions=True).attentions}, None)
    assert arrays["weights"][0].shape == (1, 2, 6, 6)


def test_a_model_without_weights_to_hand_out_is_to_be_loaded_otherwise() -> None:
    model = gpt2("sdpa")
    for given in (
        model(PROMPT, output_attentions=True).attentions,
        written(model).attentions,
        (None, None),
        ((None, None), (None, None)),
    ):
        assert 'attn_implementation="eager"' in refusal(weights=given)
        assert 'attn_implementation="eager"' in refusal(cross_weights=given)


def test_attentions_that_were_not_asked_for(server_url: str) -> None:
    with pytest.raises(ObservatoryError, match=r"The file holds no array.*attn_implementation=.eager") as caught:
        Observatory(server_url).send(weights=gpt2()(PROMPT).attentions)
    assert caught.value.field == "body"


def test_what_is_no_array_of_numbers_is_named() -> None:
    row = np.full((1, 2, 3, 3), 1 / 3)
    assert "weights has no tensor at 1, as of layers without attention" in refusal(weights=(row, None, row))
    assert "has no tensor at 1" in refusal(weights=((row, None),))
    message = refusal(weights=(row, row[:, :1]))
    assert message == "weights has layers of different shapes, 1×2×3×3, 1×1×3×3. Send those of one shape together."
    assert refusal(queries=[[1.0, 2.0], [1.0]]).startswith("queries cannot be made into one array of numbers")
    assert "what is no number" in refusal(weights=[[1.0, None]])
    outputs = gpt2()(PROMPT, output_attentions=True)
    assert refusal(weights=outputs).endswith("Send what it has: weights=outputs.attentions.")
