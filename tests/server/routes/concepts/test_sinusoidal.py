"""``/api/sinusoidal`` from outside."""

import json
import math

import numpy as np
import pytest

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def ask(client, **request):
    response = client.post("/api/sinusoidal", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def formula(positions, dim, base=10_000.0):
    angles = np.outer(positions, base ** (-np.arange(0, dim, 2) / dim))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), dim)


@pytest.mark.parametrize("dim", [2, 10, 512])
def test_map_and_similarity(client, dim):
    answer = ask(client, dim=dim, seq_len=9)
    expected = formula(range(9), dim)
    np.testing.assert_allclose(answer["encoding"], expected, atol=1e-13)
    np.testing.assert_allclose(answer["similarity"], expected @ expected.T, atol=1e-11)
    np.testing.assert_allclose(answer["cosine_similarity"], expected @ expected.T / (dim / 2), atol=1e-13)
    assert answer["positions"] == list(range(9))
    assert answer["wavelengths"][0] == pytest.approx(2 * math.pi)
    assert (answer["step"], answer["table"]) == (None, None)


def test_a_step_is_a_rotation(client):
    answer = ask(client, dim=8, positions=[0, 3, -2, 0.5], step=5, layout="half_split", base=500)
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    here, there = (formula(np.array([0, 3, -2, 0.5]) + k, 8, 500.0)[:, order] for k in (0, 5))
    np.testing.assert_allclose(answer["encoding"], here, atol=1e-14)
    matrix = np.array(answer["step"]["matrix"])
    np.testing.assert_allclose(here @ matrix.T, there, atol=1e-14)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(8), atol=1e-15)
    np.testing.assert_allclose(answer["step"]["shifted"], there, atol=1e-14)
    np.testing.assert_allclose(answer["step"]["by_matrix"], there, atol=1e-14)
    assert answer["step"]["largest_difference"] < 1e-14


def test_what_a_model_learned(client):
    table = ask(client, dim=4, positions=[0, 1.5, 2, 511, 512, -1], model=MINILM)["table"]
    assert table["table_size"] == [512, 384]
    assert table["positions"] == [0, 2, 511]
    assert table["learned"] is True
    vectors = np.array(table["encoding"])
    norms = np.linalg.norm(vectors, axis=-1)
    np.testing.assert_allclose(table["cosine_similarity"], vectors @ vectors.T / np.outer(norms, norms), atol=1e-14)
    neighbours = ask(client, dim=4, seq_len=40, model=MINILM)["table"]["cosine_similarity"]
    assert neighbours[20][21] > neighbours[20][35]


def test_odd_sizes(client):
    assert np.shape(ask(client, dim=2, seq_len=1)["similarity"]) == (1, 1)
    long = ask(client, dim=2, seq_len=4096)
    assert len(long["encoding"]) == 4096
    assert long["similarity"] is None
    assert np.shape(ask(client)["encoding"]) == (64, 64)


@pytest.mark.parametrize(
    ("change", "code", "field", "limit"),
    [
        ({"dim": 3}, "invalid_request", "dim", 2),
        ({"dim": 0}, "invalid_request", "dim", 2),
        ({"dim": 4098}, "invalid_request", "dim", 4096),
        ({"dim": "8"}, "invalid_request", "dim", None),
        ({"dim": 4096, "seq_len": 4096}, "too_large", "dim", 4_194_304),
        ({"dim": 2048, "step": 1}, "invalid_value", "dim", None),
        ({"base": 0}, "invalid_request", "base", 0.001),
        ({"base": -10}, "invalid_request", "base", 0.001),
        ({"seq_len": 0}, "invalid_request", "seq_len", 1),
        ({"seq_len": 4097}, "too_large", "seq_len", 4096),
        ({"positions": [0] * 4097}, "too_large", "positions", 4096),
        ({"positions": []}, "invalid_request", "positions", 1),
        ({"positions": [0, math.nan]}, "invalid_request", "positions.1", None),
        ({"positions": ["0"]}, "invalid_request", "positions.0", None),
        ({"positions": [0], "seq_len": 1}, "invalid_value", "seq_len", None),
        ({"layout": "both"}, "invalid_request", "layout", None),
        ({"step": math.inf}, "invalid_request", "step", None),
        ({"rows": 1}, "invalid_request", "rows", None),
    ],
)
def test_bad_input(client, assert_error, change, code, field, limit):
    body = json.dumps(change)
    response = client.post("/api/sinusoidal", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)


def test_a_model_that_is_not_there(client, assert_error):
    assert_error(client.post("/api/sinusoidal", json={"model": "nobody/nothing"}), 404, "unknown_model", "model")
