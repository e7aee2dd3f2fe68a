"""/api/claims on the real model of an installed package."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from attention_core.pretrained.studies.claims.claims import CLAIMS

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.full
def test_measured_beside_reference_with_its_origin(client: TestClient) -> None:
    response = client.post("/api/claims", json={"model": MINILM})
    assert response.status_code == 200, response.json()
    answer = response.json()
    assert [claim["id"] for claim in answer["claims"]] == [claim.id for claim in CLAIMS]
    by_id = {claim["id"]: claim for claim in answer["claims"]}
    mine = [claim for claim in answer["claims"] if claim["model"] == MINILM]
    assert [claim["reference"] for claim in mine] == pytest.approx([0.71, 0.49, 1.0, 0.5, 0.5, 5 / 12, 7 / 12])
    assert [claim["holds"] for claim in mine] == [True, True, True, True, False, True, True]
    assert {claim["label"] for claim in mine[:3]} == {"measured here, first on 2026-11-21"}
    assert [claim["origin"] for claim in mine] == ["measured_here"] * 3 + ["published"] * 2 + ["limit_set_here"] * 2
    assert all(abs(claim["measured"] - claim["reference"]) <= 0.01 for claim in mine[:3])
    decoder = by_id["decoder-induction"]
    assert (decoder["available"], decoder["measured"], decoder["origin"]) == (True, None, "limit_set_here")
    first = by_id["minilm-it-cat"]
    assert (first["layer"], first["head"], first["reader"], first["read"]) == (5, 11, "it", "cat")
    specific = by_id["minilm-it-cat-3-1"]
    assert [round(each["others"], 2) for each in (first, specific)] == [0.61, 0.14]
    assert decoder["others"] is None
    gpt2 = by_id["gpt2-induction-5-5"]
    assert (gpt2["available"], gpt2["measured"], gpt2["holds"]) == (False, None, None)
    assert gpt2["reason"]
    assert gpt2["score"] == "induction"
    objects = by_id["minilm-direct-object"]
    assert (objects["kind"], objects["relation"], len(objects["sentences"])) == ("relation", "direct_object", 12)
    assert objects["text"] == objects["sentences"][0]["text"]
    assert (by_id["bert-separator"]["layer"], by_id["bert-separator"]["last_layer"]) == (5, 9)


def test_how_it_is_measured_is_said_in_the_readers_language(client: TestClient) -> None:
    def claim(language: str) -> dict[str, Any]:
        answer = client.post("/api/claims", json={"model": MINILM}, headers={"Accept-Language": language}).json()
        return next(each for each in answer["claims"] if each["id"] == "gpt2-previous-2-2")

    english, japanese = claim("en"), claim("ja")
    assert english["convention"].startswith("Random tokens, repeated once, after the model's first token;")
    assert english["convention"].endswith("here it must put half of its weight there.")
    assert japanese["convention"].startswith("モデルの先頭トークンの後に")
    assert japanese["convention"].endswith("条件とする。")
    assert japanese["source"].startswith("Wang ら (2022)")


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "limit"),
    [
        ({}, 422, "invalid_request", "model", None),
        ({"model": ""}, 422, "invalid_request", "model", 1),
        ({"model": 5}, 422, "invalid_request", "model", None),
        ({"model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"model": MINILM, "extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/claims", json=body), status, code, field, limit)
