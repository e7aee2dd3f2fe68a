"""The routes of training, on real processes: what is said, recorded, handed on and refused."""

import base64
import io
import json
import zipfile
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from starlette.testclient import TestClient

from attention_core.training.config import TrainingConfig
from attention_core.training.run import Training
from server.settings import Settings

TINY = {"d_model": 8, "num_heads": 2, "steps": 7, "seed": 4}


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(device="cpu", hub_models=(), preload=False, training_runs=2, training_kept_runs=3)


def events(client: TestClient, run_id: str, **options: Any) -> list[tuple[str, str | None, Any]]:
    """Every event until the stream ends: its kind, its id, its data."""
    response = client.get(f"/api/training/{run_id}/events", **options)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in response.headers
    found = []
    for block in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], lines.get("id"), json.loads(lines["data"])))
    return found


def begin(client: TestClient, **wanted: Any) -> str:
    response = client.post("/api/training", json=TINY | wanted)
    assert response.status_code == 201, response.json()
    return response.json()["id"]


def steps(found: list[tuple[str, str | None, Any]]) -> list[int]:
    return [data["step"] for kind, _, data in found if kind == "update"]


def decode(encoded: dict[str, str]) -> np.ndarray:
    shape = tuple(map(int, encoded["shape"].split(",")))
    return np.frombuffer(base64.b64decode(encoded["bdata"]), np.uint8).reshape(shape)


@pytest.mark.full
def test_training_tells_every_update_as_the_network_was(client: TestClient) -> None:
    """Beside the same run made here: losses, scores and maps of every update."""
    found = events(client, begin(client))
    assert steps(found) == [0, 2, 4, 6, 7]
    twin = Training(TrainingConfig(**TINY))  # type: ignore[arg-type]
    for kind, event_id, data in found:
        if kind != "update":
            continue
        assert event_id == str(data["step"])
        while twin.step_count < data["step"]:
            twin.step()
        update = twin.look()
        assert (data["loss"], data["accuracy"]) == (pytest.approx(update.loss, abs=1e-5), update.accuracy)
        assert np.abs(decode(data["maps"]).astype(int) - update.maps.astype(int)).max() <= 1
        for role, scores in update.scores.items():
            np.testing.assert_allclose(data["scores"][role], scores, atol=1e-4)
    assert found[-1] == ("state", None, {"state": "finished", "reason": None, "message": None, "step": 7})


@pytest.mark.full
def test_events_say_why_a_run_failed_in_the_reader_s_language(client: TestClient) -> None:
    """A rate of 10 overshoots at once; whoever follows the events is told in the language of the page."""
    run_id = begin(client, learning_rate=10.0, steps=200)
    told = {language: events(client, run_id, headers={"Accept-Language": language})[-1][2] for language in ("en", "ja")}
    step = told["en"]["step"]
    assert told["en"]["message"] == (
        f"After step {step} the loss went far above that of guessing: the steps were too large. "
        "Try a learning rate below 10."
    )
    assert told["ja"]["message"] == (
        f"ステップ {step} の後、損失が当て推量をはるかに上回った。ステップが大きすぎた。10 より小さい学習率を試す。"
    )


@pytest.mark.full
def test_a_figure_has_what_was_recorded(client: TestClient) -> None:
    run_id = begin(client)
    updates = [data for kind, _, data in events(client, run_id) if kind == "update"]
    chance = client.get(f"/api/training/{run_id}").json()["chance_loss"]
    answer = client.get(f"/api/training/{run_id}?as=figure").json()
    loss, guessing = go.Figure(answer["data"], answer["layout"]).data
    assert [list(values(loss.x)), list(values(loss.y))] == [[one[name] for one in updates] for name in ("step", "loss")]
    assert set(values(guessing.y)) == {chance}
    heads = client.get(f"/api/training/{run_id}?as=figure&draw=induction").json()["data"]
    assert [one["name"] for one in heads] == [f"{layer}.{head}" for layer in range(2) for head in range(2)]
    for one, (layer, head) in zip(heads, np.ndindex(2, 2), strict=True):
        assert list(values(one["y"])) == [update["scores"]["induction"][layer][head] for update in updates]
    before = client.get(f"/api/training/{run_id}/figure?curve=induction").json()["data"]
    assert before == heads, "where links of earlier versions lead"
    assert client.get(f"/api/training/{run_id}?as=figure&draw=x").status_code == 422
    assert client.get("/api/training/none?as=figure").status_code == 404


