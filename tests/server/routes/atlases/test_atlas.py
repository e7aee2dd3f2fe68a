"""GET /api/atlases: what there is, and what cannot be read; having an atlas computed, stopping, deleting it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from atlas_folders import MINILM, FakeAtlas, write_atlas
from starlette.testclient import TestClient
from tiny_models import SENTENCES, write_model_folder

from server.app import create_app
from server.settings import Settings

TINY = {"layers": 1, "heads": 1, "windows": 1, "sampled": 1}


def test_every_atlas_with_the_limits_of_another(client: TestClient, settings: Settings) -> None:
    answer = client.get("/api/atlases").json()
    assert [each["id"][-2:] for each in answer["atlases"]] == ["a1", "a2", "a3"]
    assert (answer["damaged"], answer["scans"]) == ([], [])
    assert answer["limits"]["max_scan_tokens"] == settings.max_scan_tokens
    assert [each["id"] for each in answer["models"]] == [
        "sentence-transformers/all-MiniLM-L6-v2",
        "observatory-gpt2-mini",
        "observatory-gpt2-names",
    ]


def test_one_atlas(client: TestClient, atlas: str, assert_error: Any) -> None:
    answer = client.get(atlas).json()
    assert (answer["facts"]["corpus"], answer["scan"]) == ("probe", None)
    assert_error(client.get("/api/atlases/0123456789abcdef"), 404, "unknown_atlas", "atlas_id")
    assert_error(client.get(f"{atlas}/events"), 404, "unknown_scan", "atlas_id")


def test_damaged_folders_are_listed_with_their_reason(tmp_path: Path) -> None:
    for number, changes in enumerate([{}, {"format": 9}, {"model": None}]):
        write_atlas(tmp_path, FakeAtlas(id=f"{number:016x}", changes=changes, **TINY))
    (write_atlas(tmp_path, FakeAtlas(id="f" * 16, **TINY)) / "vectors.parquet").unlink()
    (tmp_path / "0123456789abcdef").mkdir()  # not an atlas yet
    (tmp_path / "notes.txt").write_text("mine")
    settings = Settings(device="cpu", hub_models=(), preload=False, atlases_dir=tmp_path)
    with TestClient(create_app(settings)) as client:
        answer = client.get("/api/atlases").json()
    assert [each["id"] for each in answer["atlases"]] == [f"{0:016x}"]
    assert {each["id"][-1]: each["reason"].partition(";")[0] for each in answer["damaged"]} == {
        "1": "This atlas has format 9",
        "2": "This atlas is damaged: atlas.json cannot be read. Scan the corpus again.",
        "f": "This atlas is damaged: vectors.parquet cannot be read. Scan the corpus again.",
    }


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    settings = Settings(device="cpu", hub_models=(), preload=False, atlases_dir=tmp_path / "no" / "where")
    with TestClient(create_app(settings)) as client:
        assert json.loads(client.get("/api/atlases").content)["atlases"] == []


@pytest.fixture(scope="module")
def scanning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with a tiny model, and a small corpus of the operator's."""
    root = tmp_path_factory.mktemp("scanning")
    write_model_folder(root / "models", "tiny-gpt2")
    write_model_folder(root / "models", "tiny-t5")
    (root / "corpora").mkdir()
    (root / "corpora" / "news.txt").write_text("\n\n".join(SENTENCES))
    settings = Settings(
        device="cpu", hub_models=(), preload=False, models_dir=root / "models", corpora_dir=root / "corpora",
        atlases_dir=root / "atlases", max_scan_tokens=50_000,
    )  # fmt: skip
    with TestClient(create_app(settings)) as client:
        yield client


WANTED = {"model": "tiny-gpt2", "corpus": "news.txt"}


