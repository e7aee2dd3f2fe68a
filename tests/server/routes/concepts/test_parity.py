"""/api/parity on the real model of an installed package, and on a tiny decoder in a folder."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
TEXT = "The cat sat on the mat because it was tired."


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/parity", json={"model": MINILM, "text": TEXT, **request})
    assert response.status_code == 200, response.json()
    return response.json()


def test_every_head_of_a_real_model(client: TestClient) -> None:
    answer = post(client, layer=5, head=11)
    (part,) = answer["parts"]
    weights = np.array(part["weights"])
    assert weights.shape == (6, 12)
    assert weights.max() <= answer["bound"] == 1e-5
    assert list(answer["hidden_states"]) == ["encoder"]
    assert len(answer["hidden_states"]["encoder"]) == 7
    assert answer["hidden_states"]["encoder"][-1] <= 1e-5
    assert (answer["within_bound"], answer["dtype"], answer["own_decoder"]) == (True, "float32", None)
    ours, theirs = np.array(answer["ours"]), np.array(answer["theirs"])
    words = [token["text"] for token in answer["tokens"]]
    assert ours.shape == theirs.shape == (len(words), len(words))
    assert abs(ours - theirs).max() == pytest.approx(weights[5, 11], abs=1e-9)
    assert theirs[words.index("it"), words.index("cat")] == pytest.approx(0.71, abs=0.01)


@pytest.mark.full
def test_a_decoder_beside_our_own(tmp_path: Path) -> None:
    write_model_folder(tmp_path, "tiny-gpt2")
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False, models_dir=tmp_path))) as client:
        answer = post(client, model="tiny-gpt2")
    assert answer["own_decoder"]["logits"] <= 1e-5
    assert answer["part"] == "decoder"
    assert np.triu(answer["ours"], 1).max() == 0


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "limit"),
    [
        ({"text": " "}, 422, "text_empty", "text", None),
        ({"text": 5}, 422, "invalid_request", "text", None),
        ({"text": "a " * 600}, 422, "text_too_long", "text", 512),
        ({"text": "a" * 200_001}, 422, "text_too_long", "text", 200_000),
        ({"layer": 6}, 422, "out_of_range", "layer", 5),
        ({"head": 12}, 422, "out_of_range", "head", 11),
        ({"head": -1}, 422, "invalid_request", "head", 0),
        ({"part": "cross"}, 422, "out_of_range", "part", None),
        ({"part": "head"}, 422, "invalid_request", "part", None),
        ({"model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/parity", json={"model": MINILM, "text": TEXT, **body}), status, code, field, limit)
