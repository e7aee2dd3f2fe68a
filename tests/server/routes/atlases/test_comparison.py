"""GET /api/atlases/{id}/comparison."""

from typing import Any

import pytest
from starlette.testclient import TestClient


@pytest.mark.full
def test_heads_that_moved_most_come_first(client: TestClient, atlas: str, other: str) -> None:
    answer = client.get(f"{atlas}/comparison", params={"other": other}).json()
    assert len(answer["heads"]) == 72
    moved = [each["moved"] for each in answer["heads"]]
    assert moved == sorted(moved, reverse=True)
    mine = client.get(f"{atlas}/heads").json()
    first = answer["heads"][0]
    at = first["layer"] * 12 + first["head"]
    assert first["changes"]["entropy"][0] == mine["values"]["entropy"][at]
    assert [each["name"] for each in answer["measures"]] == [each["name"] for each in mine["measures"]]


def test_other_heads_are_refused(client: TestClient, atlas: str, small: str, assert_error: Any) -> None:
    refused = client.get(f"{atlas}/comparison", params={"other": small.rpartition("/")[2]})
    assert "6 × 12 (encoder) in one, 1 × 2 (encoder) in the other" in assert_error(refused, 422, "other_heads", "other")
    assert_error(client.get(f"{atlas}/comparison"), 422, "invalid_request", "other")
    assert_error(client.get(f"{atlas}/comparison?other=" + "9" * 16), 404, "unknown_atlas", "atlas_id")
