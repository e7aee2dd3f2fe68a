"""Fair queueing between clients, with workers held up by events."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any

import pytest

from server.requests.fair_queue import FairQueue
from server.stores.computation_store import ComputationStore, Shared
from server.web import clients
from server.web.errors import ApiError


def test_each_client_is_served_once_before_any_is_served_again() -> None:
    queue: FairQueue[str] = FairQueue()
    for work in ("a1", "a2", "a3", "b1", "c1", "c2"):
        queue.add(work[0], work)
    assert len(queue) == 6
    assert [queue.next() for _ in range(3)] == ["a1", "b1", "c1"]
    queue.add("b", "b2")
    assert queue.held_by("a") == 2
    queue.remove("a", "a2")
    assert [queue.next() for _ in range(len(queue))] == ["a3", "c2", "b2"]
    assert (len(queue), queue.held_by("a"), queue.next()) == (0, 0, None)
    queue.add("a", "a1")
    assert queue.next(lambda client: client != "a") is None
    queue.add("b", "b1")
    assert [queue.next(lambda client: client != "a"), queue.next()] == ["b1", "a1"], "who may not keeps the turn"


def test_who_goes_with_another_s_takes_no_more_of_it_than_its_own() -> None:
    queue: FairQueue[str] = FairQueue()
    for work in ("a1", "a2", "a3", "b1", "b2", "c1", "x"):
        queue.add(work[0], work)

    def taken(of: str, most: int, kept_out: str = "") -> list[str]:
        return queue.take(lambda work: work != "x", most, of=of, may=lambda client: client != kept_out)

    assert taken("d", 9, kept_out="a") == ["b1", "c1"], "one goes with a first one that has no other"
    assert taken("b", 9) == ["b2", "a1", "a2"], "two with two"
    assert taken("a", 0) == []
    assert [queue.next(), queue.next(), queue.next()] == ["a3", "x", None]


def test_one_of_a_client_that_has_many_goes_with_another_s_single_one() -> None:
    async def test() -> None:
        bench = Bench(queue_size=64, batch=8)
        runs: list[list[str]] = []

        def together(texts: list[str], _cancelled: object) -> list[str]:
            runs.append(texts)
            return texts

        def ask(client: str, key: str) -> "asyncio.Task[str]":
            shared = Shared("alike", key, together)
            return asked_by(client, lambda: bench.store.get_or_compute(key, str, shared=shared))

        first = bench.ask("other", "other, before")
        await asyncio.sleep(0)
        many = [ask("crowd", f"crowd {index}") for index in range(12)]
        one = ask("other", "other")
        await asyncio.sleep(0)
        bench.gate.set()
        await asyncio.gather(first, *many, one)
        assert [len(each) for each in runs] == [8, 2, 3]
        assert runs[1] == ["other", "crowd 8"]
        await bench.store.close()

    asyncio.run(test())


def asked_by(client: str, ask: Callable[[], Awaitable[Any]]) -> "asyncio.Task[Any]":
    """A request of this client's, begun."""

    async def request() -> Any:
        clients._asking.set(client)
        return await ask()

    return asyncio.get_running_loop().create_task(request(), context=copy_context())


class Bench:
    """A store with one worker, which is busy until ``open``; notes in what order it works."""

    def __init__(self, **options: Any) -> None:
        self.store: ComputationStore[str] = ComputationStore(
            workers=1, cache_bytes=0, timeout_s=20, size=len, **options
        )
        self.gate = threading.Event()
        self.order: list[str] = []

    def ask(self, client: str, key: str) -> "asyncio.Task[str]":
        def compute(_cancelled: object) -> str:
            assert self.gate.wait(20)
            self.order.append(key)
            return key

        return asked_by(client, lambda: self.store.get_or_compute(key, compute))


def test_many_of_one_client_do_not_hold_up_another() -> None:
    async def test() -> None:
        bench = Bench(queue_size=64)
        many = [bench.ask("crowd", f"crowd {index}") for index in range(40)]
        await asyncio.sleep(0)
        one = bench.ask("other", "other")
        await asyncio.sleep(0)
        assert bench.store.under_way == 41
        bench.gate.set()
        await asyncio.gather(*many, one)
        assert bench.order.index("other") == 2  # after what ran already and one turn of the crowd's
        await bench.store.close()

    asyncio.run(test())


def test_a_client_s_share_is_bounded_and_freed_by_whoever_leaves() -> None:
    async def test() -> None:
        bench = Bench(queue_size=4, client_queue_size=2)
        asked = [bench.ask("crowd", key) for key in ("runs", "waits", "waits too")]
        await asyncio.sleep(0)
        with pytest.raises(ApiError) as refused:
            await bench.ask("crowd", "too much")
        assert (refused.value.status, refused.value.code, refused.value.limit) == (429, "too_many_requests", 2)
        assert refused.value.headers == {"Retry-After": "2"}
        joined = bench.ask("crowd", "waits")  # what is under way can be joined
        others = [bench.ask("other", "one"), bench.ask("other", "two")]
        await asyncio.sleep(0)
        with pytest.raises(ApiError) as full:
            await bench.ask("third", "three")
        assert (full.value.status, full.value.code) == (503, "server_busy")
        asked[2].cancel()
        await asyncio.wait([asked[2]])
        asked[2] = bench.ask("crowd", "after all")
        await asyncio.sleep(0)
        bench.gate.set()
        await asyncio.gather(*asked, joined, *others)
        assert sorted(bench.order) == ["after all", "one", "runs", "two", "waits"]
        await bench.store.close()

    asyncio.run(test())


def test_one_client_has_at_most_its_workers() -> None:
    async def test() -> None:
        store: ComputationStore[str] = ComputationStore(
            workers=3, client_workers=2, queue_size=9, cache_bytes=0, timeout_s=20, size=len
        )
        gate = threading.Event()

        def ask(client: str, key: str) -> "asyncio.Task[str]":
            return asked_by(client, lambda: store.get_or_compute(key, lambda _: key if gate.wait(20) else ""))

        many = [ask("crowd", f"crowd {index}") for index in range(4)]
        await asyncio.sleep(0)
        assert (store.running, store.waiting) == (2, 2)
        other = ask("other", "other")
        await asyncio.sleep(0)
        assert (store.running, store.waiting) == (3, 2)
        gate.set()
        assert await asyncio.gather(*many, other) == ["crowd 0", "crowd 1", "crowd 2", "crowd 3", "other"]
        assert (store.running, store.waiting) == (0, 0)
        own = [ask("", f"own {index}") for index in range(3)]
        await asyncio.sleep(0)
        assert store.running == 3, "the server itself has no share"
        await asyncio.gather(*own)
        await store.close()

    asyncio.run(test())


def test_closing_sends_away_whoever_waits() -> None:
    async def test() -> None:
        bench = Bench(queue_size=4)
        asked = [bench.ask("a", "runs"), bench.ask("a", "waits")]
        await asyncio.sleep(0)
        closing = asyncio.create_task(bench.store.close())
        for each in asked:
            with pytest.raises(ApiError, match="being stopped") as refused:
                await each
            assert refused.value.status == 503
        bench.gate.set()
        await closing

    asyncio.run(test())


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_client_is_an_address_or_a_subscriber_s_network(host: str, client: str) -> None:
    assert clients.name(host) == client
