"""The catalog over HTTP."""

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings


@pytest.mark.full
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
    built_in = ["sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini", "observatory-gpt2-names"]
    assert list(models) == ["broken", *built_in, "some/model"]
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
        "max_target_tokens": None,
        "positions": "learned",
        "source": "package",
        "available": True,
        "reason": None,
        "reads": "text",
        "purpose": models["sentence-transformers/all-MiniLM-L6-v2"]["purpose"],
        "mask_token": None,
        "parameters": 22_713_728,
        "size_bytes": 90_868_376,
        "licence": "apache-2.0",
        "support": "carried",
        "support_reason": None,
        "has_chat_template": False,
        "takes_pairs": True,
        "is_here": True,
        "base": None,
        "text_part_of": None,
        "caveats": [],
        "self_check": None,
        "loaded": False,
        "loading": None,
    }
    for name in ("broken", "some/model"):
        assert models[name]["available"] is False
        assert models[name]["reason"]
        assert str(tmp_path) not in models[name]["reason"]


@pytest.mark.full
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


@pytest.mark.full
def test_the_hub_is_searched_where_the_operator_allows_it(client, assert_error):
    message = assert_error(client.get("/api/models/search?query=gpt2"), 403, "hub_not_allowed")
    assert "OBSERVATORY_ALLOW_ANY_HUB_MODEL" in message
    assert_error(client.get("/api/models/preview?model=some/model"), 404, "unknown_model", "model")
    assert_error(client.get("/api/models/search?query="), 422, "invalid_request", "query", 1)
    with TestClient(create_app(Settings(device="cpu", preload=False, allow_any_hub_model=True))) as open_client:
        for path in ("search?query=gpt2", "preview?model=some/model"):
            message = assert_error(open_client.get(f"/api/models/{path}"), 409, "model_unavailable", "model")
            assert "switched off" in message


def test_a_preview_of_a_model_that_is_here_is_its_line_in_the_list(client):
    (listed,) = [each for each in client.get("/api/models").json()["models"] if each["id"] == "observatory-gpt2-mini"]
    preview = client.get("/api/models/preview?model=observatory-gpt2-mini").json()
    assert preview == {name: listed[name] for name in preview}
    assert (preview["parameters"], preview["layers"], preview["is_here"]) == (4_340_736, 6, True)


@pytest.mark.full
def test_the_hubs_cache_is_listed_unless_the_operator_says_no(tmp_path, monkeypatch):
    snapshot = tmp_path / "models--some--model" / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text('{"model_type": "mamba", "architectures": ["MambaForCausalLM"]}')
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for is_listed in (True, False):
        settings = Settings(device="cpu", hub_models=(), preload=False, hub_cache=is_listed)
        with TestClient(create_app(settings)) as client:
            found = [each for each in client.get("/api/models").json()["models"] if each["source"] == "hub"]
        assert [(each["id"], each["available"], each["support"], each["is_here"]) for each in found] == (
            [("some/model", False, "refused", True)] if is_listed else []
        )


def test_built_in_models_alone_say_what_each_is_good_for(client):
    said = {
        "en": ["links between words", "induction heads", "patching"],
        "ja": ["つながり", "インダクション", "パッチング"],
    }
    for language, words in said.items():
        listed = client.get("/api/models", headers={"Accept-Language": language}).json()["models"]
        purposes = [model["purpose"] for model in listed if model["source"] == "package"]
        assert [word in purpose for word, purpose in zip(words, purposes, strict=True)] == [True, True, True]
        assert {model["purpose"] for model in listed if model["source"] != "package"} <= {None}
