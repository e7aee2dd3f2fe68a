"""Circuits against naive tokens × tokens matrices made with numpy, and against the model's own queries and keys."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, NoCircuitsError, SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.studies.circuits.circuit_weights import decoder_of
from attention_core.pretrained.studies.circuits.circuits import CircuitRow, head_circuits, token_text

NAMES = ["tiny-gpt2", "tiny-llama", "tiny-mistral", "tiny-gpt-neox"]


def shaken(loaded: LoadedModel) -> LoadedModel:
    """Gains, biases and embeddings of a fresh model are too plain to tell a right formula from a wrong one."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in loaded.model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return loaded


@pytest.fixture(scope="module")
def models(models_dir: Any) -> dict[str, LoadedModel]:
    own = Catalog(models_dir=models_dir, device="cpu")
    return {name: shaken(own.load(name)) for name in NAMES}


def numbers(tensor: Any) -> np.ndarray:
    return tensor.detach().double().numpy()


def naive(loaded: LoadedModel, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    """The whole QK circuit (rows minus their means) and the whole OV circuit."""
    model: Any = loaded.model
    name = loaded.entry.id
    ids = sorted(set(loaded.tokenizer.get_vocab().values()))
    with torch.no_grad():
        if name == "tiny-gpt2":
            block, final = model.transformer.h[layer], model.transformer.ln_f
            attention, norm = block.attn, block.ln_1
            fused, bias = numbers(attention.c_attn.weight), numbers(attention.c_attn.bias)
            parts = [(fused[:, at : at + 32], bias[at : at + 32]) for at in (0, 32, 64)]
            wq, wk, wv = ((w[:, 8 * head : 8 * head + 8], b[8 * head : 8 * head + 8]) for w, b in parts)
            wo, size = numbers(attention.c_proj.weight), 8
        elif name == "tiny-gpt-neox":
            block, final = model.gpt_neox.layers[layer], model.gpt_neox.final_layer_norm
            attention, norm = block.attention, block.input_layernorm
            fused, bias = numbers(attention.query_key_value.weight).T, numbers(attention.query_key_value.bias)
            starts = [24 * head + at for at in (0, 8, 16)]
            wq, wk, wv = ((fused[:, at : at + 8], bias[at : at + 8]) for at in starts)
            wo, size = numbers(attention.dense.weight).T, 8
        else:
            block, final = model.model.layers[layer], model.model.norm
            attention, norm = block.self_attn, block.input_layernorm
            size = 6 if name == "tiny-llama" else 8
            at, shared = size * head, size * (head // 2)
            wq = numbers(attention.q_proj.weight).T[:, at : at + size], np.zeros(size)
            wk = numbers(attention.k_proj.weight).T[:, shared : shared + size], np.zeros(size)
            wv = numbers(attention.v_proj.weight).T[:, shared : shared + size], np.zeros(size)
            wo = numbers(attention.o_proj.weight).T
        embedded = numbers(norm(model.get_input_embeddings().weight[ids]))
        shift = numbers(norm.bias) if hasattr(norm, "bias") else np.zeros(32)
        unembedding = numbers(model.get_output_embeddings().weight[ids])
    qk = (embedded @ wq[0] + wq[1]) @ (embedded @ wk[0] + wk[1]).T / np.sqrt(size)
    written = (embedded - shift) @ wv[0] @ wo[size * head : size * head + size]
    if hasattr(norm, "bias"):
        written -= written.mean(axis=1, keepdims=True)
    ov = written * numbers(final.weight) @ unembedding.T
    return qk - qk.mean(axis=1, keepdims=True), ov


def check_row(row: CircuitRow, expected: np.ndarray, token: int, limit: int) -> None:
    order = np.argsort(expected)
    assert [each.id for each in row.highest] == order[::-1][:limit].tolist()
    assert [each.id for each in row.lowest] == order[:limit].tolist()
    np.testing.assert_allclose([each.score for each in row.highest], expected[order[::-1][:limit]], rtol=1e-4)
    np.testing.assert_allclose([each.score for each in row.lowest], expected[order[:limit]], rtol=1e-4)
    assert row.own == pytest.approx(expected[token], abs=1e-3)
    assert row.own_rank == int((expected > expected[token]).sum())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("layer", "head"), [(0, 3), (1, 1)])
def test_against_naive_matrices(models: dict[str, LoadedModel], name: str, layer: int, head: int) -> None:
    loaded = models[name]
    qk, ov = naive(loaded, layer, head)
    centred = ov - ov.mean(axis=1, keepdims=True)
    found = head_circuits(loaded, layer, head, token="a", limit=7)  # noqa: S106 - of a text
    token = loaded.tokenizer("a", add_special_tokens=False)["input_ids"][0]
    assert (found.token_id, found.token_text, found.vocabulary) == (token, "a", len(qk))
    assert found.key_head == (head // 2 if name in {"tiny-llama", "tiny-mistral"} else head)
    assert found.attends_to is not None
    assert found.writes is not None
    check_row(found.attends_to, qk[token], token, 7)
    check_row(found.writes, centred[token], token, 7)
    for pairs, matrix in ((found.attention_pairs, qk), (found.writing_pairs, centred)):
        best = np.argsort(-matrix, axis=None)[:7]
        assert [(pair.id, pair.other_id) for pair in pairs] == list(
            zip(*(each.tolist() for each in np.unravel_index(best, matrix.shape)), strict=True)
        )
        np.testing.assert_allclose([pair.score for pair in pairs], matrix.ravel()[best], rtol=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_eigenvalues_of_the_whole_matrix(models: dict[str, LoadedModel], name: str) -> None:
    loaded = models[name]
    _, ov = naive(loaded, 1, 2)
    whole = np.linalg.eigvals(ov)
    found = head_circuits(loaded, 1, 2)
    mine = found.eigenvalues[:, 0] + 1j * found.eigenvalues[:, 1]
    size = len(mine)
    assert len(ov) > 10 * size
    expected = whole[np.argsort(-np.abs(whole))]
    assert np.abs(expected[size:]).max() < 1e-6 * np.abs(expected[0])
    np.testing.assert_allclose(np.sort_complex(mine), np.sort_complex(expected[:size]), atol=1e-3 * abs(mine[0]))
    assert np.all(np.diff(np.abs(mine)) <= 1e-9)
    assert found.copying_score == pytest.approx((whole.sum() / np.abs(whole).sum()).real, abs=1e-4)
    assert found.attends_to is None
    assert found.token_text is None


@pytest.mark.parametrize("name", NAMES)
def test_queries_and_keys_are_the_models_own(models: dict[str, LoadedModel], name: str) -> None:
    """At position 0 RoPE rotates nothing; GPT-2's embedding of the position is taken away first."""
    loaded = models[name]
    model: Any = loaded.model
    decoder = decoder_of(loaded)
    weights = decoder.layer(0)
    position = model.transformer.wpe.weight if name == "tiny-gpt2" else None
    kept = None if position is None else position.clone()
    try:
        if position is not None:
            position.zero_()
        for token in (5, 77, 200):
            with torch.no_grad(), record() as recording:
                model(input_ids=torch.tensor([[token]]))
            attention = recording.layers[0].attention
            (_, embedded), *_ = decoder.normalised(weights.epsilon, torch.tensor([token]))
            queries = (embedded @ weights.query)[:, 0] + weights.query_bias
            keys = (embedded @ weights.key)[:, 0] + weights.key_bias
            torch.testing.assert_close(queries, attention.queries[0, :, 0], atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(
                keys[:: 4 // attention.keys.shape[1]], attention.keys[0, :, 0], atol=1e-4, rtol=1e-4
            )
            assert weights.scale == pytest.approx(attention.scale)
    finally:
        if position is not None:
            position.copy_(kept)


def test_a_token_that_is_no_whole_character(models: dict[str, LoadedModel]) -> None:
    loaded = models["tiny-gpt2"]
    byte = next(id_ for text, id_ in loaded.tokenizer.get_vocab().items() if text == "\u00c3")
    assert token_text(loaded, byte) == "\u00c3"
    assert token_text(loaded, loaded.tokenizer("t")["input_ids"][0]) == "t"


def test_what_is_said_about_norms_and_positions(models: dict[str, LoadedModel]) -> None:
    gpt2, llama = ([str(each) for each in head_circuits(models[name], 0, 0).treatment] for name in NAMES[:2])
    assert gpt2[0].startswith("LayerNorm: gain and bias are folded")
    assert gpt2[1].startswith("Position embeddings are left out")
    assert llama[0].startswith("RMSNorm: its gain is folded")
    assert llama[1].startswith("RoPE: the scores are those at a distance of 0")
    assert gpt2[2:] == llama[2:]


def test_what_is_refused(catalog: Catalog, models: dict[str, LoadedModel], minilm: LoadedModel) -> None:
    for loaded in (minilm, catalog.load("tiny-t5"), catalog.load("tiny-vit")):
        with pytest.raises(NoCircuitsError, match="decoders, whose heads write into the logits of the next") as error:
            head_circuits(loaded, 0, 0)
        assert error.value.field == "model"
    with pytest.raises(NoCircuitsError, match="GPT2, GPTNeoX, Llama, Mistral, Qwen2; tiny-qwen3 is of another kind"):
        head_circuits(catalog.load("tiny-qwen3"), 0, 0)
    tiny = models["tiny-gpt2"]
    with pytest.raises(SelectionError, match="layer must be from 0 to 1, not 2"):
        head_circuits(tiny, 2, 0)
    with pytest.raises(SelectionError, match="head must be from 0 to 3, not -1"):
        head_circuits(tiny, 0, -1)
    with pytest.raises(SelectionError, match="limit must be from 1 to 50, not 51"):
        head_circuits(tiny, 0, 0, limit=51)
    with pytest.raises(
        SelectionError, match="'xyz' is not one token of this vocabulary but 3: “x”, “y”, “z”"
    ) as several:
        head_circuits(tiny, 0, 0, token="xyz")  # noqa: S106 - of a text
    assert several.value.field == "token"
    with pytest.raises(SelectionError, match="'' is not one token of this vocabulary but 0: –"):
        head_circuits(tiny, 0, 0, token="")
    with pytest.raises(Cancelled, match="the computation was cancelled"):
        head_circuits(tiny, 0, 0, cancelled=lambda: True)
