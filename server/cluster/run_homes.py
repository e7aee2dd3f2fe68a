"""Training runs on several replicas of ``Runs``: requests find the one that holds a run, and their number follows use.

The id of a run begins with the id of its replica (``TrainingRuns.home``), and so does that of a network taken from it.
So every proxy knows where to send a request, and nobody has to keep a list.
"""

import asyncio
import json
import math
import re
from collections.abc import AsyncGenerator, Callable, Collection, MutableMapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Any

from ray.serve.config import AutoscalingContext
from ray.serve.experimental.consistent_hash_router import ConsistentHashRouter
from ray.serve.request_router import PendingRequest, RunningReplica
from starlette.types import Message

from ..stores.training_slots import no_slot, share_taken
from ..web.errors import ApiError
from .forwarding import Forwarded

ROUTER = f"{__name__}.HomeRouter"
PATH = "/api/training"
OF_RUN = re.compile(rf"{PATH}/([a-z0-9]+)-[0-9a-f]+(?:/|$)")
OF_NETWORK = re.compile(r"training-([a-z0-9]+)-[0-9a-f]+-\d+(?:#|$)")
REPLICA = "replica"
"""In the message that begins an answer, who gives it."""
AT, NOT_AT = "at:", "not-at:"
NO_ROOM = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS})
PATIENCE_S = 1.0
"""Seconds for which a replica is looked for that this process has not heard of: it may have just been started."""
COUNTED_S = 2.0
"""Seconds until the slots of all replicas are counted again."""
FREE_SHARE = 0.25
"""Share of the slots for runs that should be free, since another replica takes seconds to start."""

Send = Callable[[str], AsyncGenerator[Message, None]]
"""Has a request answered by a replica that this wish allows."""


def wish_of_path(path: str) -> str:
    """To which replica a request about training goes; empty: to any."""
    match = OF_RUN.match(path)
    return f"{AT}{match.group(1)}" if match else ""


def wish_of_model(model: str) -> str:
    """To which replica a request about this model goes, if it is a run's network; else empty."""
    match = OF_NETWORK.match(model)
    return f"{AT}{match.group(1)}" if match else ""


async def begin_where_room_is(send: Send) -> AsyncGenerator[Message, None]:
    """The answer of the first replica that has room for a run, and for one of this client.

    If none has, raises ApiError: 429 with the client's share of all, 503 with all slots.
    """
    slots: dict[str, int] = {}
    refusal: Callable[[int], ApiError] = no_slot
    while True:
        async with aclosing(send(_other_than(slots))) as messages:
            start = await anext(messages)
            replica = start[REPLICA]
            if start["status"] not in NO_ROOM:
                yield start
                async for message in messages:
                    yield message
                return
            if replica in slots:
                raise refusal(sum(slots.values()))
            if start["status"] == HTTPStatus.TOO_MANY_REQUESTS:
                refusal = share_taken
            slots[replica] = json.loads(await _body(messages))["error"]["limit"] or 0


async def options_of_all(send: Send, sums: MutableMapping[str, int]) -> AsyncGenerator[Message, None]:
    """The options of a run as one replica says them, with the runs and the slots of all.

    All are asked if ``sums`` is empty, which then has what they said.
    """
    start, body = await _first(send(""))
    if start["status"] != HTTPStatus.OK:
        yield start
        yield {"type": "http.response.body", "body": body}
        return
    answer = json.loads(body)
    if not {"active", "runs"} <= sums.keys():
        told = {start[REPLICA]: answer}
        while True:
            other, other_body = await _first(send(_other_than(told)))
            if other[REPLICA] in told or other["status"] != HTTPStatus.OK:
                break
            told[other[REPLICA]] = json.loads(other_body)
        sums["active"] = sum(each["active"] for each in told.values())
        sums["runs"] = sum(each["limits"]["runs"] for each in told.values())
    answer["active"], answer["limits"]["runs"] = sums["active"], sums["runs"]
    body = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    yield {**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
    yield {"type": "http.response.body", "body": body}


def uncompressed(request: Forwarded) -> Forwarded:
    """The same request, whose answer can be read on the way."""
    headers = [(name, value) for name, value in request.scope["headers"] if name != b"accept-encoding"]
    return Forwarded(request.scope | {"headers": headers}, request.body)


def _other_than(asked: Collection[str]) -> str:
    """The wish for a replica that has not been asked; if there is none, any answers."""
    return NOT_AT + ",".join(sorted(asked)) if asked else ""


async def _first(messages: AsyncGenerator[Message, None]) -> tuple[Message, bytes]:
    async with aclosing(messages):
        return await anext(messages), await _body(messages)


async def _body(messages: AsyncGenerator[Message, None]) -> bytes:
    return b"".join([message.get("body", b"") async for message in messages])


def candidates(wish: str, replicas: list[str]) -> list[str]:
    """Which of these replicas may answer. Any may say that a replica, and what it held, is gone."""
    if wish.startswith(AT):
        return [each for each in replicas if each == wish.removeprefix(AT)] or replicas
    if wish.startswith(NOT_AT):
        asked = wish.removeprefix(NOT_AT).split(",")
        return [each for each in replicas if each not in asked] or replicas
    return replicas


class HomeRouter(ConsistentHashRouter):
    """Sends a request to the replicas that its session id, a wish, allows; of several, to the one with fewest."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)  # type: ignore[no-untyped-call]
        self._heard_of: set[str] = set()

    def update_replicas(self, replicas: list[RunningReplica]) -> None:
        """Called by Serve when replicas come or go."""
        super().update_replicas(replicas)
        self._heard_of |= {each.replica_id.unique_id for each in replicas}

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        """One group, of which Serve takes the replica with the fewest requests under way."""
        if pending_request is None:
            return [candidate_replicas]
        pending_request.routing_context.should_backoff = True
        wish = pending_request.metadata.session_id or ""
        if wish.startswith(AT):
            await self._hear_of(wish.removeprefix(AT))
        by_id = {each.replica_id.unique_id: each for each in self._replicas.values()}
        return [[by_id[each] for each in candidates(wish, sorted(by_id))]]

    async def _hear_of(self, replica: str) -> None:
        for _ in range(10):
            if replica in self._heard_of:
                return
            await asyncio.sleep(PATIENCE_S / 10)
        self._heard_of.add(replica)


def replicas_for_runs(context: AutoscalingContext) -> tuple[int, dict[str, Any]]:
    """How many replicas of Runs there should be: more as more runs are followed, fewer only once nobody follows any.

    A replica that is stopped takes its runs with it, and Serve does not ask which it may stop.
    """
    followed = context.total_num_requests
    if followed == 0 or context.config is None:
        return context.capacity_adjusted_min_replicas, {}
    wanted = math.ceil(followed / context.config.target_ongoing_requests)
    return max(wanted, context.target_num_replicas), {}