def values(array: Any) -> np.ndarray:
    """An array in Plotly's typed form, or as it is."""
    return np.frombuffer(base64.b64decode(array["bdata"]), "<" + array["dtype"]) if isinstance(array, dict) else array


@pytest.mark.full
def test_training_goes_on_where_a_reader_left(client: TestClient) -> None:
    run_id = begin(client)
    everything = events(client, run_id)
    assert steps(events(client, run_id, headers={"last-event-id": "2"})) == [4, 6, 7]
    assert steps(events(client, run_id, params={"after": 6})) == [7]
    assert steps(events(client, run_id, params={"after": 2}, headers={"last-event-id": "6"})) == [7]
    assert steps(events(client, run_id, headers={"last-event-id": "nonsense"})) == steps(everything)
    assert [kind for kind, _, _ in events(client, run_id, params={"after": 7})] == ["state"]


def test_training_answers_what_the_network_is(client: TestClient) -> None:
    answer = client.post("/api/training", json=TINY | {"positions": "alibi", "num_kv_heads": 1}).json()
    assert answer["config"] == {
        "task": "repeat",
        "num_layers": 2,
        "mechanism": "scaled",
        "feed_forward": False,
        "learning_rate": 0.01,
        **TINY,
        "positions": "alibi",
        "num_kv_heads": 1,
    }
    assert answer["parameters"] == 2 * 32 * 8 + 2 * (2 * 64 + 2 * 32) + 3 * 8
    assert (answer["batch"], answer["formed"], answer["updates_every"]) == (64, 0.5, 2)
    assert len(answer["vocabulary"]) == 32
    assert answer["example"][:16] == answer["example"][16:32]
    assert answer["scored"].count(True) == 31
    assert "ALiBi" in answer["not_exportable"]
    events(client, answer["id"])
    again = client.get(f"/api/training/{answer['id']}").json()
    assert again == answer | {"state": "finished", "step": 7}


def test_training_says_what_there_is_to_choose_from(client: TestClient) -> None:
    answer = client.get("/api/training").json()
    assert [task["name"] for task in answer["tasks"]] == ["repeat", "copy", "reverse", "sort", "brackets"]
    assert answer["positions"] == ["none", "sinusoidal", "rope", "alibi"]
    assert answer["mechanisms"] == ["scaled", "cosine", "qk_norm"]
    assert answer["defaults"]["num_layers"] == 2
    assert (answer["limits"]["steps"], answer["limits"]["runs"], answer["active"]) == (2_000, 2, 0)


@pytest.mark.full
def test_training_hands_its_network_to_the_explorer(client: TestClient) -> None:
    """The maps of the last update are those of an analysis of the same words by the exported model."""
    run_id = begin(client)
    last = [data for kind, _, data in events(client, run_id) if kind == "update"][-1]
    given = client.post(f"/api/training/{run_id}/model").json()
    assert given["model"] == f"training-{run_id}-7"
    listed = {model["id"]: model for model in client.get("/api/models").json()["models"]}[given["model"]]
    assert (listed["source"], listed["layers"], listed["heads"]) == ("training", 2, 2)
    assert listed["title"] == "Learned to repeat: 2 × 2 heads, step 7"
    analysis = client.post("/api/analyses", json=given).json()
    maps = decode(last["maps"]) / 255
    for layer in range(2):
        window = client.get(
            f"/api/analyses/{analysis['id']}/weights",
            params={"layer": layer, "head": 1, "encoding": "json"},
        ).json()["matrix"]
        np.testing.assert_allclose(window, maps[layer, 1], atol=0.5 / 255 + 1e-5)
    assert client.delete(f"/api/training/{run_id}").status_code == 204
    assert given["model"] not in {model["id"] for model in client.get("/api/models").json()["models"]}
    assert client.post("/api/analyses", json=given).status_code == 404


