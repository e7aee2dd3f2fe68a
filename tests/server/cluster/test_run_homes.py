"""A request about a run goes to the replica that holds it, a new run to one that has room."""

import asyncio
import json
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from server.cluster.run_homes import (
    begin_where_room_is,
    candidates,
    options_of_all,
    replicas_for_runs,
    wish_of_model,
    wish_of_path,
)
from server.web.errors import ApiError


def test_a_run_and_its_network_name_their_replica() -> None:
    for path in ("", "/events", "/figure", "/model", "/pause"):
        assert wish_of_path(f"/api/training/k3x9-0123456789ab{path}") == "at:k3x9"
    for path in ("/api/training", "/api/training/0123456789ab", "/api/training/k3x9-0123456789abz", "/api/training/-"):
        assert wish_of_path(path) == ""
    assert wish_of_model("training-k3x9-0123456789ab-300") == "at:k3x9"
    assert wish_of_model("training-k3x9-0123456789ab-300#17") == "at:k3x9"
    for model in ("", "#3", "training-0123456789ab-300", "gpt2#training-k3x9-0123456789ab-300"):
        assert wish_of_model(model) == ""


def test_any_replica_answers_for_one_that_is_gone() -> None:
    replicas = ["a", "b", "c"]
    assert candidates("", replicas) == replicas
    assert candidates("at:b", replicas) == ["b"]
    assert candidates("at:d", replicas) == replicas
    assert candidates("not-at:a,c", replicas) == ["b"]
    assert candidates("not-at:a,b,c", replicas) == replicas


SLOTS = {"a": 1, "b": 2, "c": 4}


@pytest.mark.parametrize(("full", "asked"), [("", 1), ("a", 2), ("ab", 3), ("abc", 4)])
def test_a_run_begins_where_room_is_and_is_refused_once_all_are_full(full: str, asked: int) -> None:
    wishes: list[str] = []

    async def send(wish: str) -> AsyncGenerator[Any, None]:
        wishes.append(wish)
        replica = candidates(wish, ["a", "b", "c"])[0]
        yield {"type": "http.response.start", "status": 503 if replica in full else 201, "replica": replica}
        body = json.dumps({"error": {"limit": SLOTS[replica]}} if replica in full else {"id": replica}).encode()
        yield {"type": "http.response.body", "body": body[:4], "more_body": True}
        yield {"type": "http.response.body", "body": body[4:]}

    async def run() -> list[Any]:
        return [message async for message in begin_where_room_is(send)]

    if full == "abc":
        with pytest.raises(ApiError, match="All 7 training slots are in use") as refused:
            asyncio.run(run())
        assert (refused.value.status, refused.value.code, refused.value.limit) == (503, "server_busy", 7)
    else:
        start, *body = asyncio.run(run())
        assert start["status"] == 201
        assert json.loads(b"".join(each["body"] for each in body)) == {"id": "abc"[len(full)]}
    assert len(wishes) == asked


@pytest.mark.parametrize(
    ("statuses", "limit"), [({"a": 429, "b": 503, "c": 429}, 7), ({"a": 429, "b": 201}, None), ({"a": 429}, 1)]
)
def test_a_client_with_its_share_on_one_replica_is_asked_of_the_others(
    statuses: dict[str, int], limit: int | None
) -> None:
    async def send(wish: str) -> AsyncGenerator[Any, None]:
        replica = candidates(wish, list(statuses))[0]
        yield {"type": "http.response.start", "status": statuses[replica], "replica": replica}
        yield {"type": "http.response.body", "body": json.dumps({"error": {"limit": SLOTS[replica]}}).encode()}

    async def run() -> list[Any]:
        return [message async for message in begin_where_room_is(send)]

    if limit is None:
        assert asyncio.run(run())[0]["status"] == 201
        return
    with pytest.raises(ApiError, match="as one client may") as refused:
        asyncio.run(run())
    assert (refused.value.status, refused.value.code, refused.value.limit) == (429, "too_many_requests", limit)


def test_runs_and_slots_of_all_replicas_are_added_up_and_asked_for_anew_only_after_a_while() -> None:
    wishes: list[str] = []

    async def send(wish: str) -> AsyncGenerator[Any, None]:
        wishes.append(wish)
        replica = candidates(wish, ["a", "b", "c"])[0]
        body = {"tasks": ["猫"], "limits": {"runs": SLOTS[replica], "steps": 9}, "active": 1}
        packed = json.dumps(body).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(packed)).encode())]
        yield {"type": "http.response.start", "status": 200, "headers": headers, "replica": replica}
        yield {"type": "http.response.body", "body": packed}

    sums: dict[str, int] = {}

    async def run() -> list[Any]:
        return [message async for message in options_of_all(send, sums)]

    for asked in (4, 5):
        start, body = asyncio.run(run())
        assert json.loads(body["body"]) == {"tasks": ["猫"], "limits": {"runs": 7, "steps": 9}, "active": 3}
        assert dict(start["headers"])[b"content-length"] == str(len(body["body"])).encode()
        assert len(start["headers"]) == 2
        assert len(wishes) == asked


def test_a_refusal_of_the_options_is_passed_on() -> None:
    async def send(_: str) -> AsyncGenerator[Any, None]:
        yield {"type": "http.response.start", "status": 429, "headers": [], "replica": "a"}
        yield {"type": "http.response.body", "body": b"refused"}

    async def run() -> list[Any]:
        return [message async for message in options_of_all(send, {})]

    start, body = asyncio.run(run())
    assert (start["status"], body["body"]) == (429, b"refused")


@pytest.mark.parametrize(
    ("followed", "now", "wanted"),
    [(0, 5, 2), (0.1, 5, 5), (3, 2, 2), (6.5, 2, 3), (6.5, 5, 5), (30, 5, 10)],
)
def test_replicas_come_with_runs_and_leave_only_when_nobody_follows_any(followed: float, now: int, wanted: int) -> None:
    context: Any = SimpleNamespace(
        total_num_requests=followed,
        target_num_replicas=now,
        capacity_adjusted_min_replicas=2,
        config=SimpleNamespace(target_ongoing_requests=3),
    )
    assert replicas_for_runs(context) == (wanted, {})
