"""Every part of an answer that can be drawn is a Plotly figure, with the numbers of the answer."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
FIGURE = {"as": "figure"}
ROWS = [[1.0, 0.0], [0.5, 1.0], [0.0, -1.0]]
IDENTITY = np.eye(3).tolist()
BODIES: dict[str, dict[str, Any]] = {
    "alibi": {"heads": 2, "seq_len": 3, "queries": ROWS},
    "block": {"text": "a b c"},
    "circle": {"n": 4, "query_angles_deg": [45.0, 90.0]},
    "context": {
        "model": MINILM,
        "texts": [{"text": "a bank", "word": "bank"}, {"text": "the bank of it", "word": "bank"}],
    },
    "decoder": {},
    "embedding": {"model": MINILM, "text": "The cat"},
    "head_counts": {"head_counts": [1, 2]},
    "kernel": {},
    "kv_cache/steps": {},
    "linear": {"leading": [2]},
    "linear/bias": {"d_model": 4, "d_k": 4},
    "linear/initialisation": {"sizes": [4, 8], "bins": 5},
    "masks": {"kind": "causal"},
    "multi_head": {"num_heads": 2, "alibi": True, "mask": {"kind": "causal"}, "precision": "float64"},
    "order": {},
    "parity": {"model": MINILM, "text": "The cat", "layer": 1, "head": 2},
    "projections": {},
    "projections/roles": {},
    "qk_norm": {},
    "qk_norm/concentration": {"dims": [2, 8], "samples": 50},
    "reach": {"masks": [[[True, False], [True, True]]], "layers": 2},
    "rope": {"dim": 8, "pairing": "half_split", "positions": [3, 5, 0], "slide": 1, "compose": [1, 2]},
    "rope/scaling": {"positions": [0, 10, 20], "dim": 8},
    "scaling": {"d_k": [4, 8], "samples": 50, "bins": 5},
    "scaling/growth": {"d_k": [1, 4], "trials": 5},
    "scaling/panels": {"dims": [1, 4], "num_keys": 3},
    "scaling/saturation": {},
    "scoring": {"queries": ROWS, "keys": ROWS, "values": ROWS, "bias": IDENTITY, "mask": {"kind": "causal"}},
    "sinusoidal": {"dim": 8, "seq_len": 4, "step": 1, "model": MINILM},
    "softmax": {"scores": [1.0, 2.0, 3.0]},
    "why": {"words": ["a", "b", "c"], "gains": [0.5, 1.2], "dim": 4},
    "why/asymmetry": {"difference": 0.5},
    "why/translation": {"dim": 4},
}  # fmt: skip
INDEX = {"alibi": {"head": 1}, "decoder": {"layer": 1, "head": 2}, "kernel": {}, "qk_norm": {"norm": 2}} | {
    "order": {"way": 3},
    "head_counts": {"count": 1, "head": 1},
    "multi_head": {"head": 1},
    "kv_cache/steps": {"step": 2, "head": 3},
    "context": {"text": 1, "layer": 2, "state": 3},
    "linear/bias": {"sequence": 1},
}
AT: dict[str, dict[str, str]] = {
    "alibi": {"bias": "bias.1", "rope_weights": "compared.rope.weights", "none_weights": "compared.none.weights"}
    | {name: f"compared.alibi.1.{name}" for name in ("weights", "scaled_scores", "masked_scores")},
    "block": {"norms": "stream_norms", "contributions": "attention_norms"},
    "circle": {"plane": "keys"},
    "context": {"cosines": "cosines.3", "reads": "words.1.reads.2"},
    "decoder": {
        **{
            name: f"blocks.1.attention.{name}.2" for name in ("weights", "raw_scores", "scaled_scores", "masked_scores")
        },
        **{name: f"blocks.1.{name}" for name in ("entropy", "attention_output", "feed_forward_output", "outputs")},
    },
    "head_counts": {name: f"counts.1.{name}.1" for name in ("weights", "raw_scores", "scaled_scores")}
    | {"entropy": "counts.1.entropy"},
    "reach": {name: f"{name}.0" for name in ("masks", "weights", "allowed", "reached")},
    "kernel": {name: f"attention.{name}" for name in ("weights", "raw_scores", "scaled_scores")}
    | {"rbf": "rbf.weights", "polynomial": "polynomial.weights"},
    "kv_cache/steps": {"weights": "steps.2.weights.3", "mask": "steps.2.mask", "uncached_weights": "uncached_weights.3"}
    | {"used_bytes": "steps.*.used_bytes"},
    "linear/bias": {"with_bias": "with_bias.1", "without_bias": "without_bias.1"},
    "multi_head": {
        name: f"{name}.1"
        for name in [
            "weights",
            "raw_scores",
            "scaled_scores",
            "masked_scores",
            "bias",
            "queries",
            "keys",
            "values",
            "head_outputs",
        ]
    },
    "order": {name: f"outcomes.3.{name}" for name in ("weights", "permuted_weights", "outputs", "permuted_outputs")},
    "parity": {"weights": "parts.0.weights"},
    "projections": {f"{name}_weight": f"{name}.weight" for name in ("query", "key", "value")},
    "projections/roles": {name: f"stages.{name}" for name in ("weights", "raw_scores", "output")}
    | {f"swapped_{name}": f"swapped.{name}" for name in ("weights", "raw_scores", "output")},
    "qk_norm": {name: f"norms.2.{name}" for name in ("weights", "scores", "dot_products", "query_norms", "key_norms")},
    "qk_norm/concentration": {"relative_spread": "points.*.raw.relative_spread"}
    | {"cosines": "points.*.cosine_standard_deviation"},
    "rope": {"slide": "slide.both", "product": "composition.product"},
    "rope/scaling": {"scores": "scalings.0.scores", "frequencies": "scalings.0.frequencies"},
    "scaling/growth": {name: f"points.*.{name}" for name in ("entropy", "gradient_norm", "largest_weight")},
    "scaling/panels": {"panels": "panels.0.weights"},
    "scaling/saturation": {"weights": "unscaled.weights"}
    | {f"{name}_jacobian": f"{name}.jacobian" for name in ("scaled", "unscaled")},
    "sinusoidal": {"step": "step.matrix", "table": "table.encoding"}
    | {"table_cosine_similarity": "table.cosine_similarity"},
    "softmax": {"weights": "exact", "stable": "stable.weights", "unstable": "unstable.weights"}
    | {"exponentials": "stable.exponentials"},
    "why": {"recurrent": "recurrent.0.influences"},
    "why/asymmetry": {
        f"{side}_{name}": f"{side}.{name}" for side in ("own", "shared") for name in ("scores", "weights")
    },
}
"""Where the numbers of a part are in the answer, unless under its name."""
DERIVED = {("alibi", "distances"), ("rope", "decay")}
"""Not numbers of the answer as they are; see tests/server/answers/test_figures.py."""


@pytest.fixture(scope="module")
def analysis(client: TestClient) -> dict[str, Any]:
    return client.post("/api/analyses", json={"model": MINILM, "text": "A <b> & cat sat."}).json()


def array(values: Any) -> np.ndarray:
    """A list, or an array in Plotly's typed form."""
    if not isinstance(values, dict):
        return np.array(values, dtype=float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), "<" + values["dtype"])
    return flat.reshape([int(size) for size in values["shape"].split(",")]) if "shape" in values else flat


