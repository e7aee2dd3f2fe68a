"""The computation store with small real computations, synchronised by events."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from server.stores.computation_store import ComputationStore, Shared
from server.web.errors import ApiError


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), timeout=30))


def store(*, workers: int = 2, queue_size: int = 4, cache_bytes: int = 100, timeout_s: float = 20) -> ComputationStore:
    return ComputationStore(
        workers=workers, queue_size=queue_size, cache_bytes=cache_bytes, timeout_s=timeout_s, size=len
    )


class Counted:
    """Squares of the letters' numbers, after ``gate`` opens; counts its calls and hears when nobody waits."""

    def __init__(self, text: str, *, gate: threading.Event | None = None) -> None:
        self.text = text
        self.gate = gate
        self.begun = threading.Event()
        self.stopped = threading.Event()
        self.calls = 0

    def __call__(self, cancelled: Callable[[], bool]) -> list[int]:
        self.calls += 1
        self.begun.set()
        while self.gate is not None and not self.gate.wait(0.001):
            if cancelled():
                self.stopped.set()
                raise InterruptedError("nobody waits")
        return [ord(letter) ** 2 for letter in self.text]


async def until(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 20)


def test_what_many_ask_for_at_once_is_computed_once_and_then_kept():
    async def test() -> None:
        things = store()
        gate = threading.Event()
        compute = Counted("abc", gate=gate)
        waiting = [asyncio.create_task(things.get_or_compute("abc", compute)) for _ in range(40)]
        await until(compute.begun)
        assert things.under_way == 1
        gate.set()
        assert await asyncio.gather(*waiting) == [[97**2, 98**2, 99**2]] * 40
        assert await things.get_or_compute("abc", compute) == [97**2, 98**2, 99**2]
        assert compute.calls == 1
        assert (things.under_way, things.cache.currsize) == (0, 3)
        await things.close()

    run(test)


def test_many_different_ones_are_not_mixed_up():
    async def test() -> None:
        things = store(queue_size=200)
        texts = [chr(97 + i % 26) * (1 + i % 7) for i in range(180)]
        answers = await asyncio.gather(*(things.get_or_compute(text, Counted(text)) for text in texts))
        assert answers == [[ord(letter) ** 2 for letter in text] for text in texts]
        await things.close()

    run(test)


def test_a_full_queue_refuses_what_is_new_but_not_who_joins():
    async def test() -> None:
        things = store(workers=1, queue_size=2)
        gate = threading.Event()
        computes = {key: Counted(key, gate=gate) for key in "abc"}
        waiting = [asyncio.create_task(things.get_or_compute(key, compute)) for key, compute in computes.items()]
        await until(computes["a"].begun)
        with pytest.raises(ApiError, match="busy") as refused:
            await things.get_or_compute("d", Counted("d"))
        assert (refused.value.status, refused.value.code, refused.value.limit) == (503, "server_busy", 3)
        assert refused.value.headers == {"Retry-After": "2"}
        waiting.append(asyncio.create_task(things.get_or_compute("c", Counted("x"))))
        await asyncio.sleep(0)
        gate.set()
        assert await asyncio.gather(*waiting) == [[97**2], [98**2], [99**2], [99**2]]
        assert await things.get_or_compute("d", Counted("d")) == [100**2]
        await things.close()

    run(test)


def test_only_when_nobody_waits_is_a_computation_stopped():
    async def test() -> None:
        things = store()
        gate = threading.Event()
        compute = Counted("a", gate=gate)
        first = asyncio.create_task(things.get_or_compute("a", compute))
        second = asyncio.create_task(things.get_or_compute("a", compute))
        await until(compute.begun)
        first.cancel()
        await asyncio.wait([first])
        assert not compute.stopped.is_set()
        second.cancel()
        await asyncio.wait([second])
        await until(compute.stopped)
        gate.set()
        assert await things.get_or_compute("a", compute) == [97**2]  # an answer, though the one before gave up
        assert compute.calls == 2
        await things.close()

    run(test)


