"""``/api/rope`` from outside: the curriculum's figures, odd sizes, bad input."""

import json
import math

import numpy as np
import pytest


def ask(client, path="/api/rope", **request):
    response = client.post(path, json=request)
    assert response.status_code == 200, response.json()
    return response.json()


@pytest.mark.parametrize(
    "request_",
    [
        {"frequencies": [0.5], "positions": [0, 1, 2]},
        {"positions": [0, 0.5, 1]},
        {"scaling": {"kind": "linear", "factor": 2}, "positions": [0, 1, 2]},
    ],
)
@pytest.mark.parametrize("pairing", ["interleaved", "half_split"])
def test_one_pair_on_a_circle(client, pairing, request_):
    answer = ask(client, dim=2, pairing=pairing, vector=[1, 0], **request_)
    np.testing.assert_allclose(
        answer["rotated"], [[1, 0], [0.87758256, 0.47942554], [0.54030231, 0.84147098]], atol=1e-8
    )


def test_every_clock_of_128(client):
    answer = ask(client, dim=128, pairing="half_split", positions=[1])
    theta = [10_000 ** (-2 * i / 128) for i in range(64)]
    np.testing.assert_allclose(answer["frequencies"], theta, rtol=1e-14)
    np.testing.assert_allclose(answer["wavelengths"], [2 * math.pi / t for t in theta], rtol=1e-14)
    np.testing.assert_allclose(answer["angles"], [theta], rtol=1e-14)
    np.testing.assert_allclose(answer["cos"], np.cos([theta]), atol=1e-14)
    np.testing.assert_allclose(answer["sin"], np.sin([theta]), atol=1e-14)


@pytest.mark.parametrize(("precision", "bound"), [("float32", 1e-6), ("float64", 1e-14)])
def test_scores_are_relative(client, precision, bound):
    vector = (np.sin(np.arange(64)) / np.linalg.norm(np.sin(np.arange(64)))).tolist()
    key = (np.cos(np.arange(64)) / np.linalg.norm(np.cos(np.arange(64)))).tolist()
    request = {"dim": 64, "pairing": "interleaved", "vector": vector, "key": key, "precision": precision}
    here = ask(client, **request, positions=[0, 1, 5], slide=7, compose=[2, 9])
    there = ask(client, **request, positions=[7, 8, 12])
    np.testing.assert_allclose(here["relative_scores"], there["relative_scores"], atol=bound, rtol=0)
    assert here["slide"]["largest_change_both"] <= bound
    assert here["slide"]["largest_change_query_only"] > 1e-2
    assert here["composition"]["largest_difference"] <= 1e-14
    np.testing.assert_allclose(here["norms"], 1, atol=bound)


def test_decay(client):
    expected = [32.5, 17.954137, 12.629452, 10.227330, 6.548179]
    answer = ask(client, dim=128, pairing="half_split", positions=[0, 10, 50, 100, 250])
    np.testing.assert_allclose(answer["decay"], expected, atol=1e-6)
    curve = ask(client, dim=128, pairing="half_split", positions=[0], distances=list(range(251)))["decay"]
    np.testing.assert_allclose([curve[d] for d in (0, 10, 50, 100, 250)], expected, atol=1e-6)
    assert (np.diff(curve) > 0).any()


def test_pairings_agree_only_after_permutation(client):
    vector = [0.3, -1.2, 0.5, 2.0, -0.7, 0.1]
    interleaved = ask(client, dim=6, pairing="interleaved", positions=[0, 1, 2], vector=vector, mix_pairings=True)
    order = interleaved["permutation"]
    half_split = ask(client, dim=6, pairing="half_split", positions=[0, 1, 2], vector=[vector[i] for i in order])
    np.testing.assert_allclose(np.array(interleaved["rotated"])[:, order], half_split["rotated"], atol=1e-14)
    wrong = ask(client, dim=6, pairing="half_split", positions=[0, 1, 2], vector=vector)
    assert np.abs(np.array(interleaved["rotated"]) - wrong["rotated"]).max() > 0.1
    mixed = interleaved["mixed_pairings"]
    assert np.ptp(np.diagonal(mixed["mixed_scores"])) > 0.1
    np.testing.assert_allclose(mixed["permuted_scores"], interleaved["relative_scores"], atol=1e-14)
    np.testing.assert_allclose(mixed["wrong_layout_scores"], wrong["relative_scores"], atol=1e-14)


def test_scaling_in_transformers_words(client):
    ours = {"kind": "yarn", "factor": 4, "trained_length": 2048}
    theirs = {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 2048}
    request = {"dim": 64, "pairing": "half_split", "positions": [0, 4000]}
    assert ask(client, **request, scaling=ours) == ask(client, **request, scaling=theirs)
    assert ask(client, **request, scaling=ours)["attention_factor"] == pytest.approx(0.1 * math.log(4) + 1, rel=1e-15)
    assert ask(client, **request, scaling={"kind": "default"}) == ask(client, **request)
    assert ask(client, **request, scaling={**theirs, "rope_theta": 5e5}) == ask(
        client, **request, scaling=ours, base=5e5
    )
    aware = {"type": "ntk_aware", "factor": 4, "original_max_position_embeddings": 2048}
    assert ask(client, **request, scaling=aware) == ask(client, **request, scaling={"kind": "ntk", "factor": 4})


