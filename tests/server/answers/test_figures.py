"""Figures hold the numbers of the data routes, and Plotly's own package accepts them."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from starlette.testclient import TestClient

from server.answers.figures import Axis, curves, heat_map
from server.answers.palette import read_palette
from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
FIGURE = {"as": "figure"}
CSS = (Path(__file__).parents[3] / "static" / "css" / "tokens.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False, max_window_cells=200))) as client:
        yield client


@pytest.fixture(scope="module")
def analysis(client: TestClient) -> dict[str, Any]:
    return client.post("/api/analyses", json={"model": MINILM, "text": "A <b> & cat sat."}).json()


def figure(response: Any) -> dict[str, Any]:
    """The figure, which plotly's validators have read."""
    assert response.status_code == 200, response.text
    body = response.json()
    assert set(body) == {"data", "layout"}
    go.Figure(body["data"], body["layout"])
    return body


def array(values: Any) -> np.ndarray:
    """A list, or an array in Plotly's typed form."""
    if isinstance(values, list):
        return np.array(values)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), "<" + values["dtype"])
    return flat.reshape([int(size) for size in values["shape"].split(",")]) if "shape" in values else flat


@pytest.mark.parametrize("stage", ["weights", "raw_scores", "norm_weighted"])
@pytest.mark.parametrize("place", [{}, {"rows": "2:5", "cols": "1:4"}, {"max_size": 3}])
def test_a_heat_map_has_the_numbers_of_the_window(client, analysis, stage, place):
    asked = {"layer": 3, "head": 7, "stage": stage, **place}
    window = client.get(f"/api/analyses/{analysis['id']}/weights", params=asked).json()
    [trace] = figure(client.get(f"/api/analyses/{analysis['id']}/weights", params=asked | FIGURE))["data"]
    np.testing.assert_array_equal(array(trace["z"]), array(window["matrix"]))
    assert trace["type"] == "heatmap"
    for axis, (start, stop), size in (
        ("y", window["rows"], window["shape"][0]),
        ("x", window["cols"], window["shape"][1]),
    ):
        assert trace[f"d{axis}"] == (stop - start) / size
        assert trace[f"{axis}0"] - trace[f"d{axis}"] / 2 == start - 0.5
    assert trace["zmin"] == (0 if stage != "raw_scores" else -trace["zmax"])


def test_tokens_stand_at_the_axes_as_text(client, analysis):
    asked = {"layer": 0, "head": 0, "rows": "1:3"}
    layout = figure(client.get(f"/api/analyses/{analysis['id']}/weights", params=asked | FIGURE))["layout"]
    assert layout["yaxis"]["tickvals"] == [1, 2]
    assert layout["yaxis"]["ticktext"] == ["1 a", "2 &lt;"]
    assert len(layout["xaxis"]["ticktext"]) == len(analysis["tokens"])
    assert layout["yaxis"]["autorange"] == "reversed"
    assert (layout["yaxis"]["title"]["text"], layout["xaxis"]["title"]["text"]) == ("query", "key")


def test_a_histogram_has_the_counts_of_the_distribution(client, analysis):
    asked = {"layer": 1, "head": 2, "stage": "scaled_scores", "bins": 12}
    found = client.get(f"/api/analyses/{analysis['id']}/distribution", params=asked).json()
    [bars] = figure(client.get(f"/api/analyses/{analysis['id']}/distribution", params=asked | FIGURE))["data"]
    edges = np.array(found["edges"])
    np.testing.assert_array_equal(array(bars["y"]), found["counts"])
    np.testing.assert_allclose(array(bars["x"]) - array(bars["width"]) / 2, edges[:-1], rtol=1e-6)
    np.testing.assert_allclose(array(bars["x"]) + array(bars["width"]) / 2, edges[1:], rtol=1e-6)


