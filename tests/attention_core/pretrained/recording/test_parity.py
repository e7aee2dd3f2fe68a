"""Our attention inside transformers' models against the library's own eager attention, for each architecture."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import (
    BOUND,
    compared_with_eager,
    eager_copy,
    largest_differences,
    parity,
)
from attention_core.pretrained.recording.parts import split_into_parts
from attention_core.pretrained.recording.recorder import IMPLEMENTATION, LayerRecord, record
from attention_core.pretrained.recording.windows import stage_window

VOCABULARY = 101


def build(name: str, **options: object) -> PreTrainedModel:
    """A tiny random model with our attention inside, its weights large enough for heads to be far from uniform."""
    config = getattr(transformers, f"{name}Config")(**options)
    suffix = "ForCausalLM" if name in {"Llama", "Qwen3", "GPTNeoX", "Mistral"} else "Model"
    model = getattr(transformers, f"{name}{suffix}")._from_config(config, attn_implementation=IMPLEMENTATION)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=0.2 if name == "T5" else 0.3, generator=generator)  # T5 does not scale scores
    return model.eval()


BERT_LIKE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 28,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 37,
    "max_position_embeddings": 80,
}
LLAMA_LIKE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 37,
    "max_position_embeddings": 256,
}

MODELS: dict[str, Callable[[], PreTrainedModel]] = {
    "Bert": lambda: build("Bert", **BERT_LIKE),
    "Roberta": lambda: build("Roberta", **BERT_LIKE),
    "GPT2": lambda: build(
        "GPT2",
        vocab_size=VOCABULARY,
        n_embd=28,
        n_layer=3,
        n_head=2,
        n_positions=80,
        scale_attn_by_inverse_layer_idx=True,
    ),
    "Llama": lambda: build("Llama", **LLAMA_LIKE),
    "Qwen3": lambda: build("Qwen3", **LLAMA_LIKE, head_dim=10),
    "Mistral": lambda: build("Mistral", **LLAMA_LIKE, sliding_window=7),
    "GPTNeoX": lambda: build(
        "GPTNeoX",
        vocab_size=VOCABULARY,
        hidden_size=28,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=37,
        max_position_embeddings=80,
    ),
    "DistilBert": lambda: build(
        "DistilBert", vocab_size=VOCABULARY, dim=28, n_layers=3, n_heads=2, hidden_dim=37, max_position_embeddings=80
    ),
    "ModernBert": lambda: build(
        "ModernBert",
        **{**BERT_LIKE, "num_hidden_layers": 5, "num_attention_heads": 7},
        local_attention=8,
        global_attn_every_n_layers=3,
        pad_token_id=0,
        cls_token_id=1,
        sep_token_id=2,
        bos_token_id=1,
        eos_token_id=2,
    ),
    "T5": lambda: build(
        "T5", vocab_size=VOCABULARY, d_model=28, d_kv=14, d_ff=37, num_layers=3, num_heads=2, decoder_start_token_id=0
    ),
    "Bart": lambda: build(
        "Bart",
        vocab_size=VOCABULARY,
        d_model=28,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=37,
        decoder_ffn_dim=37,
        max_position_embeddings=80,
    ),
}


def token_ids(count: int, seed: int) -> Tensor:
    return torch.randint(3, VOCABULARY, (1, count), generator=torch.Generator().manual_seed(seed))


def inputs_for(model: PreTrainedModel, count: int) -> dict[str, Tensor]:
    inputs = {"input_ids": token_ids(count, seed=1), "attention_mask": torch.ones(1, count, dtype=torch.long)}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = token_ids(11, seed=2)
    return inputs


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [1, 13, 71])
def test_equals_eager_attention(name: str, count: int) -> None:
    model = MODELS[name]()
    result = parity(model, inputs_for(model, count))
    assert result.weights <= BOUND
    assert result.relative_hidden_state <= BOUND


def test_large_hidden_states_are_judged_by_their_size() -> None:
    """A last norm with large gains makes large numbers of small differences; it makes no other model."""
    plain, large = MODELS["Llama"](), MODELS["Llama"]()
    with torch.no_grad():
        body(large).get_submodule("norm").weight.mul_(1e4)
    inputs = inputs_for(plain, 71)
    before, found = parity(plain, inputs), parity(large, inputs)
    assert found.last_hidden_state > BOUND
    assert found.relative_hidden_state == pytest.approx(before.relative_hidden_state, rel=0.5)
    assert found.within_bound
    assert not replace(found, bound=found.relative_hidden_state / 2).within_bound
    assert not replace(found, bound=found.weights / 2).within_bound


@pytest.mark.full
@pytest.mark.parametrize("name", ["T5", "Switch"])
def test_what_rounding_makes_of_a_longer_text_is_within_the_bound(name: str) -> None:
    """It exceeds the bound of every model; by how much at 12 tokens depends on the processor."""
    sizes = {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4}
    config = transformers.T5Config if name == "T5" else transformers.SwitchTransformersConfig
    kind = "T5" if name == "T5" else "SwitchTransformers"
    model = getattr(transformers, f"{kind}ForConditionalGeneration")._from_config(
        config(**sizes, num_layers=4, num_decoder_layers=4), attn_implementation=IMPLEMENTATION
    )
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data.normal_(std=0.27 if name == "T5" else 0.2, generator=generator)
    model.eval()
    found = [
        parity(model, {"input_ids": token_ids(count, seed=5), "decoder_input_ids": token_ids(count - 3, seed=6)})
        for count in (12, 290)
    ]
    assert BOUND < found[1].weights < found[1].bound
    assert all(each.within_bound for each in found)


@pytest.mark.parametrize("name", MODELS)
def test_heads_are_not_uniform(name: str) -> None:
    """Parity would prove little on weights that are all 1/N."""
    model = MODELS[name]()
    with torch.inference_mode(), record() as recording:
        body(model)(**inputs_for(model, 13))
    assert all(float(full_weights(layer).amax(dim=-1).mean()) > 2 / 13 for layer in recording.layers)


@pytest.mark.parametrize("name", MODELS)
def test_recorded_windows_equal_the_attentions_that_the_library_hands_out(name: str) -> None:
    """Independent of ``parity``: the library's own collection of weights, and the parts they are named by."""
    model = MODELS[name]()
    inputs = inputs_for(model, 71)
    with torch.inference_mode():
        with record() as recording:
            body(model)(**inputs)
        eager = body(eager_copy(model))(**inputs, output_attentions=True)
    encoder_decoder = model.config.is_encoder_decoder
    parts = split_into_parts(model, "encoder_decoder" if encoder_decoder else "encoder", recording.layers)
    fields = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
    assert [part.name for part in parts] == (list(fields) if encoder_decoder else ["encoder"])
    for part in parts:
        expected = eager[fields[part.name]] if encoder_decoder else eager.attentions
        assert len(part.layers) == len(expected)
        for layer, weights in zip(part.layers, expected, strict=True):
            torch.testing.assert_close(full_weights(layer), weights[0], atol=BOUND, rtol=0)


