"""``/api/alibi`` from outside."""

import json
import math
import re

import numpy as np
import pytest


def ask(client, **request):
    response = client.post("/api/alibi", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_slopes(client):
    assert ask(client, heads=8, seq_len=1)["slopes"] == [2**-h for h in range(1, 9)]
    np.testing.assert_allclose(ask(client, heads=16, seq_len=1)["slopes"], [2 ** (-h / 2) for h in range(1, 17)])
    twelve = ask(client, heads=12, seq_len=1)["slopes"]
    assert twelve[:8] == [2**-h for h in range(1, 9)]
    np.testing.assert_allclose(twelve[8:], [0.70711, 0.35355, 0.17678, 0.08839], atol=5e-6)


@pytest.mark.parametrize(("heads", "seq_len"), [(1, 1), (3, 7), (12, 11), (71, 2)])
def test_bias(client, heads, seq_len):
    answer = ask(client, heads=heads, seq_len=seq_len)
    distance = np.arange(seq_len)[:, None] - np.arange(seq_len)
    np.testing.assert_allclose(answer["bias"], -np.array(answer["slopes"])[:, None, None] * distance, rtol=1e-15)
    symmetric = ask(client, heads=heads, seq_len=seq_len, symmetric=True)["bias"]
    np.testing.assert_allclose(symmetric, -np.array(answer["slopes"])[:, None, None] * abs(distance), rtol=1e-15)
    assert not re.search(r"-0\.0[],]", json.dumps(answer["bias"]))


def test_a_window_of_a_long_text(client):
    answer = ask(client, heads=8, seq_len=4096, rows=[4095, 4096], cols=[0, 4096])
    np.testing.assert_allclose(answer["bias"][0][0], -0.5 * np.arange(4095, -1, -1))


def test_beside_rope_on_the_same_queries_and_keys(client):
    queries, keys = [[1, 0], [0, 1], [1, 1]], [[1, 1], [2, 0], [0, 1]]
    compared = ask(client, heads=2, seq_len=3, queries=queries, keys=keys)["compared"]
    scores = np.array(queries) @ np.array(keys).T / math.sqrt(2)
    np.testing.assert_allclose(compared["none"]["scaled_scores"], scores, atol=1e-15)
    row = scores[2] - np.array([2, 1, 0]) / 16
    weights = np.exp(row) / np.exp(row).sum()
    np.testing.assert_allclose(compared["alibi"][0]["weights"][2], weights, atol=1e-15)
    np.testing.assert_allclose(compared["alibi"][0]["output"][2], weights @ np.array(keys), atol=1e-15)
    assert compared["alibi"][1]["masked_scores"][0][1:] == ["-Infinity", "-Infinity"]
    turned = math.cos(1) * 2 / math.sqrt(2)  # (0, 1) at position 1 against (2, 0) at position 1: nothing changes
    assert compared["rope"]["scaled_scores"][1][1] == pytest.approx(0, abs=1e-15)
    # (1, 1) at 2 against (2, 0) at 1: turned by one radian relative to each other.
    assert compared["rope"]["scaled_scores"][2][1] == pytest.approx(turned - math.sin(1) * 2 / math.sqrt(2), abs=1e-14)


@pytest.mark.parametrize(
    ("change", "code", "field", "limit"),
    [
        ({"heads": 0}, "invalid_request", "heads", 1),
        ({"heads": -3}, "invalid_request", "heads", 1),
        ({"heads": 1025}, "invalid_request", "heads", 1024),
        ({"heads": 2.5}, "invalid_request", "heads", None),
        ({"heads": "8"}, "invalid_request", "heads", None),
        ({"seq_len": 0}, "invalid_request", "seq_len", 1),
        ({"seq_len": 4097}, "too_large", "seq_len", 4096),
        ({"seq_len": 4096}, "too_large", "seq_len", 4_194_304),
        ({"rows": [0]}, "invalid_request", "rows", 2),
        ({"rows": [2, 1]}, "invalid_value", "rows", None),
        ({"cols": [0, 4]}, "invalid_value", "cols", None),
        ({"rows": [0, 10**9]}, "too_large", "seq_len", 4_194_304),
        ({"queries": [[1], [2]]}, "invalid_value", "queries", None),
        ({"queries": [[1], [2, 3], [4]]}, "invalid_request", "queries", None),
        ({"queries": [[1], [math.nan], [4]]}, "invalid_request", "queries.1.0", None),
        ({"queries": [[1], ["2"], [4]]}, "invalid_request", "queries.1.0", None),
        ({"queries": [[1], [2], [3]], "keys": [[1, 2]] * 3}, "invalid_value", "keys", None),
        ({"queries": [[1], [2], [3]], "values": [[1]]}, "invalid_value", "values", None),
        ({"keys": [[1]] * 3}, "invalid_value", "keys", None),
        ({"pairing": "both"}, "invalid_request", "pairing", None),
        ({"base": 0}, "invalid_request", "base", 0.001),
        ({"slopes": [1]}, "invalid_request", "slopes", None),
    ],
)
def test_bad_input(client, assert_error, change, code, field, limit):
    body = json.dumps({"heads": 2, "seq_len": 3, **change})
    response = client.post("/api/alibi", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)