def find(answer: Any, path: str) -> Any:
    for place, step in enumerate(steps := path.split(".")):
        if step == "*":
            return [find(each, ".".join(steps[place + 1 :])) for each in answer]
        answer = answer[int(step) if step.isdecimal() else step]
    return answer


def figure(response: Any) -> list[dict[str, Any]]:
    """Its traces, which plotly's validators have read."""
    assert response.status_code == 200, response.text
    body = response.json()
    go.Figure(body["data"], body["layout"])
    return body["data"]


def parts(client: TestClient, path: str) -> Iterator[str]:
    [operation] = client.get("/api/openapi.json").json()["paths"][path].values()
    [drawn] = [each for each in operation["parameters"] if each.get("name") == "draw"]
    schema = drawn["schema"]
    yield from schema["enum"] if "enum" in schema else [schema["const"]]


@pytest.mark.full("decoder", "kv_cache/steps", "multi_head", "scoring")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("concept", BODIES)
def test_each_part_has_the_numbers_of_the_answer(client: TestClient, concept: str) -> None:
    body, index = BODIES[concept], INDEX.get(concept, {})
    answer = client.post(f"/api/{concept}", json=body).json()
    for part in parts(client, f"/api/{concept}"):
        traces = figure(client.post(f"/api/{concept}", json=body, params={**FIGURE, **index, "draw": part}))
        first = traces[0]
        if (concept, part) in DERIVED:
            continue
        if first.get("fill"):  # a density; its histograms are compared in test_figures
            assert array(first["y"]).min() >= 0
            continue
        expected = array(find(answer, AT.get(concept, {}).get(part, part)))
        if (concept, part) == ("circle", "plane"):
            expected = expected[:, 1]
        shown = array(first["z"] if first["type"] == "heatmap" else first["y"])
        np.testing.assert_array_equal(shown, expected, err_msg=part)