def states(client: TestClient, atlas_id: str) -> list[dict[str, Any]]:
    """Every event until the scan is over."""
    with client.stream("GET", f"/api/atlases/{atlas_id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = list(stream.iter_lines())
    assert {line for line in lines if line.startswith("event:")} == {"event: state"}
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


@pytest.mark.full
def test_a_scan_from_the_request_to_the_atlas(scanning: TestClient, assert_error: Any) -> None:
    begun = scanning.post("/api/atlases", json=WANTED | {"window_tokens": 16, "seed": 3})
    assert begun.status_code == 201
    scan = begun.json()
    assert (scan["model"], scan["corpus"], scan["max_tokens"]) == ("tiny-gpt2", "news.txt", None)
    assert (scan["window_tokens"], scan["seed"]) == (16, 3)
    assert (scan["state"], scan["message"]) == ("waiting", "The model is being loaded.")
    seen = states(scanning, scan["id"])
    assert [each["id"] for each in seen] == [scan["id"]] * len(seen)
    assert (seen[-1]["state"], seen[-1]["shards"], seen[-1]["shards_done"]) == ("finished", 1, 1)
    answer = scanning.get(f"/api/atlases/{scan['id']}").json()
    assert answer["scan"]["state"] == "finished"
    assert (answer["facts"]["documents"], answer["facts"]["tokens"]) == (len(SENTENCES), seen[-1]["tokens"])
    heads = scanning.get(f"/api/atlases/{scan['id']}/heads").json()
    assert len(heads["head"]) == 8
    assert scanning.get(f"/api/atlases/{scan['id']}/heads/1/3").json()["examples"]
    again = scanning.post("/api/atlases", json=WANTED | {"window_tokens": 16, "seed": 3}).json()
    assert (again["id"], again["state"]) == (scan["id"], "finished")
    listed = scanning.get("/api/atlases").json()
    assert [each["id"] for each in listed["scans"]] == [each["id"] for each in listed["atlases"]] == [scan["id"]]
    refused = scanning.delete(f"/api/atlases/{scan['id']}")
    assert_error(refused, 409, "atlas_kept", "atlas_id")


@pytest.mark.full
def test_an_atlas_of_an_upload_can_be_deleted(scanning: TestClient, assert_error: Any) -> None:
    corpus = scanning.post("/api/corpora?name=mine.txt", content=b"Nobody else has this text.").json()
    scan = scanning.post("/api/atlases", json=WANTED | {"corpus": corpus["id"]}).json()
    assert states(scanning, scan["id"])[-1]["state"] == "finished"
    assert scanning.delete(f"/api/atlases/{scan['id']}").status_code == 204
    assert_error(scanning.get(f"/api/atlases/{scan['id']}"), 404, "unknown_atlas", "atlas_id")
    assert_error(scanning.delete(f"/api/atlases/{scan['id']}"), 404, "unknown_atlas", "atlas_id")


@pytest.mark.full
def test_of_an_encoder_decoder_model_the_encoder_is_scanned(scanning: TestClient, assert_error: Any) -> None:
    scan = scanning.post("/api/atlases", json=WANTED | {"model": "tiny-t5"}).json()
    assert states(scanning, scan["id"])[-1]["state"] == "finished"
    atlas = f"/api/atlases/{scan['id']}"
    facts = scanning.get(atlas).json()["facts"]
    assert facts["kind"] == "encoder_decoder"
    assert [(part["name"], part["causal"]) for part in facts["parts"]] == [("encoder", False)]
    part = facts["parts"][0]
    heads = scanning.get(f"{atlas}/heads").json()
    assert heads["part"] == ["encoder"] * (part["layers"] * part["heads"])
    assert scanning.get(f"{atlas}/heads/0/1?part=encoder").json()["examples"]
    assert_error(scanning.get(f"{atlas}/heads/0/1?part=decoder"), 422, "out_of_range", "part")
    cell = {"model": "tiny-t5", "text": SENTENCES[0]}
    analysis = scanning.post("/api/analyses", json=cell).json()["id"]
    found = scanning.get(f"{atlas}/search?layer=0&head=1&analysis={analysis}&query=2&key=0").json()
    assert found["of"]["part"] == "encoder"
    assert found["found"][0]["similarity"] == pytest.approx(1, abs=1e-4)  # the sentence is in the corpus


@pytest.mark.full
def test_an_operator_may_forbid_deletion(tmp_path: Path, assert_error: Any) -> None:
    write_model_folder(tmp_path / "models", "tiny-gpt2")
    settings = Settings(
        device="cpu", hub_models=(), preload=False, models_dir=tmp_path / "models", atlases_dir=tmp_path / "atlases",
        allow_deletion=False,
    )  # fmt: skip
    with TestClient(create_app(settings)) as client:
        assert client.get("/api/atlases").json()["limits"]["allow_deletion"] is False
        corpus = client.post("/api/corpora?name=mine.txt", content=b"A text of nobody else.").json()
        scan = client.post("/api/atlases", json=WANTED | {"corpus": corpus["id"]}).json()
        assert states(client, scan["id"])[-1]["state"] == "finished"
        for path in (f"/api/atlases/{scan['id']}", f"/api/corpora/{corpus['id']}"):
            assert_error(client.delete(path), 403, "deletion_forbidden")
        assert client.get(f"/api/atlases/{scan['id']}").json()["facts"]["corpus"] == "mine.txt"
        stopped = client.post("/api/atlases", json=WANTED | {"corpus": "probe"}).json()
        assert (
            client.delete(f"/api/atlases/{stopped['id']}").status_code == 204
        )  # a scan may be stopped, nothing is lost
        assert_error(client.delete(f"/api/atlases/{stopped['id']}"), 403, "deletion_forbidden")


@pytest.mark.full
def test_a_scan_is_stopped_and_its_events_end(scanning: TestClient) -> None:
    scan = scanning.post("/api/atlases", json=WANTED | {"corpus": "probe"}).json()
    assert scanning.delete(f"/api/atlases/{scan['id']}").status_code == 204
    last = states(scanning, scan["id"])[-1]
    assert (last["state"], last["message"]) == (
        "cancelled",
        "The scan was stopped. The same request goes on with it.",
    )
    assert scanning.get(f"/api/atlases/{scan['id']}").json()["facts"] is None


@pytest.mark.parametrize(
    ("changes", "status", "code", "field", "limit"),
    [
        ({"model": "nobody"}, 404, "unknown_model", "model", None),
        ({"corpus": "nowhere"}, 404, "unknown_corpus", "corpus", None),
        ({"max_tokens": 50_001}, 422, "too_large", "max_tokens", 50_000),
        ({"max_tokens": 0}, 422, "invalid_request", "max_tokens", 1),
        ({"window_tokens": 3}, 422, "invalid_request", "window_tokens", 8),
        ({"seed": -1}, 422, "invalid_request", "seed", 0),
        ({"queries": 3}, 422, "invalid_request", "queries", None),
    ],
)
def test_what_cannot_be_scanned_is_refused(
    scanning: TestClient,
    assert_error: Any,
    changes: dict[str, Any],
    status: int,
    code: str,
    field: str,
    limit: int | None,
) -> None:
    assert_error(scanning.post("/api/atlases", json=WANTED | changes), status, code, field, limit)


def test_a_server_may_scan_nothing(tmp_path: Path, assert_error: Any) -> None:
    settings = Settings(device="cpu", hub_models=(), preload=False, atlases_dir=tmp_path, scans=0)
    with TestClient(create_app(settings)) as client:
        refused = client.post("/api/atlases", json={"model": MINILM, "corpus": "probe"})
    assert_error(refused, 503, "server_busy", None, 0)
    assert refused.headers["retry-after"] == "10"
