"""``/api/reach`` from outside."""

import json

import numpy as np
import pytest

CAUSAL = np.tril(np.ones((5, 5), dtype=bool))
TWO = [[True, False], [True, True]]


def ask(client, **request):
    response = client.post("/api/reach", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_one_hole_in_a_causal_mask(client):
    holed = CAUSAL.copy()
    holed[0, 2] = True
    answer = ask(client, masks=[holed.tolist()], layers=2, intended=CAUSAL.tolist())
    assert np.shape(answer["masks"]) == (2, 5, 5)
    # 0 sees 2 in the first layer; in the second, what 2 saw (1), and 1 sees 0, which saw 2.
    assert np.argwhere(answer["leaks"]).tolist() == [[0, 0, 2], [1, 0, 1], [1, 0, 2], [1, 1, 2]]
    assert answer["allowed"] == answer["reached"]
    assert answer["mixed"] == np.eye(5, dtype=bool).tolist()
    np.testing.assert_array_equal(np.array(answer["change"]) > 0, answer["reached"])


def test_a_norm_over_time_reaches_everything_past_a_causal_mask(client):
    answer = ask(client, masks=[CAUSAL.tolist()], mixing="norm_over_time")
    assert np.array(answer["reached"]).all()
    np.testing.assert_array_equal(answer["allowed"], [CAUSAL])
    np.testing.assert_array_equal(answer["leaks"], [~CAUSAL])
    assert answer["mixing"] == "norm_over_time"


def test_equal_requests_have_equal_answers(client):
    assert ask(client, masks=[TWO]) == ask(client, masks=[TWO], layers=1, seed=0, mixing="none")
    assert ask(client, masks=[TWO], seed=1)["change"] != ask(client, masks=[TWO])["change"]


@pytest.mark.parametrize(
    ("change", "code", "field", "limit"),
    [
        ({"masks": []}, "invalid_request", "masks", 1),
        ({"masks": [[[True]]]}, "invalid_request", "masks.0.0", 2),
        ({"masks": [[[True, 1], [True, True]]]}, "invalid_request", "masks.0.0.1", None),
        ({"masks": [[[True] * 25] * 25]}, "too_large", "masks.0.0", 24),
        ({"masks": [TWO] * 9}, "too_large", "masks", 8),
        ({"masks": [[[True, True, True], [True, True, True]]]}, "invalid_value", "masks", None),
        ({"masks": [TWO, TWO], "layers": 3}, "invalid_value", "masks", None),
        ({"masks": [TWO], "layers": 0}, "invalid_request", "layers", 1),
        ({"masks": [TWO], "layers": 9}, "invalid_request", "layers", 8),
        ({"masks": [TWO], "intended": [[True] * 3] * 3}, "invalid_value", "intended", None),
        ({"masks": [TWO], "mixing": "recurrence"}, "invalid_request", "mixing", None),
        ({"masks": [TWO], "seed": -1}, "invalid_request", "seed", 0),
        ({"masks": [TWO], "heads": 2}, "invalid_request", "heads", None),
        ({}, "invalid_request", "masks", None),
    ],
)
def test_bad_input(client, assert_error, change, code, field, limit):
    body = json.dumps(change)
    response = client.post("/api/reach", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)
