"""/api/truncation: what it keeps, POST /api/analyses takes, to the last token."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def post(client: TestClient, path: str = "/api/truncation", **request: Any) -> Any:
    return client.post(path, json={"model": MINILM, **request})


@pytest.mark.full
def test_what_is_kept_is_analysed(client: TestClient) -> None:
    text = "吾輩は猫である。😀 " * 120
    assert post(client, "/api/analyses", text=text).json()["error"]["code"] == "text_too_long"
    kept = post(client, text=text).json()
    assert kept["cut"] == ["text"]
    assert text.startswith(kept["text"])
    tokens = post(client, "/api/analyses", text=kept["text"]).json()["tokens"]
    assert (kept["model"], kept["tokens"], kept["limit"]) == (MINILM, len(tokens), 512)
    assert len(tokens) == 512
    rest = text[len(kept["text"]) :].lstrip()[0]
    assert len(post(client, text=f"{rest} a").json()["text"]) == 3  # what fits is kept as it is


@pytest.mark.full
def test_of_two_texts_the_longer_is_cut(client: TestClient) -> None:
    kept = post(client, text="word " * 9, text_pair="cat " * 600).json()
    assert (kept["cut"], kept["text"], kept["tokens"]) == (["text_pair"], "word " * 9, 512)
    assert kept["text_pair"].split() == ["cat"] * (512 - 3 - 9)
    assert post(client, "/api/analyses", text=kept["text"], text_pair=kept["text_pair"]).status_code == 200


@pytest.mark.full
def test_the_operator_s_limits_hold() -> None:
    settings = Settings(device="cpu", hub_models=(), preload=False, max_tokens=20, max_characters=40)
    with TestClient(create_app(settings)) as client:
        kept = post(client, text="word " * 100).json()
        assert (kept["text"], kept["tokens"], kept["limit"]) == ("word " * 8, 10, 20)
        kept = post(client, text="a " * 100).json()
        assert (kept["text"], kept["tokens"]) == ("a " * 17 + "a", 20)


@pytest.mark.parametrize(
    ("request_", "status", "code", "field"),
    [
        ({"text": " "}, 422, "text_empty", "text"),
        ({"text": "a", "text_pair": ""}, 422, "text_empty", "text_pair"),
        ({"text": "a", "model": "nobody/nothing"}, 404, "unknown_model", "model"),
        ({"text": 3}, 422, "invalid_request", "text"),
        ({"text": "a", "most": 3}, 422, "invalid_request", "most"),
    ],
)
def test_what_cannot_be_cut(
    client: TestClient, assert_error: Any, request_: dict[str, Any], status: int, code: str, field: str
) -> None:
    assert_error(post(client, **request_), status, code, field)
