"""GET /api/atlases/{id}/search."""

from typing import Any

import pytest
from atlas_folders import MINILM
from starlette.testclient import TestClient

PLACE = {"layer": 2, "head": 3}


@pytest.mark.full
def test_a_cell_of_the_corpus(client: TestClient, atlas: str) -> None:
    answer = client.get(f"{atlas}/search", params=PLACE | {"window": 0, "query": 4, "by": "key", "limit": 5}).json()
    assert answer["of"] == PLACE | {
        "part": "encoder", "by": "key", "window": 0, "analysis": None, "query": 4, "key": None,
    }  # fmt: skip
    assert (answer["searched"], len(answer["found"])) == (40, 5)
    similarities = [each["similarity"] for each in answer["found"]]
    assert similarities == sorted(similarities, reverse=True)
    assert {str(each["window"]) for each in answer["found"]} == set(answer["windows"])


@pytest.mark.full
def test_a_cell_of_an_analysis(client: TestClient, atlas: str, small: str, assert_error: Any) -> None:
    analysis = client.post("/api/analyses", json={"model": MINILM, "text": "The cat sat."}).json()["id"]
    cell = PLACE | {"analysis": analysis, "query": 2, "key": 3}
    answer = client.get(f"{atlas}/search", params=cell).json()
    assert (answer["of"]["analysis"], len(answer["found"])) == (analysis, 20)
    assert_error(client.get(f"{atlas}/search", params=cell | {"query": 50}), 422, "out_of_range", "query", 5)
    other_model = client.get(f"{small}/search", params=cell | {"layer": 0, "head": 0})
    assert_error(other_model, 422, "out_of_range", "analysis")


@pytest.mark.full
def test_exactly_one_cell_is_named(client: TestClient, atlas: str, assert_error: Any) -> None:
    def refused(status: int, code: str, field: str, **query: Any) -> None:
        assert_error(client.get(f"{atlas}/search", params=PLACE | query), status, code, field)

    refused(422, "invalid_value", "window", query=1)
    refused(422, "invalid_value", "window", query=1, window=0, analysis="a")
    refused(422, "invalid_value", "key", query=1, analysis="a")
    refused(422, "invalid_request", "query", window=0)
    refused(404, "analysis_expired", "analysis", query=1, key=1, analysis="a")
    refused(422, "out_of_range", "query", query=1, window=77)
    refused(422, "invalid_request", "by", query=1, window=0, by="value")