def test_every_scaling_past_the_trained_length(client):
    answer = ask(client, "/api/rope/scaling", positions=[0, 2047, 4095])
    scalings = {scaling["kind"]: scaling for scaling in answer["scalings"]}
    assert list(scalings) == ["none", "linear", "ntk", "dynamic", "yarn", "llama3"]
    assert scalings["none"]["unseen_pairs"][:2] == [0, 0]
    assert scalings["none"]["unseen_pairs"][2] == sum(2048 * 10_000 ** (-i / 64) < 2 * math.pi for i in range(64))
    assert scalings["linear"]["unseen_pairs"] == [0, 0, 0]
    for kind, settings in {
        "linear": {"factor": 4},
        "ntk": {"factor": 4},
        "dynamic": {"factor": 4, "trained_length": 2048},
        "yarn": {"factor": 4, "trained_length": 2048},
        "llama3": {"factor": 4, "trained_length": 2048},
    }.items():
        one = ask(client, dim=128, pairing="half_split", positions=[0, 4095], scaling={"kind": kind, **settings})
        np.testing.assert_allclose(scalings[kind]["frequencies"], one["frequencies"], rtol=1e-15)
        np.testing.assert_allclose(scalings[kind]["scores"][2], one["relative_scores"][0][1] / 64, atol=1e-14)


def test_odd_sizes(client):
    one = ask(client, dim=2, pairing="interleaved", positions=[-3])
    assert np.shape(one["relative_scores"]) == (1, 1)
    many = ask(client, dim=2, pairing="interleaved", positions=list(range(4096)))
    assert len(many["rotated"]) == 4096
    assert many["relative_scores"] is None
    wide = ask(client, dim=1024, pairing="half_split", positions=[0, 1e9])
    assert len(wide["frequencies"]) == 512


BASIC = {"dim": 4, "pairing": "interleaved", "positions": [0, 1]}


@pytest.mark.parametrize(
    ("change", "code", "field", "limit"),
    [
        ({"dim": 3}, "invalid_request", "dim", 2),
        ({"dim": 0}, "invalid_request", "dim", 2),
        ({"dim": 1026}, "invalid_request", "dim", 1024),
        ({"dim": "4"}, "invalid_request", "dim", None),
        ({"base": 0}, "invalid_request", "base", 0.001),
        ({"base": -1}, "invalid_request", "base", 0.001),
        ({"base": 1e13}, "invalid_request", "base", 1e12),
        ({"pairing": "both"}, "invalid_request", "pairing", None),
        ({"positions": []}, "invalid_request", "positions", 1),
        ({"positions": ["1"]}, "invalid_request", "positions.0", None),
        ({"positions": [math.nan]}, "invalid_request", "positions.0", None),
        ({"positions": [math.inf]}, "invalid_request", "positions.0", None),
        ({"positions": [0, [1]]}, "invalid_request", "positions.1", None),
        ({"positions": [1e10]}, "invalid_request", "positions.0", 1e9),
        ({"positions": [0] * 4097}, "too_large", "positions", 4096),
        ({"distances": [0] * 4097}, "too_large", "distances", 4096),
        ({"positions": [0] * 2049, "slide": 1}, "too_large", "positions", 4_194_304),
        ({"vector": [1, 2]}, "invalid_value", "vector", None),
        ({"key": [1, 2]}, "invalid_value", "key", None),
        ({"vector": [1e6] * 4, "precision": "float16"}, "invalid_value", "vector", None),
        ({"vector": [6e4] * 4, "precision": "float16"}, "invalid_value", "precision", None),
        ({"rotary_dim": 6}, "invalid_value", "rotary_dim", None),
        ({"frequencies": [1]}, "invalid_value", "frequencies", None),
        ({"frequencies": [1, 2], "base": 10}, "invalid_value", "frequencies", None),
        ({"compose": [1]}, "invalid_request", "compose", 2),
        ({"compose": [1, 2], "dim": 512}, "invalid_value", "dim", None),
        ({"scaling": 3}, "invalid_request", "scaling", None),
        ({"scaling": {"kind": "longrope"}}, "invalid_request", "scaling.kind", None),
        ({"scaling": {"kind": "linear"}}, "invalid_value", "scaling", None),
        ({"scaling": {"kind": "yarn", "factor": 2}}, "invalid_value", "scaling", None),
        ({"scaling": {"kind": "default", "rope_theta": 10}, "base": 20}, "invalid_value", "scaling.rope_theta", None),
        ({"scaling": {"kind": "linear", "factor": 0.5}}, "invalid_request", "scaling.factor", 1),
        ({"scaling": {"kind": "linear", "factor": 2, "beta_fast": 3}}, "invalid_value", "scaling.beta_fast", None),
        ({"scaling": {"kind": "ntk", "factor": 2}, "dim": 2}, "invalid_value", "dim", None),
        ({"nonsense": 1}, "invalid_request", "nonsense", None),
    ],
)
def test_bad_input(client, assert_error, change, code, field, limit):
    body = json.dumps({**BASIC, **change})
    response = client.post("/api/rope", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)


@pytest.mark.parametrize(
    ("change", "field", "limit"),
    [
        ({"dim": 2}, "dim", 4),
        ({"base": 1}, "base", 1),
        ({"factor": 0.5}, "factor", 1),
        ({"trained_length": 0}, "trained_length", 1),
        ({"positions": []}, "positions", 1),
    ],
)
def test_bad_scalings(client, assert_error, change, field, limit):
    response = client.post("/api/rope/scaling", json={"positions": [0], **change})
    assert_error(response, 422, "invalid_request", field, limit)
