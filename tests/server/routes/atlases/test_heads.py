"""GET /api/atlases/{id}/heads and the portrait of each, with their figures."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from attention_core.atlas.measures import MEASURES


@pytest.mark.full
def test_all_heads_in_one_answer(client: TestClient, atlas: str, atlases: Path) -> None:
    answer = client.get(f"{atlas}/heads").json()
    rows = pq.read_table(atlases / atlas.rpartition("/")[2] / "heads.parquet").to_pylist()
    for name in ("part", "layer", "head"):
        assert answer[name] == [row[name] for row in rows]
    assert answer["values"] == {name: [row[name] for row in rows] for name in MEASURES}
    assert answer["map"] == {
        "x": [row["map_x"] for row in rows],
        "y": [row["map_y"] for row in rows],
        "cluster": [row["cluster"] for row in rows],
        "stress": 0.125,
    }
    assert [each["name"] for each in answer["measures"]] == list(MEASURES)
    assert {key for each in answer["measures"] for key in each} == {"name", "title", "definition", "source", "unit"}
    assert [len(each["accuracy"]) for each in answer["relations"]] == [72] * 4
    assert answer["facts"]["parts"] == [
        {"name": "encoder", "layers": 6, "heads": 12, "kv_heads": 12, "head_dim": 32, "causal": False}
    ]


def test_a_portrait(client: TestClient, atlas: str) -> None:
    answer = client.get(f"{atlas}/heads/3/4").json()
    assert (answer["part"], answer["layer"], answer["head"], answer["sampled"]) == ("encoder", 3, 4, 40)
    histogram = answer["histograms"]["entropy"]
    assert (len(histogram["edges"]), len(histogram["counts"])) == (9, 8)
    assert histogram["mean"] == answer["values"]["entropy"]
    assert len(answer["examples"]) == 240
    example = answer["examples"][0]
    token = answer["windows"][str(example["window"])]["tokens"][example["query"]]
    assert set(token) == {"text", "token", "start", "end", "special", "word"}
    assert answer == client.get(f"{atlas}/heads/3/4", params={"part": "encoder"}).json()


def test_what_was_read_once_need_not_be_sent_again(client: TestClient, atlas: str) -> None:
    first = client.get(f"{atlas}/heads")
    assert first.headers["cache-control"] == "private, max-age=3600"
    again = client.get(f"{atlas}/heads", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_heads_that_are_not_there_are_refused(client: TestClient, atlas: str, assert_error: Any) -> None:
    assert_error(client.get(f"{atlas}/heads/6/0"), 422, "out_of_range", "layer", 5)
    assert_error(client.get(f"{atlas}/heads/0/12"), 422, "out_of_range", "head", 11)
    assert_error(client.get(f"{atlas}/heads/0/0?part=decoder"), 422, "out_of_range", "part")
    assert_error(client.get(f"{atlas}/heads/0/0?part=cross"), 422, "invalid_request", "part")
    assert_error(client.get("/api/atlases/0123456789abcdef/heads"), 404, "unknown_atlas", "atlas_id")
    assert_error(client.get("/api/atlases/atlas/heads"), 422, "invalid_request", "atlas_id")


@pytest.mark.parametrize("name", ["heads", "relations"])
def test_a_damaged_file_is_named(client: TestClient, atlas: str, atlases: Path, assert_error: Any, name: str) -> None:
    path = atlases / atlas.rpartition("/")[2] / f"{name}.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    try:
        message = assert_error(client.get(f"{atlas}/heads"), 409, "atlas_damaged", "atlas_id")
        assert f"{name}.parquet cannot be read" in message
        assert client.get("/api/atlases").status_code == 200
    finally:
        path.write_bytes(whole)
    assert client.get(f"{atlas}/heads").status_code == 200


def test_the_map_is_a_scatter_of_any_two_measures(client: TestClient, atlas: str) -> None:
    figure = client.get(f"{atlas}/heads?as=figure").json()
    assert figure["layout"]["yaxis"]["scaleanchor"] == "x"
    figure = client.get(f"{atlas}/heads", params={"as": "figure", "x": "layer", "y": "entropy"}).json()
    assert figure["layout"]["xaxis"]["title"]["text"] == "layer"
    assert figure["layout"]["yaxis"]["title"]["text"] == "Entropy"
    assert figure["data"][0]["text"][:2] == ["0.0", "0.1"]
    lacking = client.get(f"{atlas}/heads", params={"as": "figure", "x": "entropy", "y": "duplicate_token"}).json()
    assert len(lacking["data"][0]["text"]) == 71  # one head has no such value


def test_figures_of_a_portrait(client: TestClient, atlas: str, assert_error: Any) -> None:
    offsets = client.get(f"{atlas}/heads/1/2?as=figure").json()
    assert offsets["layout"]["title"]["text"] == "Weight by offset"
    query = {"as": "figure", "draw": "histogram", "measure": "separator", "lang": "en"}
    histogram = client.get(f"{atlas}/heads/1/2", params=query).json()
    counts = client.get(f"{atlas}/heads/1/2").json()["histograms"]["separator"]["counts"]
    assert len(counts) == 8
    assert json.dumps(histogram["data"][0]["y"])
    assert histogram["layout"]["title"]["text"] == "Separator · layer 1 · head 2"
    lacking = client.get(f"{atlas}/heads/1/2", params=query | {"measure": "positional_regularity"})
    assert_error(lacking, 422, "invalid_value", "draw")