def test_what_had_not_begun_leaves_the_queue_at_once():
    async def test() -> None:
        things = store(workers=1, queue_size=1)
        gate = threading.Event()
        running, queued = Counted("a", gate=gate), Counted("b")
        first = asyncio.create_task(things.get_or_compute("a", running))
        await until(running.begun)
        second = asyncio.create_task(things.get_or_compute("b", queued))
        await asyncio.sleep(0)
        assert things.under_way == 2
        second.cancel()
        await asyncio.wait([second])
        assert things.under_way == 1
        gate.set()
        assert await first == [97**2]
        assert queued.calls == 0
        await things.close()

    run(test)


def test_nobody_waits_longer_than_the_limit():
    async def test() -> None:
        things = store(timeout_s=0.05)
        compute = Counted("a", gate=threading.Event())
        with pytest.raises(ApiError, match=r"longer than 0\.05 seconds") as late:
            await things.get_or_compute("a", compute)
        assert (late.value.status, late.value.code, late.value.limit) == (503, "timeout", 0.05)
        await until(compute.stopped)
        await things.close()

    run(test)


def test_failures_are_told_to_all_who_wait_and_not_kept():
    async def test() -> None:
        things = store()

        def fail(_cancelled: object) -> list[int]:
            raise LookupError("no such thing")

        outcomes = await asyncio.gather(*(things.get_or_compute("a", fail) for _ in range(3)), return_exceptions=True)
        assert [str(outcome) for outcome in outcomes] == ["no such thing"] * 3
        assert await things.get_or_compute("a", Counted("a")) == [97**2]
        await things.close()

    run(test)


def test_what_cannot_be_measured_is_a_failure_too():
    async def test() -> None:
        things = store()
        with pytest.raises(TypeError, match="has no len"):
            await things.get_or_compute("a", lambda _cancelled: 3)
        assert things.under_way == 0
        await things.close()

    run(test)


def test_a_computation_s_own_timeout_is_not_ours():
    async def test() -> None:
        things = store()

        def fail(_cancelled: object) -> list[int]:
            raise TimeoutError("the disk")

        with pytest.raises(TimeoutError, match="the disk"):
            await things.get_or_compute("a", fail)
        await things.close()

    run(test)


def test_the_least_recently_used_leave_first_and_what_is_too_large_is_not_kept():
    async def test() -> None:
        things = store(cache_bytes=6)
        for text in ("aaa", "bbb"):
            await things.get_or_compute(text, Counted(text))
        assert things.get("aaa") is not None  # so bbb is older now
        await things.get_or_compute("cc", Counted("cc"))
        assert things.get("bbb") is None
        assert (things.get("aaa"), things.get("cc")) == ([97**2] * 3, [99**2] * 2)
        assert things.cache.currsize == 5
        assert await things.get_or_compute("ddddddd", Counted("ddddddd")) == [100**2] * 7
        assert things.get("ddddddd") is None
        assert things.cache.currsize == 5
        await things.close()

    run(test)


def test_closing_stops_what_runs_and_leaves_no_thread():
    async def test() -> None:
        things = store()
        compute = Counted("a", gate=threading.Event())
        waiting = asyncio.create_task(things.get_or_compute("a", compute))
        await until(compute.begun)
        waiting.cancel()
        await things.close()
        assert compute.stopped.is_set()

    before = threading.active_count()
    run(test)
    assert threading.active_count() == before


