"""Logit lens and direct effects over HTTP, of a small decoder in a folder, and errors in the one shape."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
TEXT = "abcab"


@pytest.fixture(scope="module")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of three layers that reads bytes."""
    directory = tmp_path_factory.mktemp("models")
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_layer=3, n_head=2, n_embd=16, n_positions=32))
    model.save_pretrained(directory / "bytes")
    alphabet = {character: index for index, character in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(directory / "bytes")
    return directory


@pytest.fixture(scope="module")
def client(models_dir: Path) -> Iterator[TestClient]:
    settings = Settings(device="cpu", hub_models=(), preload=False, models_dir=models_dir)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def analysis(client: TestClient) -> dict:
    return client.post("/api/analyses", json={"model": "bytes", "text": TEXT}).json()


def test_the_lens_ends_at_the_prediction(client: TestClient, analysis: dict) -> None:
    answer = client.get(f"/api/analyses/{analysis['id']}/logit_lens?position=4&k=10").json()
    assert [state["layer"] for state in answer["states"]] == [-1, 0, 1, 2]
    candidates = analysis["predictions"][0]["candidates"]
    last = answer["states"][-1]
    assert [each["id"] for each in last["candidates"]] == [each["id"] for each in candidates]
    assert [each["probability"] for each in last["candidates"]] == pytest.approx(
        [each["probability"] for each in candidates], rel=1e-4
    )
    assert (answer["position"], answer["token_id"], last["rank"]) == (4, candidates[0]["id"], 0)
    assert last["probability"] == last["candidates"][0]["probability"]
    assert 0 < last["entropy"] < np.log(256)


def test_direct_effects_add_up_to_the_logit(client: TestClient, analysis: dict) -> None:
    best, second = analysis["predictions"][0]["candidates"][:2]
    path = f"/api/analyses/{analysis['id']}/direct_effect?position=4"
    for answer, logit in (
        (client.get(path).json(), best["logit"]),
        (client.get(f"{path}&token={second['id']}").json(), second["logit"]),
        (client.get(f"{path}&against={second['id']}").json(), best["logit"] - second["logit"]),
    ):
        assert np.array(answer["heads"]).shape == (3, 2)
        shares = np.sum(answer["heads"]) + sum(answer["attention_bias"]) + sum(answer["feed_forward"])
        assert shares + answer["embedding"] + answer["constant"] == pytest.approx(logit, abs=1e-5)
        assert answer["total"] == pytest.approx(answer["logit"], abs=1e-5) == pytest.approx(logit, abs=1e-5)
    assert (answer["token_text"], answer["against_text"]) == (best["text"], second["text"])


@pytest.mark.parametrize(
    ("query", "status", "code", "field", "limit"),
    [
        ("logit_lens", 422, "invalid_request", "position", None),
        ("logit_lens?position=5", 422, "out_of_range", "position", 4),
        ("logit_lens?position=0&k=51", 422, "invalid_request", "k", 50),
        ("logit_lens?position=0&token=256", 422, "out_of_range", "token", 255),
        ("direct_effect?position=-1", 422, "out_of_range", "position", 4),
        ("direct_effect?position=0&token=-1", 422, "out_of_range", "token", 255),
        ("direct_effect?position=0&against=256", 422, "out_of_range", "against", 255),
    ],
)
def test_errors(client, analysis, assert_error, query, status, code, field, limit):
    assert_error(client.get(f"/api/analyses/{analysis['id']}/{query}"), status, code, field, limit)


@pytest.mark.full
def test_an_encoder_predicts_nothing_next(client, assert_error):
    analysis = client.post("/api/analyses", json={"model": MINILM, "text": TEXT}).json()
    for name in ("logit_lens", "direct_effect"):
        response = client.get(f"/api/analyses/{analysis['id']}/{name}?position=0")
        assert "available only for decoders" in assert_error(response, 409, "model_unavailable", "model")
