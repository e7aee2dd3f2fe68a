"""Gradient × attention over HTTP: against autograd through the library's own model, and errors in the one shape."""

import base64

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient
from transformers import AutoModel, AutoTokenizer

from attention_core.pretrained.models.sources import package_folders

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SENTENCE = "The cat sat on the mat because it was tired."


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    answer = client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE}).json()
    return f"/api/analyses/{answer['id']}/attribution"


def expected(component: int, position: int) -> np.ndarray:
    """Weight × gradient of one number of the last hidden state, (L, H, N, N)."""
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    outputs = model(**AutoTokenizer.from_pretrained(folder)(SENTENCE, return_tensors="pt"), output_attentions=True)
    gradients = torch.autograd.grad(outputs.last_hidden_state[0, position, component], outputs.attentions)
    shares = [weights * gradient for weights, gradient in zip(outputs.attentions, gradients, strict=True)]
    return torch.cat(shares).detach().numpy()


def test_a_component(client: TestClient, path: str) -> None:
    shares = expected(component=7, position=9)
    answer = client.get(f"{path}?component=7&position=9&layer=3&head=1").json()
    matrix = np.frombuffer(base64.b64decode(answer["matrix"]["bdata"]), "<f4").reshape(13, 13)
    np.testing.assert_allclose(matrix, shares[3, 1], atol=1e-5)
    np.testing.assert_allclose(answer["parts"][0]["heads"], shares.sum(axis=(-1, -2)), atol=1e-4)
    named = ("target", "position", "component", "token_id", "part", "layer", "head", "shape")
    assert [answer[name] for name in named] == ["component", 9, 7, None, "encoder", 3, 1, [13, 13]]
    nested = client.get(f"{path}?component=7&position=9&layer=3&head=1&encoding=json").json()["matrix"]
    np.testing.assert_array_equal(np.array(nested, dtype=np.float32), matrix)


def test_the_embedding_unless_told(client: TestClient, path: str) -> None:
    answer = client.get(path).json()
    assert (answer["target"], answer["matrix"], answer["part"], answer["shape"]) == ("embedding", None, None, None)
    assert [part["name"] for part in answer["parts"]] == ["encoder"]
    assert np.array(answer["parts"][0]["heads"]).shape == (6, 12)
    assert answer["output"] > 0


@pytest.mark.parametrize(
    ("query", "status", "code", "field", "limit"),
    [
        ("target=logit", 409, "model_unavailable", "model", None),
        ("target=none", 422, "invalid_request", "target", None),
        ("target=component", 422, "out_of_range", "component", None),
        ("component=384", 422, "out_of_range", "component", 383),
        ("component=0&position=13", 422, "out_of_range", "position", 12),
        ("part=cross", 422, "out_of_range", "part", None),
        ("layer=0", 422, "invalid_request", "head", None),
        ("head=0", 422, "invalid_request", "layer", None),
        ("layer=6&head=0", 422, "out_of_range", "layer", 5),
        ("layer=0&head=12", 422, "out_of_range", "head", 11),
    ],
)
def test_errors(client, path, assert_error, query, status, code, field, limit):
    assert_error(client.get(f"{path}?{query}"), status, code, field, limit)


@pytest.mark.full
def test_long_texts_are_refused_by_name(client, assert_error):
    answer = client.post("/api/analyses", json={"model": MINILM, "text": "cat " * 490}).json()
    response = client.get(f"/api/analyses/{answer['id']}/attribution")
    message = assert_error(response, 422, "window_too_large", "analysis_id", 2**24)
    assert "use a shorter text" in message