def test_refusals_are_those_of_the_data_routes(client, analysis, assert_error):
    path = f"/api/analyses/{analysis['id']}"
    for asked in (
        {"layer": 9, "head": 0},
        {"layer": 0, "head": 0, "rows": "0:99"},
        {"layer": 0, "head": 0, "rows": "x"},
    ):
        answers = [client.get(f"{path}/weights", params=asked | form) for form in ({}, FIGURE)]
        assert answers[0].json() == answers[1].json()
        assert answers[0].status_code == answers[1].status_code in {400, 422}
    none = client.get("/api/analyses/none/weights", params=FIGURE | {"layer": 0, "head": 0})
    assert_error(none, 404, "analysis_expired", "analysis_id")
    refused = client.get(f"{path}/weights", params=FIGURE | {"layer": 0, "head": 0, "theme": "blue"})
    assert_error(refused, 422, "invalid_request", "theme")


def test_a_window_that_is_too_large_is_refused(client, assert_error):
    long = client.post("/api/analyses", json={"model": MINILM, "text": "one two three four five six " * 5}).json()
    refused = client.get(f"/api/analyses/{long['id']}/weights?as=figure&layer=0&head=0")
    assert_error(refused, 422, "window_too_large", "rows", 200)
    assert refused.json() == client.get(f"/api/analyses/{long['id']}/weights?layer=0&head=0").json()


@pytest.mark.full
def test_curves_of_concepts_have_the_numbers_of_their_routes(client):
    body = {"dim": 16, "pairing": "interleaved", "positions": [0], "distances": [0, 5, 2, 9]}
    served = client.post("/api/rope", json=body).json()
    [line] = figure(client.post("/api/rope?as=figure", json=body))["data"]
    assert list(array(line["x"])) == [0, 2, 5, 9]
    by_distance = dict(zip(served["decay_distances"], served["decay"], strict=True))
    np.testing.assert_allclose(array(line["y"]), [by_distance[distance] for distance in (0, 2, 5, 9)], rtol=1e-12)

    lines = figure(client.post("/api/alibi?as=figure", json={"heads": 4, "seq_len": 6}))["data"]
    assert [line["name"] for line in lines] == [f"head {head}" for head in range(4)]
    for head, line in enumerate(lines):  # slopes 2^−2, 2^−4, …
        np.testing.assert_array_equal(array(line["x"]), np.arange(6))
        np.testing.assert_allclose(array(line["y"]), np.exp(-(4.0 ** -(head + 1)) * np.arange(6)), rtol=1e-6)

    body = {"d_k": [8, 64], "samples": 1_000, "bins": 10}
    served = client.post("/api/scaling", json=body).json()["distributions"]
    traces = figure(client.post("/api/scaling?as=figure&draw=raw", json=body))["data"]
    for one, trace in zip(served, traces, strict=True):
        edges, counts = np.array(one["raw"]["edges"]), np.array(one["raw"]["counts"])
        np.testing.assert_allclose(array(trace["x"]), edges)
        assert float(array(trace["y"])[:-1] @ np.diff(edges)) == pytest.approx(1)
        np.testing.assert_allclose(array(trace["y"])[:-1] * np.diff(edges) * counts.sum(), counts)


def test_masked_cells_are_empty_and_do_not_stretch_the_scale():
    matrix = np.array([[0.5, -np.inf], [-2.0, 1.0]], dtype=np.float32)
    made = heat_map(matrix, read_palette(CSS, "paper"), title="x", rows=Axis("query"), cols=Axis("key"))
    assert (made.data[0]["zmin"], made.data[0]["zmax"]) == (-2, 2)
    np.testing.assert_array_equal(array(made.data[0]["z"]), matrix)


def test_colours_are_the_tokens():
    for theme, side in (("paper", 1), ("night", 2)):
        palette = read_palette(CSS, theme)
        pair = re.search(r"--weight-8: light-dark\((#\w+), (#\w+)\)", CSS)
        assert pair
        assert palette.weight[8] == pair[side]
        assert all(re.fullmatch("#[0-9a-f]{6}", one) for one in (*palette.signed, *palette.series, palette.text))
    night = curves({"a": ([0, 1], [2, 3])}, read_palette(CSS, "night"), title="", x="", y="")
    assert night.layout["paper_bgcolor"] == read_palette(CSS, "night").page
    with pytest.raises(KeyError, match="weight-0"):
        read_palette(":root {}", "paper")
