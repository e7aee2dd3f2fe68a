"""Two people, two addresses, one server: neither ends, changes or puts out what the other has made."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

TINY = {"d_model": 8, "num_heads": 2, "steps": 2_000}
MODEL = "tiny-gpt2"
Beside = Callable[[TestClient, str], TestClient]


@pytest.fixture(scope="module", params=[True, False], ids=["deleting is allowed", "deleting is forbidden"])
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    root = tmp_path_factory.mktemp("whose")
    write_model_folder(root / "models", MODEL)
    return Settings(
        device="cpu", hub_models=(), preload=False, models_dir=root / "models", atlases_dir=root / "atlases",
        kept_corpora=3, allow_deletion=request.param,
    )  # fmt: skip


@pytest.fixture
def others(client: TestClient, beside: Beside) -> list[TestClient]:
    """At another address, behind the same one, and with a secret made up."""
    same = beside(client, "testclient")
    guessing = beside(client, "testclient")
    guessing.cookies.set("observatory_owner", "a" * 32)
    return [beside(client, "192.0.2.77"), same, guessing]


def upload(client: TestClient, text: str) -> Any:
    answer = client.post("/api/corpora", params={"name": "mine.txt"}, content=text.encode())
    assert answer.status_code == 201, answer.json()
    return answer.json()


def uploads(client: TestClient) -> dict[str, Any]:
    return {each["id"]: each for each in client.get("/api/corpora").json()["corpora"] if each["uploaded"]}


@pytest.mark.gate
def test_a_training_run(client: TestClient, others: list[TestClient], assert_error: Any) -> None:
    run = client.post("/api/training", json=TINY).json()
    path = f"/api/training/{run['id']}"
    assert run["yours"] is client.get(path).json()["yours"] is True
    for other in others:
        for command in ("pause", "resume", "step", "stop", "model"):
            assert_error(other.post(f"{path}/{command}"), 403, "not_yours")
        assert_error(other.delete(path), 403, "not_yours")
        assert other.get(path).json()["yours"] is False
        assert other.get(f"{path}?as=figure").status_code == 200
    assert client.get(path).json()["state"] in {"starting", "running"}
    assert client.post(f"{path}/pause").status_code == 202
    assert client.delete(path).status_code == 204
    assert_error(client.get(path), 404, "run_expired", "run_id")


@pytest.mark.full
def test_a_corpus_and_its_atlas_across_a_restart(
    client: TestClient, others: list[TestClient], beside: Beside, settings: Settings, assert_error: Any
) -> None:
    corpus = upload(client, "A text of mine.")
    assert (corpus["yours"], corpus["deletable"]) == (True, settings.allow_deletion)
    scan = client.post("/api/atlases", json={"model": MODEL, "corpus": corpus["id"]}).json()
    atlas = f"/api/atlases/{scan['id']}"
    assert "finished" in client.get(f"{atlas}/events").text
    with TestClient(create_app(settings)) as restarted:  # what is in memory alone is gone
        for other in (*others, beside(restarted, "192.0.2.78"), beside(restarted, "testclient")):
            for path in (atlas, f"/api/corpora/{corpus['id']}"):
                assert_error(other.delete(path), 403, "not_yours")
            assert other.get(atlas).json()["yours"] is False
            seen = uploads(other)[corpus["id"]]
            assert (seen["yours"], seen["deletable"]) == (False, False)
        assert others[0].post("/api/atlases", json={"model": MODEL, "corpus": corpus["id"]}).json()["yours"] is False
        assert_error(others[0].delete(atlas), 403, "not_yours")  # to ask for what is there makes nobody its owner
        restarted.cookies.update(client.cookies)
        for path in (atlas, f"/api/corpora/{corpus['id']}"):
            if settings.allow_deletion:
                assert restarted.delete(path).status_code == 204
            else:
                assert_error(restarted.delete(path), 403, "deletion_forbidden")
    assert (corpus["id"] in uploads(client)) is not settings.allow_deletion
    left = {path.name for path in settings.atlases_folder.rglob("*.owners")}
    assert left == (set() if settings.allow_deletion else {f"{scan['id']}.owners", f"{corpus['id']}.owners"})


@pytest.mark.full
def test_a_scan_goes_on_until_both_who_asked_have_given_it_up(
    client: TestClient, others: list[TestClient], assert_error: Any
) -> None:
    wanted = {"model": MODEL, "corpus": "probe", "seed": 3}
    scan = client.post("/api/atlases", json=wanted).json()
    assert scan["yours"] is True
    path, second = f"/api/atlases/{scan['id']}", others[0]
    for other in others:
        assert_error(other.delete(path), 403, "not_yours")
    listed = others[1].get("/api/atlases").json()["scans"]
    assert [each["yours"] for each in listed if each["id"] == scan["id"]] == [False]
    assert second.post("/api/atlases", json=wanted).json()["yours"] is True
    assert second.delete(path).status_code == 204
    assert_error(second.delete(path), 403, "not_yours")
    assert client.get(path).json()["scan"]["state"] in {"waiting", "running"}
    assert client.delete(path).status_code == 204
    assert client.get(path).json()["scan"]["state"] == "cancelled"
    assert_error(others[1].delete(path), 403, "not_yours")  # what it has left is not others' either


@pytest.mark.full
def test_what_two_have_uploaded_stays_the_other_s(
    client: TestClient, others: list[TestClient], settings: Settings, assert_error: Any
) -> None:
    if not settings.allow_deletion:
        return
    second, third = others[:2]
    same = upload(client, "The same text.")["id"]
    assert upload(second, "The same text.")["id"] == same
    assert client.delete(f"/api/corpora/{same}").status_code == 204
    assert uploads(second)[same]["yours"] is True
    for other in (client, third):
        assert_error(other.delete(f"/api/corpora/{same}"), 403, "not_yours")
    assert second.delete(f"/api/corpora/{same}").status_code == 204
    assert same not in uploads(second)


@pytest.mark.full
def test_what_is_nobody_s_keeps_the_setting_s_rule(
    client: TestClient, settings: Settings, others: list[TestClient], assert_error: Any
) -> None:
    old = upload(client, "A text from before there were owners.")["id"]
    (settings.atlases_folder / "corpora" / f"{old}.owners").unlink()
    seen = uploads(others[0])[old]
    assert (seen["yours"], seen["deletable"]) == (False, settings.allow_deletion)
    answer = others[0].delete(f"/api/corpora/{old}")
    if settings.allow_deletion:
        assert answer.status_code == 204
    else:
        assert_error(answer, 403, "deletion_forbidden")


@pytest.mark.full
def test_a_flood_of_corpora_puts_out_none_of_another_s(client: TestClient, others: list[TestClient]) -> None:
    """Three are kept: one of mine stays through whatever another address sends, mine among it."""
    mine = upload(client, "My only text.")["id"]
    for number in range(8):
        upload(others[0], f"Flood {number}.")
        upload(others[0], "My only text.")
    assert mine in uploads(client)
    assert len(uploads(client)) == 3


def test_loading_a_model_goes_on_while_somebody_wants_it(client: TestClient, others: list[TestClient]) -> None:
    path, wanted = "/api/models/loading", {"params": {"model": MODEL}}
    loading = client.app.state.observatory.loading  # type: ignore[attr-defined]
    client.post("/api/models/load", json={"model": MODEL})
    for other in others:
        assert other.delete(path, **wanted).status_code == 200
    until = time.monotonic() + 60
    while client.get(path, **wanted).json()["state"] != "ready":
        assert time.monotonic() < until
    assert loading.failure(MODEL) is None
