"""What the pages say of the decoder that comes with the product, computed."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

DECODER = "observatory-gpt2-mini"
REPETITION = "One black cat met two white dogs. One black cat met two white dogs."


def post(client: TestClient, stem: str, **request: Any) -> Any:
    response = client.post(f"/api/{stem}", json={"model": DECODER, **request})
    assert response.status_code == 200, response.json()
    return response.json()


def lengths(client: TestClient, layer: int) -> dict[str, float]:
    """Of each station's vector at "sat", after this block."""
    answer = post(client, "block", text="The cat sat on the mat.", layer=layer, token=2)
    return {one["name"]: float(np.linalg.norm(one["vector"])) for one in answer["stations"] if one.get("vector")}


def test_the_first_attention_makes_the_stream_and_later_blocks_add_little(client: TestClient) -> None:
    first = lengths(client, 0)
    assert (first["inputs"], first["after_attention"]) == pytest.approx((1.1, 20.5), abs=0.05)
    for layer in range(1, 6):
        later = lengths(client, layer)
        for added in ("attention_output", "feed_forward_output"):
            assert later[added] < 0.52 * later["inputs"], (layer, added)


def test_the_second_cat_reads_what_followed_the_first(client: TestClient) -> None:
    answer = post(client, "parity", text=REPETITION, layer=1, head=0)
    words = [token["text"].strip() for token in answer["tokens"]]
    assert (words[12], words[3]) == ("cat", "met")
    for side in ("ours", "theirs"):
        assert answer[side][12][3] > 0.995
    assert answer["within_bound"]
    assert answer["own_decoder"]["logits"] < 1e-4 < answer["own_decoder"]["largest_logit"]


def test_a_decoder_sees_no_difference_that_is_yet_to_come(client: TestClient) -> None:
    beginning = "The animal did not cross the street because it was too"
    texts = [{"text": f"{beginning} {end}.", "word": "it"} for end in ("tired", "wide")]
    cosines = np.array(post(client, "context", texts=texts)["cosines"])
    assert cosines.shape[1:] == (2, 2)
    np.testing.assert_allclose(cosines[:, 0, 1], 1, atol=1e-6)
