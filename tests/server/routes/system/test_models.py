"""The catalog over HTTP."""

from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings


def test_what_there_is_and_what_cannot_be_had(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{not json")
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=("some/model",), preload=False)
    with TestClient(create_app(settings)) as client:
        answer = client.get("/api/models").json()
    assert answer["default"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert answer["memory"] == {"used_bytes": 0, "limit_bytes": settings.max_model_bytes}
    assert answer["any_hub_id"] is False
    models = {model["id"]: model for model in answer["models"]}
    assert list(models) == ["broken", "sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini", "some/model"]
    assert models["sentence-transformers/all-MiniLM-L6-v2"] == {
        "id": "sentence-transformers/all-MiniLM-L6-v2",
        "title": models["sentence-transformers/all-MiniLM-L6-v2"]["title"],
        "architecture": "BertModel",
        "kind": "encoder",
        "layers": 6,
        "heads": 12,
        "kv_heads": 12,
        "head_dim": 32,
        "max_tokens": 512,
        "positions": "learned",
        "source": "package",
        "available": True,
        "reason": None,
        "reads": "text",
        "mask_token": None,
        "self_check": None,
        "loaded": False,
        "loading": None,
    }
    for name in ("broken", "some/model"):
        assert models[name]["available"] is False
        assert models[name]["reason"]
        assert str(tmp_path) not in models[name]["reason"]


def test_a_model_that_cannot_be_had_is_refused_with_the_reason(tmp_path, assert_error):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{not json")
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=("some/model",), preload=False)
    with TestClient(create_app(settings)) as client:
        for model in ("broken", "some/model"):
            response = client.post("/api/analyses", json={"model": model, "text": "a"})
            message = assert_error(response, 409, "model_unavailable", "model")
            assert str(tmp_path) not in message
        good = {"model": "sentence-transformers/all-MiniLM-L6-v2", "text": "a"}
        assert client.post("/api/analyses", json=good).status_code == 200