@pytest.mark.full
def test_training_packs_its_network(client: TestClient) -> None:
    run_id = begin(client)
    events(client, run_id)
    response = client.get(f"/api/training/{run_id}/model")
    assert response.headers["content-disposition"] == f'attachment; filename="training-{run_id}-7.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        names = {name.removeprefix(f"training-{run_id}-7/") for name in archive.namelist()}
        config = json.loads(archive.read(f"training-{run_id}-7/config.json"))
    assert names == {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert run_id not in client.get("/api/models").text  # to look at a network is not to add it to the models


@pytest.mark.full
def test_what_cannot_be_packed_says_why(client: TestClient, assert_error: Any) -> None:
    run_id = begin(client, positions="alibi")
    events(client, run_id)
    for response in (client.get(f"/api/training/{run_id}/model"), client.post(f"/api/training/{run_id}/model")):
        assert "ALiBi" in assert_error(response, 409, "not_exportable", "run_id")


@pytest.mark.full
def test_a_run_that_is_over_takes_no_commands(client: TestClient, assert_error: Any) -> None:
    run_id = begin(client)
    events(client, run_id)
    for command in ("pause", "resume", "step", "stop"):
        assert_error(client.post(f"/api/training/{run_id}/{command}"), 409, "run_over", "run_id")


def test_a_run_that_is_gone_says_so(client: TestClient, assert_error: Any) -> None:
    run_id = begin(client)
    assert client.delete(f"/api/training/{run_id}").status_code == 204
    for method, path in (("GET", ""), ("GET", "/events"), ("GET", "/model"), ("POST", "/pause"), ("DELETE", "")):
        assert_error(client.request(method, f"/api/training/{run_id}{path}"), 404, "run_expired", "run_id")


@pytest.mark.full
def test_the_oldest_that_is_over_is_forgotten(client: TestClient) -> None:
    """Three are kept."""
    ids = []
    for seed in range(5):
        ids.append(begin(client, seed=seed, steps=1))
        events(client, ids[-1])
    assert [client.get(f"/api/training/{run_id}").status_code for run_id in ids] == [404, 404, 200, 200, 200]


def test_every_place_taken_is_said(client: TestClient, stranger: TestClient, assert_error: Any) -> None:
    """Of two, one client has one at most."""
    mine = begin(client, steps=2_000)
    response = client.post("/api/training", json=TINY)
    assert "as one client may" in assert_error(response, 429, "too_many_requests", limit=1)
    assert response.headers["retry-after"] == "5"
    theirs = begin(stranger, steps=2_000)
    for each in (client, stranger):
        response = each.post("/api/training", json=TINY)
        assert "All 2 training slots" in assert_error(response, 503, "server_busy", limit=2)
        assert response.headers["retry-after"] == "5"
    assert client.get("/api/training").json()["active"] == 2
    assert client.delete(f"/api/training/{mine}").status_code == 204
    assert stranger.delete(f"/api/training/{theirs}").status_code == 204
    assert client.get("/api/training").json()["active"] == 0


@pytest.mark.parametrize(
    ("wanted", "code", "field", "limit"),
    [
        ({"num_layers": 7}, "invalid_request", "num_layers", 6),
        ({"num_layers": 0}, "invalid_request", "num_layers", 1),
        ({"num_heads": 9}, "invalid_request", "num_heads", 8),
        ({"d_model": 129}, "invalid_request", "d_model", 128),
        ({"steps": 2_001}, "invalid_request", "steps", 2_000),
        ({"learning_rate": 0}, "invalid_request", "learning_rate", 0),
        ({"learning_rate": 11}, "invalid_request", "learning_rate", 10),
        ({"learning_rate": "fast"}, "invalid_request", "learning_rate", None),
        ({"seed": -1}, "invalid_request", "seed", 0),
        ({"task": "add"}, "invalid_request", "task", None),
        ({"positions": "learned"}, "invalid_request", "positions", None),
        ({"dropout": 0.1}, "invalid_request", "dropout", None),
        ({"num_heads": 3}, "invalid_value", "num_heads", None),
        ({"num_kv_heads": 3, "num_heads": 4}, "invalid_value", "num_kv_heads", None),
        ({"d_model": 12, "num_heads": 4}, "invalid_value", "d_model", None),
    ],
)
def test_training_refuses(
    client: TestClient, assert_error: Any, wanted: dict[str, Any], code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/training", json=TINY | wanted), 422, code, field, limit)
    assert client.get("/api/training").json()["active"] == 0


def test_training_refuses_an_unknown_command(client: TestClient, assert_error: Any) -> None:
    assert_error(client.post(f"/api/training/{begin(client)}/dance"), 422, "invalid_request", "command")
