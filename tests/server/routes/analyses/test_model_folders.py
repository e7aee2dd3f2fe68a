"""Model folders that the code has never seen: other architectures, grouped heads, several parts, over HTTP."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from starlette.testclient import TestClient
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast

from server.app import create_app
from server.settings import Settings

TEXT = "the cat sat on the mat because it was tired and the mat was warm"
SIZE = 300


def tiny_models() -> dict[str, PreTrainedModel]:
    torch.manual_seed(7)
    special = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    return {
        "my-gpt2": transformers.GPT2LMHeadModel(
            transformers.GPT2Config(vocab_size=SIZE, n_layer=3, n_head=5, n_embd=35, n_positions=48, **special)
        ),
        "my-llama": transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                vocab_size=SIZE,
                num_hidden_layers=2,
                num_attention_heads=6,
                num_key_value_heads=2,
                hidden_size=36,
                intermediate_size=40,
                max_position_embeddings=64,
                **special,
            )
        ),
        "my-t5": transformers.T5ForConditionalGeneration(
            transformers.T5Config(
                vocab_size=SIZE,
                num_layers=2,
                num_decoder_layers=3,
                num_heads=3,
                d_model=24,
                d_kv=7,
                d_ff=32,
                decoder_start_token_id=1,
                **special,
            )
        ),
    }


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of model folders as transformers writes them, with a tokenizer trained on one sentence."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator([TEXT] * 3, trainer)
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    root = tmp_path_factory.mktemp("models")
    for name, model in tiny_models().items():
        model.save_pretrained(root / name)
        fast.save_pretrained(root / name)
    return root


@pytest.fixture(scope="module")
def client(folders: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(models_dir=folders, device="cpu", hub_models=(), preload=False))) as client:
        yield client


def analyse(client: TestClient, model: str, **more: Any) -> dict[str, Any]:
    response = client.post("/api/analyses", json={"model": model, "text": TEXT, "parity": True, **more})
    assert response.status_code == 200, response.text
    return response.json()


def weights(client: TestClient, analysis: dict[str, Any], part: str, layer: int, head: int) -> np.ndarray:
    query = {"part": part, "layer": layer, "head": head}
    encoded = client.get(f"/api/analyses/{analysis['id']}/weights", params=query).json()["matrix"]
    shape = [int(size) for size in encoded["shape"].split(",")]
    return np.frombuffer(base64.b64decode(encoded["bdata"]), "<f4").reshape(shape)


def eager(folder: Path, model_class: type[PreTrainedModel], **inputs: list[int]) -> Any:
    model = model_class.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        tensors = {name: torch.tensor([ids]) for name, ids in inputs.items()}
        return model(**tensors, output_attentions=True)


@pytest.mark.full
@pytest.mark.parametrize(("name", "heads", "kv_heads"), [("my-gpt2", 5, 5), ("my-llama", 6, 2)])
def test_decoders(client, folders, name, heads, kv_heads):
    analysis = analyse(client, name)
    assert (analysis["heads"], analysis["kv_heads"], analysis["causal"]) == (heads, kv_heads, True)
    ids = AutoTokenizer.from_pretrained(folders / name)(TEXT)["input_ids"]
    assert [token["id"] for token in analysis["tokens"]] == ids
    expected = eager(folders / name, transformers.AutoModelForCausalLM, input_ids=ids)
    for layer, attention in enumerate(expected.attentions):
        for head in range(heads):
            got = weights(client, analysis, "decoder", layer, head)
            np.testing.assert_allclose(got, attention[0, head].numpy(), rtol=0, atol=1e-5)
    assert analysis["parity"]["weights"] < 1e-5
    (prediction,) = analysis["predictions"]
    assert (prediction["kind"], prediction["index"]) == ("next_token", len(ids) - 1)
    best = expected.logits[0, -1].softmax(-1).topk(3)
    assert [candidate["id"] for candidate in prediction["candidates"][:3]] == best.indices.tolist()
    np.testing.assert_allclose(
        [candidate["probability"] for candidate in prediction["candidates"][:3]], best.values.numpy(), atol=1e-6
    )


def test_what_a_causal_mask_hides_is_minus_infinity_and_weight_0(client):
    analysis = analyse(client, "my-gpt2")
    path = f"/api/analyses/{analysis['id']}/weights?layer=1&head=2"
    scores = client.get(f"{path}&stage=masked_scores&encoding=json").json()["matrix"]
    got = client.get(f"{path}&encoding=json").json()["matrix"]
    for row, (row_scores, row_weights) in enumerate(zip(scores, got, strict=True)):
        assert row_scores[row + 1 :] == ["-Infinity"] * (len(scores) - row - 1)
        assert row_weights[row + 1 :] == [0.0] * (len(scores) - row - 1)
        assert all(isinstance(score, float) for score in row_scores[: row + 1])
        assert sum(row_weights) == pytest.approx(1, abs=1e-5)
    raw = client.get(f"{path}&stage=masked_scores&encoding=base64").json()["matrix"]["bdata"]
    assert np.isneginf(np.frombuffer(base64.b64decode(raw), "<f4")).sum() == len(scores) * (len(scores) - 1) // 2


@pytest.mark.full
def test_encoder_decoder_models_have_three_parts(client, folders):
    analysis = analyse(client, "my-t5", target_text="the cat was warm")
    parts = {part["name"]: part for part in analysis["parts"]}
    assert list(parts) == ["encoder", "decoder", "cross"]
    source, target = len(analysis["tokens"]), len(analysis["target_tokens"])
    assert source != target
    expected = eager(
        folders / "my-t5",
        transformers.T5ForConditionalGeneration,
        input_ids=[token["id"] for token in analysis["tokens"]],
        decoder_input_ids=[token["id"] for token in analysis["target_tokens"]],
    )
    theirs = {
        "encoder": (expected.encoder_attentions, source, source, "source", "source", False),
        "decoder": (expected.decoder_attentions, target, target, "target", "target", True),
        "cross": (expected.cross_attentions, target, source, "target", "source", False),
    }
    for name, (attentions, queries, keys, query_side, key_side, causal) in theirs.items():
        part = parts[name]
        assert (part["query_tokens"], part["key_tokens"]) == (queries, keys)
        assert (part["query_side"], part["key_side"], part["causal"]) == (query_side, key_side, causal)
        for layer, attention in enumerate(attentions):
            for head in range(3):
                got = weights(client, analysis, name, layer, head)
                np.testing.assert_allclose(got, attention[0, head].numpy(), rtol=0, atol=1e-5)
    assert parts["encoder"]["overview"] is None
    assert parts["cross"]["overview"]["shape"] == f"3,3,{target},{source}"
    assert set(parts["cross"]["metrics"]) < set(parts["decoder"]["metrics"])
    assert set(analysis["metric_info"]) >= set(parts["cross"]["metrics"])


@pytest.mark.full
def test_a_default_part_is_the_first(client):
    analysis = analyse(client, "my-t5")
    first = client.get(f"/api/analyses/{analysis['id']}/weights?layer=0&head=0").json()
    assert (first["part"], first["shape"]) == ("encoder", [len(analysis["tokens"])] * 2)


def test_positions_end_where_the_model_says(client, assert_error):
    response = client.post("/api/analyses", json={"model": "my-gpt2", "text": "cat " * 60})
    assert_error(response, 422, "text_too_long", "text", 48)
