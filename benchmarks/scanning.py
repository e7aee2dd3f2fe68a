"""Slowdown of an analysis beside a scan, and the time to open a portrait in an atlas of a million tokens.

Run: ``python -m benchmarks.scanning [TOKENS]``. One server; each round times analyses of new texts by MiniLM with no
scan, beside one, and again with none, so that other load on the machine affects both. Then the observatory's small
decoder scans random words until the atlas holds TOKENS (a million unless given), and portraits of random heads are
opened, each once. What should hold on a machine of 2 cores: the median analysis takes less than 1.5 times as long
beside a scan, and a portrait is there in 300 ms.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from benchmarks.bounds import broken
from tools.browsing import serving

MINILM, MINI = "sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini"
ROUNDS, ANALYSES, PORTRAITS = 4, 12, 20
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "house",
    "tree",
    "river",
    "old",
    "new",
    "runs",
    "sees",
    "under",
    "over",
    "and",
    "but",
]
BEST_RATIO, BEST_MS = 1.5, 300.0


def analyse(client: httpx.Client, number: int) -> float:
    """Seconds of an analysis that nobody has asked for before."""
    text = f"The cat sat on the mat because it was tired for the {number}th time."
    began = time.perf_counter()
    client.post("/api/analyses", json={"model": MINILM, "text": text}).raise_for_status()
    return time.perf_counter() - began


def upload(client: httpx.Client, tokens: int, seed: int) -> str:
    """The id of a corpus of about so many tokens."""
    rng = random.Random(seed)  # noqa: S311
    paragraphs = (" ".join(rng.choices(WORDS, k=100)) + "." for _ in range(tokens // 100))
    content = "\n\n".join(paragraphs).encode()
    return str(client.post("/api/corpora?name=words.txt", content=content).raise_for_status().json()["id"])


def events(client: httpx.Client, scan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The states of a scan."""
    with client.stream("GET", f"/api/atlases/{scan['id']}/events") as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line[6:])


@contextmanager
def scanning(client: httpx.Client, corpus: str, seed: int) -> Iterator[None]:
    """A scan under way, stopped at the end."""
    wanted = {"model": MINILM, "corpus": corpus, "seed": seed}
    scan = client.post("/api/atlases", json=wanted).raise_for_status().json()
    for state in events(client, scan):
        if state["shards"]:
            break
    yield
    state = client.get(f"/api/atlases/{scan['id']}").json()["scan"]["state"]
    assert state == "running", f"the scan was {state} before the analyses were done"
    for _ in range(2):  # stop it, then forget it
        client.delete(f"/api/atlases/{scan['id']}")


def portraits(client: httpx.Client, tokens: int) -> list[float]:
    """Seconds to open each of some portraits in an atlas of so many tokens."""
    scan = client.post("/api/atlases", json={"model": MINI, "corpus": upload(client, tokens, seed=1)})
    last = list(events(client, scan.raise_for_status().json()))[-1]
    assert last["state"] == "finished", last["message"]
    print(f"scan of {last['tokens']:,} tokens by {MINI}: {last['tokens_per_second']:,.0f} tokens a second")
    heads = random.Random(0).sample([(layer, head) for layer in range(6) for head in range(6)], PORTRAITS)  # noqa: S311
    took = []
    for layer, head in heads:
        began = time.perf_counter()
        answer = client.get(f"/api/atlases/{last['id']}/heads/{layer}/{head}").raise_for_status()
        took.append(time.perf_counter() - began)
    print(f"a portrait has {len(answer.content):,} bytes")
    return took


def main() -> int:
    tokens = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    alone: list[float] = []
    beside: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(OBSERVATORY_ATLASES_DIR=folder, OBSERVATORY_MAX_SCAN_TOKENS=str(2 * tokens)) as served,
        httpx.Client(base_url=served.address, timeout=3_600) as client,
    ):
        for number in range(5):
            analyse(client, -1 - number)
        corpus = upload(client, 1_000_000, seed=0)
        for round_ in range(ROUNDS):
            first = round_ * 3 * ANALYSES
            alone += [analyse(client, first + number) for number in range(ANALYSES)]
            with scanning(client, corpus, seed=round_):
                beside += [analyse(client, first + ANALYSES + number) for number in range(ANALYSES)]
            alone += [analyse(client, first + 2 * ANALYSES + number) for number in range(ANALYSES)]
        ratio = statistics.median(beside) / statistics.median(alone)
        print(f"analysis, median: {1000 * statistics.median(alone):.0f} ms alone, ", end="")
        print(f"{1000 * statistics.median(beside):.0f} ms beside a scan: {ratio:.2f} times as long")
        took = sorted(1000 * each for each in portraits(client, tokens))
        print(f"portrait: {statistics.median(took):.0f} ms in the median, {took[-1]:.0f} ms at most")
    return broken(
        {
            f"an analysis takes less than {BEST_RATIO} times as long beside a scan": ratio < BEST_RATIO,
            f"a portrait is there in {BEST_MS} ms": statistics.median(took) <= BEST_MS,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
