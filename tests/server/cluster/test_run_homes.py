"""A request about a run goes to the replica that holds it, a new run to one that has room."""

import asyncio
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from server.cluster.run_homes import (
    begin_where_room_is,
    candidates,
    replicas_for_runs,
    wish_of_model,
    wish_of_path,
)


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


@pytest.mark.parametrize(("full", "asked"), [("", 1), ("a", 2), ("ab", 3), ("abc", 4)])
def test_a_run_begins_where_room_is_and_is_refused_once_all_are_full(full: str, asked: int) -> None:
    wishes: list[str] = []

    async def send(wish: str) -> AsyncGenerator[Any, None]:
        wishes.append(wish)
        replica = candidates(wish, ["a", "b", "c"])[0]
        yield {"type": "http.response.start", "status": 503 if replica in full else 201, "replica": replica}
        yield {"type": "http.response.body", "body": replica.encode()}

    async def run() -> list[Any]:
        return [message async for message in begin_where_room_is(send)]

    start, body = asyncio.run(run())
    assert len(wishes) == asked
    assert (start["status"], body["body"]) == ((503, b"a") if full == "abc" else (201, "abc"[len(full)].encode()))


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
