"""``/api/order`` from outside."""

import json
import math

import numpy as np
import pytest


def ask(client, **request):
    response = client.post("/api/order", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_permute_the_words(client, precision):
    answer = ask(client, words=["犬", "が", "猫", "を", "追いかけた"], permutation=[2, 1, 0, 3, 4], precision=precision)
    assert answer["permuted_words"] == ["猫", "が", "犬", "を", "追いかけた"]
    outcomes = {outcome["way"]: outcome for outcome in answer["outcomes"]}
    assert list(outcomes) == ["none", "causal", "sinusoidal", "rope", "alibi"]
    for way, outcome in outcomes.items():
        moved = np.array(outcome["outputs"])[answer["permutation"]]
        np.testing.assert_array_equal(moved, outcome["moved_outputs"])
        difference = np.abs(moved - outcome["permuted_outputs"]).max()
        assert outcome["largest_difference"] == pytest.approx(difference, abs=1e-15)
        assert difference <= 1e-6 if way == "none" else difference > 1e-2
        np.testing.assert_allclose(np.sum(outcome["weights"], axis=-1), 1, atol=1e-6)


def test_defaults_and_seed(client):
    assert ask(client) == ask(client, seed=0)
    assert ask(client)["words"] == ["the", "dog", "chased", "the", "cat"]
    assert ask(client, seed=1)["vectors"] != ask(client)["vectors"]


@pytest.mark.full
def test_odd_sizes(client):
    one = ask(client, words=["alone"])
    assert all(outcome["largest_difference"] == 0 for outcome in one["outcomes"])
    given = ask(client, vectors=[[1, 2], [3, 4], [5, 6]])
    assert (given["words"], given["permuted_words"]) == (None, None)
    many = ask(client, words=[str(i) for i in range(1009)], dim=2)
    assert all(outcome["weights"] is None for outcome in many["outcomes"])
    assert many["outcomes"][0]["largest_difference"] <= 1e-12


@pytest.mark.parametrize(
    ("change", "code", "field", "limit"),
    [
        ({"words": []}, "invalid_request", "words", 1),
        ({"words": [1]}, "invalid_request", "words.0", None),
        ({"words": ["a" * 101]}, "too_large", "words.0", 100),
        ({"words": ["a"] * 4097}, "too_large", "words", 4096),
        ({"words": ["a"] * 4096}, "too_large", "words", 4_194_304),
        ({"words": ["a"], "vectors": [[1, 2], [3, 4]]}, "invalid_value", "vectors", None),
        ({"vectors": [[1], [2]]}, "invalid_value", "vectors", None),
        ({"vectors": [[1, 2], [3]]}, "invalid_request", "vectors", None),
        ({"vectors": [[1, math.nan]]}, "invalid_request", "vectors.0.1", None),
        ({"vectors": [[1] * 514]}, "invalid_value", "vectors", None),
        ({"vectors": [[1e6, 0]], "precision": "float16"}, "invalid_value", "vectors", None),
        ({"vectors": [[6e4, 6e4], [6e4, -6e4]], "precision": "float16"}, "invalid_value", "precision", None),
        ({"dim": 3}, "invalid_request", "dim", 2),
        ({"dim": 514}, "invalid_request", "dim", 512),
        ({"permutation": [0, 1]}, "invalid_value", "permutation", None),
        ({"permutation": [-1]}, "invalid_request", "permutation.0", 0),
        ({"permutation": ["0"]}, "invalid_request", "permutation.0", None),
        ({"seed": -1}, "invalid_request", "seed", 0),
        ({"precision": "int8"}, "invalid_request", "precision", None),
        ({"ways": []}, "invalid_request", "ways", None),
    ],
)
def test_bad_input(client, assert_error, change, code, field, limit):
    body = json.dumps(change)
    response = client.post("/api/order", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)


@pytest.mark.parametrize(
    ("body", "lang", "said"),
    [
        ({"words": []}, "en", "words: must not be empty."),
        ({"words": []}, "ja", "words：空にはできない。"),
        ({"words": [""]}, "en", "words.0: must not be empty."),
    ],
)
def test_an_empty_sentence_is_refused_in_words_that_people_use(client, body, lang, said):
    response = client.post("/api/order", json=body, headers={"accept-language": lang})
    assert response.json()["error"]["message"] == said
