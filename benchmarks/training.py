"""Throughput of training runs beside analyses, and the slowdown of an analysis during four runs.

Run: ``python -m benchmarks.training``. One server; each round times analyses of new texts by MiniLM with no run, then
with four runs of the default network whose events are followed, so that other load on the machine affects both. Then
one run alone: time to the first update and to the induction head, updates per second.
What should hold on a machine of 2 cores: the median analysis takes less than twice as long beside four runs, and the
default shows an induction head in less than 10 seconds.
"""

import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from benchmarks.bounds import broken
from tools.browsing import serving

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "the",
    "mat",
    "because",
    "it",
    "was",
    "tired",
    "and",
    "then",
    "it",
    "slept",
    "until",
    "noon",
]
RUNS, ROUNDS, ANALYSES = 4, 3, 12
FORMED = 0.5
MOST_RATIO, MOST_S = 2, 10


@dataclass
class Seen:
    """What a reader of events received, with wall-clock times."""

    times: list[float] = field(default_factory=list)
    formed: float | None = None
    formed_step: int | None = None

    @property
    def per_second(self) -> float:
        return (len(self.times) - 1) / (self.times[-1] - self.times[0]) if len(self.times) > 1 else 0.0


def analyse(client: httpx.Client, number: int) -> float:
    """Seconds for a new text of 60 words."""
    text = " ".join(WORDS[(number * 7 + index * index) % len(WORDS)] for index in range(60)) + f" {number}"
    began = time.perf_counter()
    client.post("/api/analyses", json={"model": MODEL, "text": text}).raise_for_status()
    return time.perf_counter() - began


def follow(address: str, steps: int, seed: int, seen: Seen) -> None:
    """Follow a run to its end, recording the times of its updates; each from an address of its own, as shares count."""
    own = httpx.HTTPTransport(local_address=f"127.0.0.{2 + seed}")
    with httpx.Client(base_url=address, timeout=300, transport=own) as client:
        began = time.perf_counter()
        run = client.post("/api/training", json={"steps": steps, "seed": seed}).raise_for_status().json()
        with client.stream("GET", f"/api/training/{run['id']}/events") as response:
            for line in response.iter_lines():
                if line.startswith("data: ") and '"maps"' in line:
                    seen.times.append(time.perf_counter() - began)
                    scores = json.loads(line[6:])
                    if seen.formed is None and max(map(max, scores["scores"]["induction"])) > FORMED:
                        seen.formed, seen.formed_step = seen.times[-1], scores["step"]
        client.delete(f"/api/training/{run['id']}")


@contextmanager
def runs(address: str, count: int, steps: int) -> Iterator[list[Seen]]:
    """Keep this many runs going; they are awaited at the end."""
    seen = [Seen() for _ in range(count)]
    with ThreadPoolExecutor(count) as threads:
        ends = [threads.submit(follow, address, steps, seed, follower) for seed, follower in enumerate(seen)]
        while not all(follower.times or end.done() for follower, end in zip(seen, ends, strict=True)):
            time.sleep(0.05)
        yield seen
        for end in ends:
            end.result()


def main() -> int:
    alone: list[float] = []
    beside: list[float] = []
    together: list[Seen] = []
    with serving() as served, httpx.Client(base_url=served.address, timeout=300) as client:
        client.get("/api/training")
        for number in range(5):
            analyse(client, -1 - number)
        for round_ in range(ROUNDS):
            first = round_ * 2 * ANALYSES
            alone += [analyse(client, first + number) for number in range(ANALYSES)]
            with runs(served.address, RUNS, steps=150) as seen:
                beside += [analyse(client, first + ANALYSES + number) for number in range(ANALYSES)]
            together += seen
        with runs(served.address, 1, steps=300) as (single,):
            pass
    ratio = statistics.median(beside) / statistics.median(alone)
    print(f"analysis, median: {1000 * statistics.median(alone):.0f} ms alone, ", end="")
    print(f"{1000 * statistics.median(beside):.0f} ms beside {RUNS} runs: {ratio:.2f} times as long")
    print(f"four runs at once: {statistics.median(run.per_second for run in together):.1f} updates a second each")
    print(f"one run: first update after {single.times[0]:.2f} s, {single.per_second:.1f} updates a second, ", end="")
    print(f"induction head after {single.formed or math.inf:.1f} s (step {single.formed_step})")
    return broken(
        {
            f"an analysis takes less than {MOST_RATIO} times as long beside {RUNS} runs": ratio < MOST_RATIO,
            f"an induction head in less than {MOST_S} s": single.formed is not None and single.formed < MOST_S,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
