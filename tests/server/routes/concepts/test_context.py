"""/api/context on the real model of an installed package."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
RIVER = {"text": "He fished from the bank of the river.", "word": "bank"}
MONEY = {"text": "She took her money to the bank.", "word": "bank"}


@pytest.fixture(scope="module")
def client(own_app: FastAPI) -> Iterator[TestClient]:
    """Of an application that keeps nothing yet."""
    with TestClient(own_app) as client:
        yield client


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/context", json={"model": MINILM, **request})
    assert response.status_code == 200, response.json()
    return response.json()


@pytest.mark.full
def test_the_same_word_in_two_sentences(client: TestClient) -> None:
    answer = post(client, texts=[RIVER, MONEY])
    assert answer["states"] == ["table", "embeddings", *(f"layer_{layer}" for layer in range(6))]
    cosines = np.array(answer["cosines"])
    assert cosines.shape == (8, 2, 2)
    np.testing.assert_allclose(cosines[0], 1, atol=1e-6)
    assert cosines[-1, 0, 1] == pytest.approx(0.8451, abs=1e-3)
    assert len(answer["baseline"]) == 8
    assert answer["same_tokens"] == [[True, True], [True, True]]
    river, money = answer["words"]
    assert [river["tokens"][index]["text"] for index in river["word_tokens"]] == ["bank"]
    assert np.array(river["reads"]).shape == (6, 12, len(river["tokens"]))
    np.testing.assert_allclose(np.array(money["reads"]).sum(axis=-1), 1, atol=1e-5)
    assert [len(near) for near in money["nearest"]] == [3] * 8


@pytest.mark.full
def test_base64_and_what_is_kept(client: TestClient) -> None:
    plain = post(client, texts=[RIVER, MONEY])
    encoded = post(client, texts=[RIVER, MONEY], encoding="base64")
    reads = encoded["words"][0]["reads"]
    assert reads["shape"] == f"6,12,{len(plain['words'][0]['tokens'])}"
    numbers = np.frombuffer(base64.b64decode(reads["bdata"]), "<f4")
    assert numbers.tolist() == np.array(plain["words"][0]["reads"]).ravel().tolist()
    observatory = client.app.state.observatory  # type: ignore[attr-defined]
    assert observatory.studies.cache.currsize > 0


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "limit"),
    [
        ({}, 422, "invalid_request", "texts", None),
        ({"texts": [RIVER]}, 422, "out_of_range", "texts", 6),
        ({"texts": [RIVER] * 7}, 422, "too_large", "texts", 6),
        ({"texts": [RIVER, {"text": "a b", "word": "bank"}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [RIVER, {**MONEY, "occurrence": 1}]}, 422, "out_of_range", "texts.1.occurrence", 0),
        ({"texts": [RIVER, {**MONEY, "occurrence": -1}]}, 422, "invalid_request", "texts.1.occurrence", 0),
        ({"texts": [RIVER, {**MONEY, "token": 1}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [RIVER, {"text": "a", "token": 99}]}, 422, "out_of_range", "texts.1.token", 2),
        ({"texts": [RIVER, {"text": "a"}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [{"text": " ", "word": "a"}, RIVER]}, 422, "text_empty", "texts.0.text", None),
        ({"texts": [{"text": "a " * 600, "word": "a"}, RIVER]}, 422, "text_too_long", "texts.0.text", 512),
        ({"texts": [{"text": "a" * 200_001, "word": "a"}, RIVER]}, 422, "text_too_long", "texts.0.text", 200_000),
        ({"texts": [{"text": 5, "word": "a"}, RIVER]}, 422, "invalid_request", "texts.0.text", None),
        ({"texts": [{**RIVER, "word": ""}, RIVER]}, 422, "out_of_range", "texts.0.word", None),
        ({"texts": [RIVER, MONEY], "model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"texts": [RIVER, MONEY], "encoding": "xml"}, 422, "invalid_request", "encoding", None),
        ({"texts": [RIVER, MONEY], "extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/context", json={"model": MINILM, **body}), status, code, field, limit)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "Give 2 to 6 texts to compare, not 0."),
        ([RIVER], "Give 2 to 6 texts to compare, not 1."),
        ([{**RIVER, "word": ""}, MONEY], "The word is empty: give a word that occurs in the text."),
        ([RIVER, {**MONEY, "word": "tree"}], "The word does not occur in the text."),
    ],
)
def test_refusals_are_sentences(client: TestClient, texts: Any, message: str) -> None:
    answer = client.post("/api/context", json={"model": MINILM, "texts": texts})
    assert answer.json()["error"]["message"] == message


def test_what_the_page_says_about_bank(client: TestClient) -> None:
    """The numbers in the texts of /context: where “bank” attends to “river”, and how its vectors part."""
    texts = (
        "We sat on the bank of the river.",
        "The bank lent us the money.",
        "The river rose above its bank.",
        "She works at a bank in the city.",
    )
    answer = post(client, texts=[{"text": text, "word": "bank"} for text in texts])
    word = answer["words"][0]
    reads = np.array(word["reads"]).mean(axis=1)  # layers × keys
    river = [token["text"] for token in word["tokens"]].index("river")
    special = [token["index"] for token in word["tokens"] if token["special"]]
    np.testing.assert_allclose(reads[[0, 5], river], [0.168, 0.103], atol=5e-4)
    assert reads[1:5, river].max() == pytest.approx(0.044, abs=5e-4)
    assert reads[1:5, special].sum(axis=1).min() > 2 / 3
    cosines = np.array(answer["cosines"])
    assert cosines[4, 0, 1] == pytest.approx(0.802, abs=5e-4)  # after layer 2
    np.testing.assert_allclose(cosines[-1, [0, 1, 0], [2, 3, 1]], [0.941, 0.843, 0.783], atol=5e-4)


def test_what_the_page_says_about_held(client: TestClient) -> None:
    texts = (
        "He held a pen in his hand.",
        "He held a strong belief.",
        "She held a cup in her hands.",
        "She held a firm opinion.",
    )
    last = np.array(post(client, texts=[{"text": text, "word": "held"} for text in texts])["cosines"])[-1]
    np.testing.assert_allclose(last[[0, 1], [2, 3]], [0.951, 0.861], atol=5e-4)
    assert max(last[0, 1], last[0, 3], last[1, 2], last[2, 3]) < 0.8


def test_what_the_page_says_about_japanese(client: TestClient) -> None:
    texts = [{"text": text, "word": "持った"} for text in ("彼はペンを持った。", "彼は自信を持った。")]
    answer = post(client, texts=texts)
    pen, confidence = ([token["token"] for token in word["tokens"]] for word in answer["words"])
    assert pen[3:5] == ["##ヘ", "##ン"]
    assert confidence[3] == "[UNK]"
    assert pen[6] == confidence[6] == "[UNK]"
    assert answer["cosines"][-1][0][1] == pytest.approx(0.782, abs=5e-4)
