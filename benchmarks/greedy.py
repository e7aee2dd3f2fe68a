"""One client with 60 connections on one operation, and what another client's requests take beside it.

Run: ``python -m benchmarks.greedy [--seconds=8] [a part of an operation's name …]``. Both have addresses of their own
on the loopback (127.0.0.2, 127.0.0.3), as shares are counted by address; each is a process of its own, the greedy one
with the least priority, since it would be on another machine. What should hold: the bystander's medians are at most
doubled, and no ``/healthz`` takes more than half a second. Of an answer that is refused (429) the greedy client waits a
little, as ours does. Quiet and beside are measured alternately in one run, so that ratios hold on a busy machine too.

What cannot be shared out: the event loop takes 1.3 ms of Python for ``/healthz``, 2.1 for softmax and 3 for a page
(layers of middleware, the search of the route, a page's compression), whoever asks, and hundreds of small answers a
second leave little of it. Beside it one call of the greedy client is at work, as a bystander's request is known only
once the loop has read it; and a body of 0.6 MB is parsed in one call of 2 ms, in which nothing else of Python goes on.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import statistics
import sys
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from typing import Any
from urllib.parse import urlsplit

from benchmarks.bounds import broken
from tools.browsing import serving

CONNECTIONS = 60
DECODER = "observatory-gpt2-mini"
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
SENTENCE = "The cat sat on the mat because it was tired."
GREEDY, BYSTANDER = "127.0.0.2", "127.0.0.3"
MOST_HEALTH_S = 0.5
MOST_RATIO = 2.0
PAUSE_S = 0.02
"""Between two requests of the bystander, who reads what has come."""
REFUSED_S = 0.1
JSON = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}


@dataclass(frozen=True)
class Operation:
    """A request that is repeated."""

    method: str
    path: str
    body: Any = None
    is_new: bool = False
    """Whether its text is another one each time, so that it is computed and not found."""

    def content(self, number: int) -> bytes | None:
        if self.body is None:
            return None
        body = {**self.body, "text": f"{self.body['text']} {number}"} if self.is_new else self.body
        return json.dumps(body).encode()


ROWS = [[0.25] * 64] * 256
GREEDS = {
    "masks, small": Operation("POST", "/api/masks", {"kind": "causal", "num_queries": 6, "num_keys": 6}),
    "masks of 100 × 100": Operation("POST", "/api/masks", {"kind": "causal", "num_queries": 100, "num_keys": 100}),
    "masks of 300 × 300": Operation("POST", "/api/masks", {"kind": "causal", "num_queries": 300, "num_keys": 300}),
    "scoring of 256 × 256": Operation(
        "POST", "/api/scoring", {"queries": ROWS, "keys": ROWS, "values": ROWS, "mechanism": "scaled_dot"}
    ),
    "rope": Operation(
        "POST", "/api/rope", {"dim": 32, "pairing": "half_split", "positions": [float(each) for each in range(200)]}
    ),
    "a page": Operation("GET", "/masks"),
    "a page as a file": Operation("GET", "/offline/masks"),
    "many heads": Operation(
        "POST", "/api/multi_head", {"tokens": ["I", "am", "a", "cat"], "d_model": 64, "num_heads": 8, "num_kv_heads": 8}
    ),
    "a block": Operation("POST", "/api/block", {"text": SENTENCE, "model": DECODER, "layer": 1}),
    "analyses": Operation("POST", "/api/analyses", {"model": ENCODER, "text": SENTENCE}, is_new=True),
    "the list of models": Operation("GET", "/api/models"),
}
ASKED = {
    "health": Operation("GET", "/healthz"),
    "page": Operation("GET", "/masks"),
    "softmax": Operation("POST", "/api/softmax", {"scores": [3.0, 1.0, 0.2], "temperature": 1.0}),
    "analysis": Operation("POST", "/api/analyses", {"model": ENCODER, "text": "The dog slept."}, is_new=True),
}
"""What the bystander does."""


class Client:
    """One connection, opened again where the server has closed it."""

    def __init__(self, place: str, host: str, port: int) -> None:
        self._place, self._host, self._port = place, host, port
        self._connection = self._made()

    def _made(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=120, source_address=(self._place, 0))

    def ask(self, operation: Operation, number: int) -> tuple[int, float]:
        """The status (0: the connection was closed), and the seconds until the whole answer was there."""
        start = time.perf_counter()
        try:
            self._connection.request(operation.method, operation.path, operation.content(number), JSON)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = self._made()
            return 0, time.perf_counter() - start
        return answer.status, time.perf_counter() - start


def be_greedy(host: str, port: int, operation: Operation, wanted: Event, over: Event, told: Any) -> None:
    """Ask on all connections for as long as it is wanted; tell what was answered."""
    os.nice(19)
    statuses: Counter[int] = Counter()

    def go_on(first: int) -> None:
        client = Client(GREEDY, host, port)
        number = first * 1_000_000
        while not over.is_set():
            if not wanted.wait(0.2):
                continue
            number += 1
            status, _ = client.ask(operation, number)
            statuses[status] += 1
            if status in {0, 429, 503}:
                time.sleep(REFUSED_S)

    threads = [threading.Thread(target=go_on, args=(each,), daemon=True) for each in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    told.send(dict(statuses))


@dataclass
class Waits:
    """How long the bystander waited, by what it asked for."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[int] = field(default_factory=Counter)

    def ask(self, client: Client, number: int) -> None:
        for name, operation in ASKED.items():
            status, took = client.ask(operation, number)
            self.statuses[status] += 1
            self.seconds[name].append(took)
            time.sleep(PAUSE_S)

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])


