"""``/api/why`` from outside; and the numbers that the page says in its texts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SENTENCE = ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired."]


def ask(client: Any, stem: str = "why", **request: Any) -> Any:
    response = client.post(f"/api/{stem}", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_three_ways(client: Any) -> None:
    answer = ask(client, reader=7, wanted=1, gains=[0.9, 1.3])
    assert answer["words"] == SENTENCE
    assert (answer["reader"], answer["asks"], answer["wanted"]) == (7, 7, 1)
    assert answer["average"] == [0.1] * 10
    assert [one["gain"] for one in answer["recurrent"]] == [0.9, 1.3]
    for one in answer["recurrent"]:
        assert sum(one["shares"]) == pytest.approx(1)
        assert one["shares"][8:] == [0, 0]
    np.testing.assert_allclose(np.sum(answer["weights"], axis=1), 1, atol=1e-14)
    assert np.argmax(answer["weights"][7]) == 1


def test_the_last_word_reads_and_asks_unless_told_otherwise(client: Any) -> None:
    answer = ask(client, words=["a", "b"])
    assert (answer["reader"], answer["asks"], answer["wanted"]) == (1, 1, 0)
    assert answer["effort"] == {"recurrent_steps": 2, "recurrent_path": 1, "compared_pairs": 4}


def inserted(root: Path) -> list[str]:
    """The forty words that the page inserts."""
    script = (root / "static/js/concepts/why/state.js").read_text()
    return script.split("const inserted =")[1].split('"')[1].split()


def test_the_page_s_texts_say_these_numbers(client: Any, root: Path) -> None:
    text = (root / "templates/concepts/why.html").read_text()
    near = ask(client, words=SENTENCE, reader=7, wanted=1)
    between = inserted(root)
    assert len({*between, *SENTENCE}) == 50
    words = {
        "words": [*SENTENCE[:2], *between, *SENTENCE[2:]],
        "numbers": [0, 1, *range(10, 50), *range(2, 10)],
    }
    far = ask(client, **words, reader=47, wanted=1, gains=[0.9, 1.3])
    assert f"a weight of {near['weights'][7][1]:.2f}." in text
    assert f"to {far['weights'][47][1]:.2f}." in text
    assert f"“cat” is {far['effort']['recurrent_path']} steps away" in text
    usual, high = far["recurrent"]
    assert usual["shares"][1] < 1e-6
    assert usual["influences"][1] / usual["influences"][47] < 1e-6
    assert high["influences"][1] / max(high["influences"]) == pytest.approx(0.03, abs=0.005)
    shares = [ask(client, reader=7, wanted=1, dim=dim)["recurrent"][0]["shares"][1] for dim in (64, 16)]
    assert "a share of {:.3f} instead of {:.3f}".format(*shares) in text


def test_a_translation(client: Any) -> None:
    answer = ask(client, "why/translation")
    assert answer["source"] == ["吾輩", "は", "猫", "で", "ある"]
    rows = answer["through_one_vector"]
    assert rows == [rows[0]] * 4
    assert rows[0] == sorted(rows[0]), "least of the beginning"
    np.testing.assert_allclose(np.sum(answer["weights"], axis=1), 1, atol=1e-14)


def test_asymmetry(client: Any) -> None:
    answer = ask(client, "why/asymmetry")
    own, shared = np.array(answer["own"]["scores"]), np.array(answer["shared"]["scores"])
    assert own[6, 0] > own[0, 6] == 0
    np.testing.assert_array_equal(shared, shared.T)
    assert answer["own"]["asymmetry"] == pytest.approx(np.linalg.norm(own - own.T) / np.linalg.norm(own))
    assert ask(client, "why/asymmetry", difference=0)["own"]["asymmetry"] == 0


@pytest.mark.parametrize(
    ("stem", "change", "code", "field", "limit"),
    [
        ("why", {"words": []}, "invalid_request", "words", 1),
        ("why", {"words": ["a"] * 129}, "too_large", "words", 128),
        ("why", {"words": [""]}, "invalid_request", "words.0", 1),
        ("why", {"numbers": [1, 2]}, "invalid_value", "numbers", None),
        ("why", {"numbers": [1000] * 10}, "invalid_request", "numbers.0", 1000),
        ("why", {"reader": 10}, "invalid_value", "reader", None),
        ("why", {"asks": -1}, "invalid_value", "asks", None),
        ("why", {"wanted": 10}, "invalid_value", "wanted", None),
        ("why", {"gains": []}, "invalid_request", "gains", 1),
        ("why", {"gains": [0]}, "invalid_request", "gains.0", 0.1),
        ("why", {"dim": 65}, "invalid_request", "dim", 64),
        ("why", {"gain": 1}, "invalid_request", "gain", None),
        ("why/translation", {"gain": 3.5}, "invalid_request", "gain", 3),
        ("why/asymmetry", {"difference": 1.5}, "invalid_request", "difference", 1),
    ],
)
def test_bad_input(
    client: Any, assert_error: Any, stem: str, change: dict[str, Any], code: str, field: str, limit: float | None
) -> None:
    response = client.post(f"/api/{stem}", content=json.dumps(change), headers={"content-type": "application/json"})
    assert_error(response, 422, code, field, limit)
