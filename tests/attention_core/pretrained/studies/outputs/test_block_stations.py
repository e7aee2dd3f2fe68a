"""Stations of pretrained blocks: against the library's own hidden states, and every equation by its own numbers."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from attention_core.block import OF_ORDER, STEPS, Order
from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, ReadsImagesError, SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.outputs.block_layouts import LAYOUTS
from attention_core.pretrained.studies.outputs.block_stations import pretrained_walk

TEXT = "A small model reads a small text."
ORDERS: dict[str, Order] = {
    "minilm": "post",
    "tiny-bert": "post",
    "tiny-roberta": "post",
    "tiny-distilbert": "post",
    "tiny-modernbert": "pre",
    "tiny-gpt2": "pre",
    "tiny-llama": "pre",
    "tiny-mistral": "pre",
    "tiny-qwen3": "pre",
    "tiny-gpt-neox": "parallel",
    "tiny-gemma": "pre",
    "gptj": "parallel",
    "codegen": "parallel",
    "phi": "parallel",
    "phi3": "pre",
    "falcon": "parallel",
    "falcon-groups": "parallel",
    "falcon-alibi": "pre",
    "bloom": "pre",
    "mpt": "pre",
    "gpt_neo": "pre",
    "opt": "pre",
    "opt-post": "post",
    "cohere": "parallel",
    "cohere2": "parallel",
    "stablelm": "pre",
    "stablelm-parallel": "parallel",
    "starcoder2": "pre",
}


@pytest.fixture(scope="module")
def load(decoder: Callable[[str], LoadedModel], minilm: LoadedModel) -> Callable[[str], LoadedModel]:
    """Any model of ORDERS."""
    return lambda name: minilm if name == "minilm" else decoder(name)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("layer", "token"), [(0, 0), (1, 3)])
def test_equals_the_librarys_own_run(load: Callable[[str], LoadedModel], name: str, layer: int, token: int) -> None:
    loaded = load(name)
    found = pretrained_walk(loaded, TEXT, layer=layer, token=token)
    walk = found.walk
    inputs, tokens = tokenise(loaded, TEXT)
    with torch.no_grad():
        eager = body(eager_copy(loaded.model))(**inputs, output_hidden_states=True, output_attentions=True)
    hidden = [state[0, token].numpy() for state in eager.hidden_states]
    at = {station.name: station.vector for station in walk.stations}
    assert walk.order == ORDERS[name]
    assert tuple(at) == OF_ORDER[walk.order]
    assert found.tokens == tokens
    np.testing.assert_allclose(at["inputs"], hidden[layer], atol=1e-5)
    last = layer == len(hidden) - 2
    if not last or walk.order == "post":  # behind the last block a pre-norm model's state is normed
        np.testing.assert_allclose(at["outputs"], hidden[layer + 1], atol=1e-5)
    np.testing.assert_allclose(walk.weights, eager.attentions[layer][0, :, token], atol=1e-5)
    np.testing.assert_allclose(walk.embedding[-1].vector, hidden[0], atol=1e-5)
    np.testing.assert_allclose(walk.stream_norms[:-1], [np.linalg.norm(state) for state in hidden[:-1]], rtol=1e-4)
    assert walk.attention_norms[layer] == pytest.approx(np.linalg.norm(at["attention_output"]))
    assert walk.feed_forward_norms[layer] == pytest.approx(np.linalg.norm(at["feed_forward_output"]))
    assert [check.name for check in walk.checks] == [
        "embeddings",
        "head_outputs",
        *(name for name, _, _ in STEPS[walk.order]),
    ]
    assert all(check.holds for check in walk.checks)
    largest = max(1.0, *(abs(each.vector).max() for each in (*walk.embedding, *walk.stations)))
    assert max(check.bound for check in walk.checks) <= 1.0001e-5 * largest
    for made, step, sources in STEPS[walk.order]:
        if step == "add":
            np.testing.assert_allclose(at[made], sum(at[source] for source in sources), atol=1e-5)


def test_norms_are_those_of_the_model(minilm: LoadedModel) -> None:
    """BERT's first norm of layer 2, by hand from its numbers."""
    walk = pretrained_walk(minilm, TEXT, layer=2, token=1).walk
    first, second = walk.norms
    at = {station.name: station.vector.astype(np.float64) for station in walk.stations}
    assert [norm.source for norm in walk.norms] == ["attention_sum", "feed_forward_sum"]
    assert first.scale is not None
    assert first.shift is not None
    summed = at["attention_sum"]
    by_hand = (summed - first.mean) / np.sqrt(first.spread + first.epsilon) * first.scale + first.shift
    np.testing.assert_allclose(at["after_attention"], by_hand, atol=1e-5)
    module = minilm.model.get_submodule("encoder.layer.2.output.LayerNorm")
    assert second.scale is not None
    assert second.scale.tolist() == module.get_parameter("weight").tolist()