def beside(
    host: str, port: int, operation: Operation, seconds: float, first: int
) -> tuple[Waits, Waits, dict[int, int]]:
    """What the bystander waits for in quiet and beside the greedy client, in turn; and what that was answered."""
    context = multiprocessing.get_context("spawn")
    wanted, over = context.Event(), context.Event()
    here, there = context.Pipe()
    greedy = context.Process(target=be_greedy, args=(host, port, operation, wanted, over, there), daemon=True)
    greedy.start()
    client = Client(BYSTANDER, host, port)
    quiet, busy = Waits(), Waits()
    number = first
    for _ in range(2):
        for waits, is_busy in ((quiet, False), (busy, True)):
            if is_busy:
                wanted.set()
            else:
                wanted.clear()
            time.sleep(1)  # until what was asked for before is answered, or the queue is full
            end = time.perf_counter() + seconds / 2
            while time.perf_counter() < end:
                number += 1
                waits.ask(client, number)
    wanted.clear()
    over.set()
    statuses = here.recv() if here.poll(40) else {}
    greedy.join(5)
    return quiet, busy, statuses


def main() -> int:
    """Print the medians beside each greedy operation; 1 if a bystander was held up."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--seconds", type=float, default=8.0)
    asked.add_argument("parts", nargs="*")
    options = asked.parse_args()
    chosen = {
        name: each for name, each in GREEDS.items() if not options.parts or any(part in name for part in options.parts)
    }
    held_up = []
    with serving() as served:
        parts = urlsplit(served.address)
        host, port = parts.hostname or "", parts.port or 0
        warm = Client(BYSTANDER, host, port)
        for each in (*ASKED.values(), *chosen.values()):
            warm.ask(each, 0)
        print(f"{'beside':24}{'':10}" + "".join(f"{name:>26}" for name in ASKED) + "   answered", flush=True)
        for index, (name, operation) in enumerate(chosen.items()):
            quiet, busy, statuses = beside(host, port, operation, options.seconds, 10_000 * (index + 1))
            cells = []
            for kind in ASKED:
                ratio = busy.median(kind) / quiet.median(kind)
                worst = max(busy.seconds[kind])
                cells.append(f"{1e3 * quiet.median(kind):6.1f} →{1e3 * busy.median(kind):7.1f} ms ×{ratio:4.1f}")
                if ratio > MOST_RATIO or (kind == "health" and worst > MOST_HEALTH_S):
                    held_up.append(f"{kind} beside {name}")
            worst = max(busy.seconds["health"])
            print(f"{name:24}{worst:7.3f} s " + "".join(f"{cell:>26}" for cell in cells) + f"   {statuses}", flush=True)
            if set(busy.statuses) != {200}:
                print(f"  the bystander was answered {dict(busy.statuses)}", flush=True)
    return broken({f"the bystander's {each} is not held up": False for each in held_up})


if __name__ == "__main__":
    sys.exit(main())