class Together:
    """Squares for several texts at once, noting which; the text "bad" has an error of its own."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []
        self.gate = threading.Event()
        self.begun = threading.Event()
        self.given_up: list[list[bool]] = []

    def __call__(self, texts: list[str], cancelled: Any) -> list[list[int] | Exception]:
        self.runs.append(texts)
        self.begun.set()
        assert self.gate.wait(20)
        self.given_up.append([each() for each in cancelled])
        return [ValueError(text) if text == "bad" else [ord(letter) ** 2 for letter in text] for text in texts]


def many(things: ComputationStore, together: Together, texts: list[str]) -> list["asyncio.Task[Any]"]:
    return [
        asyncio.create_task(
            things.get_or_compute(text, Counted(text), shared=Shared(len(text), text, together)), name=text
        )
        for text in texts
    ]


def test_what_waits_at_the_same_moment_and_is_alike_shares_a_run():
    async def test() -> None:
        things = ComputationStore(workers=1, queue_size=20, cache_bytes=100, timeout_s=20, size=len, batch=3)
        held, together = Counted("held", gate=threading.Event()), Together()
        together.gate.set()
        first = asyncio.create_task(things.get_or_compute("held", held))
        await until(held.begun)
        texts = ["ab", "abc", "cd", "ef", "bad", "gh", "x"]
        waiting = many(things, together, texts)
        await asyncio.sleep(0)
        held.gate.set()
        await first
        found = await asyncio.gather(*waiting, return_exceptions=True)
        squares = [[ord(letter) ** 2 for letter in text] for text in texts]
        assert found[:4] + found[5:] == squares[:4] + squares[5:]
        assert (type(found[4]), found[4].args) == (ValueError, ("bad",))
        assert together.runs == [["ab", "cd", "ef"], ["abc", "bad"]]  # "gh" and "x" found nobody: each as usual
        assert things.get("cd") == [99**2, 100**2]
        assert (things.under_way, things.running) == (0, 0)
        await things.close()

    run(test)


def test_who_leaves_a_shared_run_is_told_to_it_and_the_others_get_their_answers():
    async def test() -> None:
        things = ComputationStore(workers=1, queue_size=20, cache_bytes=100, timeout_s=20, size=len, batch=8)
        held, together = Counted("held", gate=threading.Event()), Together()
        first = asyncio.create_task(things.get_or_compute("held", held))
        await until(held.begun)
        waiting = many(things, together, ["ab", "cd", "ef"])
        await asyncio.sleep(0)
        held.gate.set()
        await first
        await until(together.begun)
        assert (things.running, things.waiting, things.under_way) == (1, 0, 3)
        waiting[1].cancel()
        await asyncio.wait([waiting[1]])
        together.gate.set()
        assert await waiting[0] == [97**2, 98**2]
        assert await waiting[2] == [101**2, 102**2]
        assert together.given_up == [[False, True, False]]
        await things.close()

    run(test)


def test_a_shared_run_that_fails_fails_for_each():
    async def test() -> None:
        things = ComputationStore(workers=1, queue_size=20, cache_bytes=100, timeout_s=20, size=len, batch=8)
        held = Counted("held", gate=threading.Event())
        first = asyncio.create_task(things.get_or_compute("held", held))
        await until(held.begun)

        def fail(_items: Any, _cancelled: Any) -> Any:
            raise MemoryError("too much")

        shared = [Shared("all", text, fail) for text in ("a", "b")]
        waiting = [asyncio.create_task(things.get_or_compute(s.item, Counted(s.item), shared=s)) for s in shared]
        await asyncio.sleep(0)
        held.gate.set()
        await first
        assert [type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)] == [MemoryError] * 2
        assert await things.get_or_compute("a", Counted("a")) == [97**2]
        await things.close()

    run(test)


def test_a_store_that_stops_refuses_who_waits_at_once_and_everybody_afterwards():
    async def test() -> None:
        things, gate = store(workers=1), threading.Event()
        stubborn = lambda _cancelled: [gate.wait(20)] * 3  # noqa: E731 - one step that nobody can interrupt
        waiting = [asyncio.create_task(things.get_or_compute(key, stubborn)) for key in ("running", "queued")]
        while not things.running:
            await asyncio.sleep(0)
        waiting.append(asyncio.create_task(things.get_or_compute("running", stubborn)))
        await asyncio.sleep(0)
        things.stop()
        for each in waiting:
            with pytest.raises(ApiError, match="being stopped") as refused:
                await each
            assert (refused.value.status, refused.value.code) == (503, "server_busy")
        with pytest.raises(ApiError, match="being stopped"):
            await things.get_or_compute("another", stubborn)
        assert not gate.is_set()
        gate.set()
        await things.close()

    run(test)
