"""/api/head_roles on the carried models: roles beside baselines, one sentence, figures and refusals."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.routes.concepts.head_roles import prepare
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
ASKED = {"model": MINILM, "sentences": 80}
ARTICLES = {"the", "a", "an", "some", "every", "this", "that", "these", "those", "which", "what"}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as client:
        yield client


@pytest.mark.full
def test_roles_and_baselines(client: TestClient) -> None:
    response = client.post("/api/head_roles", json=ASKED)
    assert response.status_code == 200, response.json()
    answer = response.json()
    assert (answer["model"], answer["sentences"], answer["causal"]) == (MINILM, 80, False)
    assert set(answer["values"]) == {"previous_token", "next_token", "sink", "induction"}
    assert np.array(answer["values"]["sink"]).shape == (6, 12)
    first = answer["standing_out"]["previous_token"][0]
    assert (first["layer"], first["head"]) == (0, 2)
    assert first["value"] > answer["stands_out"] == 0.5
    for relation in answer["relations"]:
        best = relation["best"]
        assert relation["found"][best["layer"]][best["head"]] == pytest.approx(best["value"])
        assert 0 <= relation["baseline"] <= 1
        assert relation["count"] >= 12


@pytest.mark.full
def test_the_same_again_is_kept(client: TestClient) -> None:
    first, again = (client.post("/api/head_roles", json=ASKED).json() for _ in range(2))
    assert first == again
    assert client.app.state.observatory.studies.cache.currsize > 0  # type: ignore[attr-defined]


@pytest.mark.full
def test_what_the_page_shows_first_can_be_prepared(client: TestClient) -> None:
    studies = client.app.state.observatory.studies  # type: ignore[attr-defined]
    assert client.portal is not None
    client.portal.call(prepare, MINILM, client.app.state.observatory)  # type: ignore[attr-defined]
    kept = studies.cache.currsize
    answer = client.post("/api/head_roles", json={"model": MINILM}).json()
    assert answer["sentences"] == 240
    assert studies.cache.currsize == kept > 0, "the request asks for what has been prepared"


@pytest.mark.full
def test_one_sentence_with_the_heads_weights(client: TestClient) -> None:
    roles = client.post("/api/head_roles", json=ASKED).json()
    asked = {**ASKED, "role": "relation", "relation": "det", "direction": "dependent_to_head"}
    example = client.post("/api/head_roles/example", json=asked).json()
    best = next(
        each["best"]
        for each in roles["relations"]
        if (each["relation"], each["direction"]) == ("det", "dependent_to_head")
    )
    assert (example["layer"], example["head"]) == (best["layer"], best["head"])
    weights = np.array(example["weights"])
    assert weights.shape == (len(example["tokens"]),) * 2
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-5)
    assert np.array(example["word_weights"]).shape == (len(example["words"]),) * 2
    assert {example["words"][pair["reader"]].lower() for pair in example["pairs"]} <= ARTICLES
    other = client.post("/api/head_roles/example", json={**asked, "layer": 1, "head": 4, "number": 1}).json()
    assert (other["layer"], other["head"], other["number"]) == (1, 4, 1)
    assert other["text"] != example["text"]
    sink = client.post("/api/head_roles/example", json={**ASKED, "role": "sink"}).json()
    assert sink["pairs"] == []
    assert sink["count"] == 40


@pytest.mark.full
def test_figures(client: TestClient) -> None:
    drawn = client.post("/api/head_roles?as=figure", json=ASKED).json()
    assert [each["name"] for each in drawn["data"]] == ["best head", "best fixed offset"]
    grid = client.post("/api/head_roles?as=figure&draw=sink", json=ASKED).json()
    assert grid["layout"]["title"]["text"] == "Weight on sinks"
    one = client.post("/api/head_roles/example?as=figure", json={**ASKED, "role": "sink"})
    assert one.status_code == 200, one.json()


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "field", "limit"),
    [
        ("", {}, 422, "invalid_request", "model", None),
        ("", {"model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ("", {**ASKED, "sentences": 59}, 422, "invalid_request", "sentences", 60),
        ("", {**ASKED, "sentences": 601}, 422, "invalid_request", "sentences", 600),
        ("/example", ASKED, 422, "invalid_request", "role", None),
        ("/example", {**ASKED, "role": "relation"}, 422, "out_of_range", "relation", None),
        ("/example", {**ASKED, "role": "relation", "relation": "root"}, 422, "out_of_range", "relation", None),
        ("/example", {**ASKED, "role": "sink", "layer": 6}, 422, "out_of_range", "layer", 5),
        ("/example", {**ASKED, "role": "sink", "number": 40}, 422, "out_of_range", "number", 39),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error: Any, path: str, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post(f"/api/head_roles{path}", json=body), status, code, field, limit)