@pytest.mark.parametrize(
    ("kind", "query", "path"),
    [
        ("rollout", {}, "matrix"),
        ("rollout", {"query": 2, "layer": 1}, "matrix"),
        ("rollout/layers", {"query": 2}, "rollout"),
        ("rollout/layers", {"query": 2, "draw": "mean_weights"}, "mean_weights"),
        ("flow", {"query": 2}, "flows"),
        ("attribution", {"layer": 1, "head": 2}, "parts.0.heads"),
        ("attribution", {"layer": 1, "head": 2, "draw": "matrix"}, "matrix"),
        ("output", {"position": 0}, "candidates.*.probability"),
        ("", {"draw": "separator"}, "metrics.separator"),
    ],
)
def test_views_of_an_analysis_are_figures(client: TestClient, analysis: Any, kind: str, query: Any, path: str) -> None:
    address = f"/api/analyses/{analysis['id']}" + (f"/{kind}" if kind else "")
    answer = client.get(address, params=query).json()
    [trace] = figure(client.get(address, params=query | FIGURE))
    np.testing.assert_array_equal(array(trace.get("z", trace.get("y"))), array(find(answer, path)))


def test_the_difference_and_the_plane_are_figures(client: TestClient, analysis: Any) -> None:
    other = client.post("/api/analyses", json={"model": MINILM, "text": "A <b> & dog sat."}).json()
    address, query = f"/api/analyses/{analysis['id']}", {"layer": 1, "head": 2, "other": other["id"], "rows": "1:3"}
    answer = client.get(f"{address}/difference", params=query).json()
    [trace] = figure(client.get(f"{address}/difference", params=query | FIGURE))
    np.testing.assert_array_equal(array(trace["z"]), array(answer["matrix"]))
    assert trace["y0"] == 1
    plane = client.get(f"{address}/query_key_plane", params=query).json()
    queries, keys = figure(client.get(f"{address}/query_key_plane", params=query | FIGURE))
    np.testing.assert_array_equal(array(queries["x"]), array(plane["queries"]["coordinates"])[:, 0])
    np.testing.assert_array_equal(array(keys["y"]), array(plane["keys"]["coordinates"])[:, 1])
    assert queries["text"][2] == "2 &lt;"