def full_weights(layer: LayerRecord) -> Tensor:
    rows, cols = slice(0, layer.attention.num_queries), slice(0, layer.attention.num_keys)
    return torch.stack([stage_window(layer, head, "weights", rows, cols) for head in range(layer.attention.num_heads)])


@pytest.mark.parametrize("name", MODELS)
def test_nothing_of_size_n_by_n_is_kept(name: str) -> None:
    model = MODELS[name]()
    count = 71
    with torch.inference_mode(), record() as recording:
        body(model)(**inputs_for(model, count))
    for layer in recording.layers:
        attention = layer.attention
        expected = attention.queries.numel() + attention.keys.numel() + attention.values.numel()
        assert layer.nbytes == 4 * expected + 8 * layer.log_sum_exp.numel()
        for rule in (attention.mask, attention.bias):
            kept = [value for value in vars(rule).values() if isinstance(value, Tensor)] if rule is not None else []
            assert all(tensor.numel() <= 2 * count * attention.num_heads for tensor in kept)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["Bert", "Llama", "Mistral", "ModernBert", "T5", "Bart"])
def test_padding(name: str, side: str) -> None:
    """A padded batch: real tokens see what eager attention sees, and pads are never read."""
    model = MODELS[name]()
    inputs = inputs_for(model, 23)
    inputs = {key: value.repeat(2, 1) for key, value in inputs.items()}
    pads = slice(0, 9) if side == "left" else slice(14, 23)
    inputs["attention_mask"][1, pads] = 0
    with torch.inference_mode():
        with record() as recording:
            ours = body(model)(**inputs).last_hidden_state
        theirs = body(eager_copy(model))(**inputs).last_hidden_state
    real = slice(None) if model.config.is_encoder_decoder else inputs["attention_mask"].bool()
    # Eager attention in float32 is itself up to 1e-5 from the same in float64 here (T5, whose scores are not scaled).
    torch.testing.assert_close(ours[real], theirs[real], atol=2 * BOUND, rtol=0)
    layer = recording.layers[0]
    weights = layer.attention.weights(slice(0, 23), slice(0, 23), layer.log_sum_exp)
    assert float(weights[1, :, :, pads].abs().max()) == 0.0


def test_parity_sees_a_difference() -> None:
    """The comparison can fail: another scale in our attention alone is noticed."""
    model = MODELS["Bert"]()
    inputs = inputs_for(model, 13)
    twin = eager_copy(model)
    for module in model.modules():
        if hasattr(module, "scaling"):
            module.scaling *= 1.5
    with torch.inference_mode(), record() as recording:
        model(**inputs)
        eager = twin(**inputs, output_attentions=True).attentions
    assert float((full_weights(recording.layers[0]) - eager[0][0]).abs().max()) > 1000 * BOUND


def test_a_difference_is_found_in_the_layer_and_heads_where_it_is() -> None:
    """The twin's layer 1 alone has another scale."""
    model = MODELS["Bert"]()
    inputs = inputs_for(model, 13)
    twin = eager_copy(model)
    twin.get_submodule("encoder.layer.1.attention.self").scaling *= 1.5
    found: list[Tensor] = []
    with torch.inference_mode():
        with record() as recording:
            model(**inputs)
        with compared_with_eager(model, twin, recording.layers, lambda *pair: found.append(largest_differences(*pair))):
            twin(**inputs)
    assert float(found[0].max()) <= BOUND
    assert float(found[1].min()) > 1000 * BOUND
    assert found[1].shape == (2,)
    with (
        pytest.raises(RuntimeError, match="recorded 3 attention calls but compared 0"),
        compared_with_eager(model, eager_copy(model), recording.layers, lambda *_: None),
    ):
        pass


@pytest.mark.full
def test_models_from_a_folder_with_their_heads(catalog: Catalog) -> None:
    """Every architecture as the catalog loads it; T5's head sits inside what it calls its body."""
    available = [entry for entry in catalog.entries() if entry.source == "directory" and entry.available]
    available = [entry for entry in available if entry.reads == "text"]
    assert len(available) == 12
    for entry in available:
        loaded = catalog.load(entry.id)
        inputs, _ = tokenise(loaded, "The cat sat on the mat.")
        if entry.kind == "encoder_decoder":
            inputs |= tokenise_target(loaded, "It was tired.")[0]
        found = parity(loaded.model, inputs)
        assert found.weights <= BOUND
        assert found.relative_hidden_state <= BOUND