def test_what_a_decoder_expects_next(catalog: Catalog, minilm: LoadedModel) -> None:
    loaded = catalog.load("tiny-llama")
    found = pretrained_walk(loaded, TEXT, layer=0, token=4)
    with torch.no_grad():
        chances = torch.softmax(loaded.model(**tokenise(loaded, TEXT)[0]).logits[0, 4], dim=-1)
    best = chances.topk(5)
    assert [guess.id for guess, _ in found.guesses] == best.indices.tolist()
    np.testing.assert_allclose([guess.probability for guess, _ in found.guesses], best.values, rtol=1e-4)
    assert found.guesses[0][1] == loaded.tokenizer.decode([best.indices[0]])
    assert pretrained_walk(minilm, TEXT, layer=0, token=0).guesses == []
    assert found.nbytes > 0


def test_nothing_is_left_on_the_model(minilm: LoadedModel) -> None:
    before = [dict(module._forward_hooks) for module in minilm.model.modules()]  # the library may have left its own
    pretrained_walk(minilm, TEXT, layer=0, token=0)
    assert [dict(module._forward_hooks) for module in minilm.model.modules()] == before


@pytest.mark.full
def test_every_layout_is_tried_or_is_llamas(load: Callable[[str], LoadedModel]) -> None:
    tried = {load(name).model.config.model_type for name in ORDERS}
    normed = {name for name, layout in LAYOUTS.items() if layout.written_norms}
    other = {name for name, layout in LAYOUTS.items() if layout.multiplier or layout.has_experts}
    assert set(LAYOUTS) - tried - normed - other == {"qwen2", "vit"}  # a walk is through a text
    assert normed == {"gemma2", "gemma3_text", "olmo2", "olmo3"}
    assert other == {"granite", "mixtral", "qwen2_moe", "qwen3_moe"}
    assert LAYOUTS["qwen2"] is LAYOUTS["qwen3"]


def test_what_is_refused(catalog: Catalog, minilm: LoadedModel, decoder: Callable[[str], LoadedModel]) -> None:
    for name, why in (
        ("olmo2", "olmo2 norms or rescales what its attention and its feed-forward layer write"),
        ("granite", "granite norms or rescales"),
        ("mixtral", "feed-forward layers of mixtral are mixtures of experts"),
    ):
        with pytest.raises(ModelUnavailableError, match=why):
            pretrained_walk(decoder(name), TEXT, layer=0, token=0)
    for name in ("tiny-t5", "tiny-bart"):
        with pytest.raises(ModelUnavailableError, match=f"{name} has two residual streams"):
            pretrained_walk(catalog.load(name), TEXT, layer=0, token=0)
    with pytest.raises(ReadsImagesError):
        pretrained_walk(catalog.load("tiny-vit"), TEXT, layer=0, token=0)
    for layer, token, field in ((6, 0, "layer"), (-1, 0, "layer"), (0, 99, "token")):
        with pytest.raises(SelectionError, match=f"{field} must be from 0 to") as error:
            pretrained_walk(minilm, TEXT, layer=layer, token=token)
        assert error.value.field == field
    with pytest.raises(Cancelled, match="the walk was cancelled"):
        pretrained_walk(minilm, TEXT, layer=0, token=0, cancelled=lambda: True)
