"""The graph of information flow over HTTP: each threshold begins the same list; errors in the one shape."""

import plotly.graph_objects as go
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    posted = client.post(
        "/api/analyses", json={"model": MINILM, "text": "The cat sat on the mat because it was tired."}
    )
    return f"/api/analyses/{posted.json()['id']}"


@pytest.mark.full
def test_the_graph_of_each_threshold_begins_the_same_list(client: TestClient, path: str) -> None:
    whole = client.get(f"{path}/information_flow?position=8").json()
    assert {key: whole[key] for key in ("part", "position", "floor", "max_edges", "max_tokens")} == {
        "part": "encoder",
        "position": 8,
        "floor": 0.002,
        "max_edges": 3_000,
        "max_tokens": 512,
    }
    assert whole["largest_error"] < 1e-5
    output = whole["nodes"][0]
    assert (output["layer"], output["station"], output["position"]) == (5, "after_feed_forward", 8)
    assert output["candidates"] == []

    def ends(graph: dict, edge: dict) -> tuple:
        places = [(graph["nodes"][edge[end]][name]) for end in ("source", "target") for name in ("layer", "position")]
        return (*places, edge["kind"], edge["layer"], edge["head"], edge["importance"])

    for threshold in (0.01, 0.05, 0.5):
        graph = client.get(f"{path}/information_flow?position=8&threshold={threshold}").json()
        assert graph["floor"] == threshold
        assert 0 < len(graph["edges"]) < len(whole["edges"])
        assert all(edge["importance"] >= threshold for edge in graph["edges"])
        beginning = whole["edges"][: len(graph["edges"])]
        assert [ends(graph, each) for each in graph["edges"]] == [ends(whole, each) for each in beginning]
        reached = {0, *(edge["source"] for edge in graph["edges"])}
        assert reached == set(range(len(graph["nodes"])))
        assert {edge["target"] for edge in graph["edges"]} <= reached


def test_the_graph_as_a_figure(client: TestClient, path: str) -> None:
    """Every edge is a line from where its source stands to where its target stands."""
    graph = client.get(f"{path}/information_flow?position=8&threshold=0.05").json()
    figure = client.get(f"{path}/information_flow?as=figure&position=8&threshold=0.05&lang=ja").json()
    go.Figure(figure["data"], figure["layout"])
    lines, dots = figure["data"][:-1], figure["data"][-1]
    height = {"embedding": 0, "after_attention": 0.5, "after_feed_forward": 1}
    places = [(node["position"], max(node["layer"], 0) + height[node["station"]]) for node in graph["nodes"]]
    drawn = []
    for line in lines:
        across, up = line["x"], line["y"]
        drawn += [
            ((across[at], up[at]), (across[at + 1], up[at + 1]), line["line"]["width"]) for at in range(0, len(up), 3)
        ]
    expected = [
        (places[edge["source"]], places[edge["target"]], 4 if edge["importance"] >= 0.3 else 2 if share else 1)
        for edge in graph["edges"]
        for share in [edge["importance"] >= 0.1]
    ]
    assert sorted(drawn) == sorted(expected)
    assert len(dots["text"]) == len(places)
    assert dots["text"][0].startswith("8 it: 1")
    assert figure["layout"]["xaxis"]["ticktext"][8] == "8 it"


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("", "invalid_request", "position", None),
        ("?position=13", "out_of_range", "position", 12),
        ("?position=-1", "out_of_range", "position", 12),
        ("?position=0&threshold=0.001", "invalid_request", "threshold", 0.002),
        ("?position=0&threshold=2", "invalid_request", "threshold", 1.0),
    ],
)
def test_errors(client, path, assert_error, query, code, field, limit):
    assert_error(client.get(f"{path}/information_flow{query}"), 422, code, field, limit)


def test_an_analysis_nobody_knows(client, assert_error):
    assert_error(client.get("/api/analyses/none/information_flow?position=0"), 404, "analysis_expired", "analysis_id")