def test_every_route_of_figures_is_tried_here(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    tried = {f"/api/{concept}" for concept in BODIES}
    others = r"\{|head_scores|circuits|head_roles|patching"  # these are tried beside their routes
    drawn = {path for path, given in paths.items() if "#/components/parameters/as" in json.dumps(given)}
    assert {path for path in drawn if not re.search(others, path)} == tried
    assert len(drawn) == 60


def test_what_cannot_be_drawn_is_refused_in_the_one_shape(client: TestClient, assert_error: Any) -> None:
    path, body = "/api/multi_head", {"num_heads": 2}
    assert_error(client.post(path, json=body, params=FIGURE | {"head": 2}), 422, "out_of_range", "head", 1)
    assert_error(client.post(path, json=body, params=FIGURE | {"draw": "mask"}), 422, "invalid_value", "draw")
    said = assert_error(client.post(path, json=body, params=FIGURE | {"draw": "all"}), 422, "invalid_request", "draw")
    assert "'weights', 'raw_scores'" in said, "which there are"
    assert_error(client.post(path, json=body, params=FIGURE | {"theme": "blue"}), 422, "invalid_request", "theme")
    assert_error(client.post(path, json=body, params={"as": "picture"}), 422, "invalid_request", "as")
    assert_error(client.get("/api/models", params=FIGURE), 422, "invalid_value", "as")
    assert client.get("/rope", params={"as": "figure"}).status_code == 200, "pages leave foreign parameters alone"
    wrong = {"num_heads": 0}
    assert client.post(path, json=wrong, params=FIGURE).json() == client.post(path, json=wrong).json()


def test_a_figure_is_json_like_its_answer_and_says_what_it_varies_with(client: TestClient) -> None:
    numbers, drawn = (client.post("/api/softmax", json={"scores": [1, 2]}, params=each) for each in ({}, FIGURE))
    large = client.post("/api/alibi", json={"heads": 1, "seq_len": 300}, params=FIGURE | {"draw": "bias"})
    assert {each.headers["content-type"] for each in (numbers, drawn, large)} == {"application/json"}
    assert [each.headers["vary"] for each in (drawn, large)] == ["Accept-Language", "Accept-Language, Accept-Encoding"]


def test_parameters_of_others_may_be_written_in_any_way(client: TestClient) -> None:
    for query in ("%E7%8C%AB=%FF", "as=figure&%E7%8C%AB=%FF"):
        assert client.post(f"/api/softmax?{query}", json={"scores": [1, 2]}).status_code == 200


@pytest.mark.parametrize("root", ["", "/user/ada"])
def test_the_old_addresses_of_figures_answer_the_same(root: str, analysis: Any, client: TestClient) -> None:
    address, query = f"/api/analyses/{analysis['id']}/weights", {"layer": 1, "head": 2, "theme": "night"}
    client = client if not root else TestClient(client.app, root_path=root)
    now = client.get(f"{root}{address}", params=query | FIGURE)
    before = client.get(f"{root}{address}/figure", params=query)
    assert before.json()["data"] == now.json()["data"] != []
    assert before.headers["content-type"] == now.headers["content-type"]
    assert client.head(f"{root}{address}/figure", params=query).status_code == 200
    posted = client.post(f"{root}/api/rope/scaling/figure?draw=scores&lang=ja", json=BODIES["rope/scaling"])
    asked = FIGURE | {"draw": "scores", "lang": "ja"}
    assert posted.json() == client.post(f"{root}/api/rope/scaling", json=BODIES["rope/scaling"], params=asked).json()


def test_no_other_address_has_one_below_it(client: TestClient, assert_error: Any) -> None:
    for path in ("/api/models/figure", "/api/figure", "/rope/figure"):
        assert client.get(path).status_code == 404
    assert client.get("/api/rope/figure").status_code == 405
    paths = client.get("/api/openapi.json").json()["paths"]
    assert [path for path in paths if path.endswith("/figure")] == []


def test_an_old_address_takes_what_its_figure_takes(client: TestClient) -> None:
    """A run can be deleted; its curves can only be looked at."""
    old = "/api/training/0/figure"
    assert client.options(old).headers["allow"] == "GET, HEAD, OPTIONS"
    assert client.delete(old).status_code == 405
    assert "DELETE" in client.options("/api/training/0").headers["allow"]


def test_titles_and_axes_are_in_the_language_of_the_request(client: TestClient) -> None:
    asked = FIGURE | {"head": 1}
    for given in ({"params": asked | {"lang": "ja"}}, {"params": asked, "headers": {"Accept-Language": "ja"}}):
        answer = client.post("/api/multi_head", json={}, **given)
        layout = answer.json()["layout"]
        assert layout["title"]["text"] == "重み · ヘッド 1"
        assert (layout["xaxis"]["title"]["text"], layout["yaxis"]["title"]["text"]) == ("キー", "クエリ")
        assert "Accept-Language" in answer.headers["vary"]
    english = client.post("/api/multi_head?as=figure", json={}).json()["layout"]
    assert english["title"]["text"] == "Weights · head 0"
