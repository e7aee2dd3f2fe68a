"""What can be explained, over HTTP: of the shipped decoder, of MiniLM, of a picture, and errors in the one shape."""

import base64
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from starlette.testclient import TestClient
from tiny_models import write_classifier_folder
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources
from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"
TEXT = "The ship was built in 1901 , and the captain of the ship"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    directory = tmp_path_factory.mktemp("models")
    write_classifier_folder(directory)
    settings = Settings(models_dir=directory, device="cpu", hub_models=(), preload=False)
    with TestClient(create_app(settings)) as client:
        yield client


def ask(client: TestClient, model: str, position: int) -> dict:
    analysis = client.post("/api/analyses", json={"model": model, "text": TEXT}).json()
    return client.get(f"/api/analyses/{analysis['id']}/output?position={position}").json()


@pytest.mark.full
def test_the_next_token_is_that_of_the_library(client: TestClient) -> None:
    folder = Path(sources.__file__).parent / "shipped" / DECODER
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        logits = model(**AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")).logits[0, 4]
    answer = ask(client, DECODER, 4)
    best = logits.topk(10)
    assert [one["id"] for one in answer["candidates"]] == best.indices.tolist()
    np.testing.assert_allclose([one["logit"] for one in answer["candidates"]], best.values, atol=1e-4)
    assert (answer["kind"], answer["position"], answer["vocabulary"]) == ("next_token", 4, 4096)
    assert answer["looks"] == ["logit_lens", "direct_effect", "attribution"]


@pytest.mark.full
def test_an_embedding(client: TestClient) -> None:
    answer = ask(client, MINILM, 0)
    assert (answer["kind"], answer["position"], answer["candidates"]) == ("embedding", None, [])
    assert answer["looks"] == ["attribution"]
    assert answer["weights"] % 72 == 0
    assert answer["max_weights"] == 2**24


def test_a_class_and_its_attribution(client: TestClient) -> None:
    buffer = io.BytesIO()
    Image.effect_mandelbrot((8, 8), (-2, -1.5, 1, 1.5), 20).convert("RGB").save(buffer, format="PNG")
    body = {"model": "tiny-vit-classes", "image": base64.b64encode(buffer.getvalue()).decode()}
    analysis = client.post("/api/analyses/image", json=body).json()
    path = f"/api/analyses/{analysis['id']}"
    answer = client.get(f"{path}/output?position=2").json()
    assert (answer["kind"], answer["position"], answer["looks"]) == ("class", None, ["attribution"])
    for found, expected in zip(answer["candidates"], analysis["predictions"][0]["candidates"], strict=True):
        assert found == pytest.approx(expected)
    first, second = answer["candidates"][:2]
    shares = client.get(f"{path}/attribution?against={second['id']}&layer=1&head=0&encoding=json").json()
    assert (shares["token_text"], shares["against_text"]) == (first["text"], second["text"])
    assert shares["output"] == pytest.approx(first["logit"] - second["logit"], abs=1e-5)
    assert np.sum(shares["matrix"]) == pytest.approx(shares["parts"][0]["heads"][1][0], abs=1e-6)


@pytest.mark.full
def test_errors(client, assert_error):
    analysis = client.post("/api/analyses", json={"model": DECODER, "text": TEXT}).json()
    last = len(analysis["tokens"]) - 1
    path = f"/api/analyses/{analysis['id']}/output"
    assert_error(client.get(path), 422, "invalid_request", "position", None)
    assert_error(client.get(f"{path}?position={last + 1}"), 422, "out_of_range", "position", last)
    assert_error(client.get(f"{path}?position=-1"), 422, "out_of_range", "position", last)
    assert_error(client.get("/api/analyses/none/output?position=0"), 404, "analysis_expired", "analysis_id", None)
    tensors = client.post("/api/tensors", json={"weights": [[1, 0], [0.5, 0.5]], "tokens": ["a", "b"]}).json()
    response = client.get(f"/api/analyses/{tensors['id']}/output?position=0")
    assert "made without a model" in assert_error(response, 422, "needs_text", "analysis_id", None)
