"""Processes of our own: low priority, their last word, killed when nobody waits."""

import asyncio
import os
import signal
from multiprocessing.connection import Connection
from typing import Any

from server.stores.child_process import NICENESS, ChildProcess, result_of


def answer(order: int, pipe: Connection) -> None:
    pipe.send("first")
    pipe.send({"order": order, "nice": os.nice(0), "interrupt": signal.getsignal(signal.SIGINT)})


def die(order: int, pipe: Connection) -> None:
    pipe.send(order)
    os.kill(os.getpid(), signal.SIGKILL)


def wait(order: int, pipe: Connection) -> None:
    pipe.send((order, os.getpid()))
    pipe.recv()


def test_the_last_word_of_a_process_of_low_priority() -> None:
    found = asyncio.run(result_of(answer, 7))
    assert found == {"order": 7, "nice": min(19, os.nice(0) + NICENESS), "interrupt": signal.SIG_IGN}


def test_what_a_process_said_before_it_died() -> None:
    assert asyncio.run(result_of(die, 3)) == 3


def test_a_process_is_killed_when_nobody_waits_for_it_any_more() -> None:
    async def whole() -> None:
        heard: list[Any] = []
        ended = asyncio.Event()

        def hear(message: Any) -> None:
            heard.append(message)
            if len(heard) == 1:
                process.kill()
            if message is None:
                ended.set()

        process: ChildProcess[int, Any] = ChildProcess(wait, 5, hear)
        await asyncio.to_thread(process.start)
        await ended.wait()
        assert heard == [(5, process.pid), None]
        assert process.has_ended()

        task = asyncio.create_task(result_of(wait, 1))
        await asyncio.sleep(0)
        task.cancel()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    asyncio.run(whole())
