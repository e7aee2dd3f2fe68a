"""GET /api/atlases/{id}/relations."""

from typing import Any

from starlette.testclient import TestClient


def test_every_relation_with_its_best_head(client: TestClient, atlas: str) -> None:
    relations = client.get(f"{atlas}/relations").json()["relations"]
    assert [(each["relation"], each["direction"]) for each in relations] == [
        ("nsubj", "dependent_to_head"),
        ("nsubj", "head_to_dependent"),
        ("det", "dependent_to_head"),
        ("det", "head_to_dependent"),
    ]
    for each in relations:
        best = each["best"]
        assert best["accuracy"] == max(each["accuracy"]) == each["accuracy"][best["layer"] * 12 + best["head"]]
        assert each["baseline_accuracy"] == 0.25


def test_a_corpus_without_relations_has_none(client: TestClient, small: str, assert_error: Any) -> None:
    assert client.get(f"{small}/relations").json() == {"relations": []}
    assert_error(client.get(f"{small}/relations?as=figure"), 422, "invalid_value", "draw")


def test_the_figure_has_the_baseline_beside_each(client: TestClient, atlas: str) -> None:
    figure = client.get(f"{atlas}/relations?as=figure").json()
    assert [each["name"] for each in figure["data"]] == ["Best head", "Best fixed offset"]
    assert figure["layout"]["xaxis"]["ticktext"][0] == "0 nsubj →"
