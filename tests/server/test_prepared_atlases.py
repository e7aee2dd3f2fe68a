"""A server computes what it shows of the built-in models by itself: roles of heads, and atlases, these only once."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings


def scanned(atlases: Path) -> list[tuple[str, float]]:
    """Wait for every scan that a new server begins: model, and tokens a second (0 where nothing was left to do)."""
    settings = Settings(device="cpu", hub_models=(), preload=True, prepare_atlases=True, atlases_dir=atlases)
    found: dict[str, tuple[str, float]] = {}
    with TestClient(create_app(settings)) as client:
        while len(found) < 2:
            for scan in client.get("/api/atlases").json()["scans"]:
                with client.stream("GET", f"/api/atlases/{scan['id']}/events") as stream:
                    assert "finished" in [line for line in stream.iter_lines() if line.startswith("data:")][-1]
                state = client.get(f"/api/atlases/{scan['id']}").json()["scan"]
                found[scan["id"]] = (scan["model"], state["tokens_per_second"] or 0.0)
        studies = client.app.state.observatory.studies  # type: ignore[attr-defined]
        kept = studies.cache.currsize
        for model, _ in found.values():
            assert client.post("/api/head_roles", json={"model": model}).status_code == 200
        assert studies.cache.currsize == kept > 0, "they were measured before the scans"
        assert {each["id"] for each in client.get("/api/atlases").json()["atlases"]} == set(found)
    return list(found.values())


@pytest.mark.full
def test_the_built_in_models_atlases_are_made_once(tmp_path: Path) -> None:
    first = scanned(tmp_path)
    assert [model for model, _ in first] == ["sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini"]
    assert min(speed for _, speed in first) > 0
    assert [speed for _, speed in scanned(tmp_path)] == [0.0, 0.0]
