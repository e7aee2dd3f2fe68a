"""Latency of ``/healthz`` while every route is flooded with junk.

Run: ``python -m benchmarks.bystander [a part of a path …]``. A real server; the bystander, a separate process, sends
a request every 20 ms. Every POST route of the OpenAPI document gets every kind of junk, 8 MB of it and as much as the
route accepts (according to the refusal of the former); then large valid requests, long addresses and headers.
What should hold: no request of the bystander takes more than 0.3 s.
"""

import base64
import http.client
import json
import multiprocessing
import socket
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from benchmarks.bounds import broken
from tools.browsing import serving

BAR_S = 0.3
EVERY_S = 0.02
LARGE = 8 * 10**6
JSON = {"Content-Type": "application/json"}

Send = Callable[[], object]


def filled(start: bytes, piece: bytes, end: bytes, size: int) -> bytes:
    """``start``, as many repetitions of the piece as fit, ``end``."""
    return start + piece * ((size - len(start) - len(end)) // len(piece)) + end


KINDS: dict[str, Callable[[int], bytes]] = {
    "nested objects": lambda size: filled(b'{"inputs": [', b"{},", b"{}]}", size),
    "objects in objects": lambda size: filled(b"", b'{"a":', b"", size),
    "empty lists": lambda size: filled(b'{"inputs": [', b"[],", b"[]]}", size),
    "short rows": lambda size: filled(b'{"queries": [', b"[1],", b"[1]]}", size),
    "deep brackets": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "many names": lambda size: b"{" + b",".join(b'"%08d":1' % each for each in range(size // 13)) + b"}",
    "one name often": lambda size: filled(b"{", b'"a":[],', b'"a":1}', size),
    "one long text": lambda size: filled(b'{"model": "', b"a", b'"}', size),
    "escapes": lambda size: filled(b'{"text": "', b"\\u3042", b'"}', size),
    "half surrogates": lambda size: filled(b'{"text": "', b"\\ud800", b'"}', size),
    "many texts": lambda size: filled(b'{"tokens": [', b'"a",', b'"a"]}', size),
    "one long number": lambda size: filled(b'{"seed": ', b"1", b"}", size),
    "long numbers": lambda size: filled(b'{"inputs": [', b"1" * 4_000 + b",", b"1]}", size),
    "numbers": lambda size: filled(b'{"scores": [', b"0.125,", b"1]}", size),
    "no numbers": lambda size: filled(b'{"inputs": [[', b"NaN,", b"-Infinity]]}", size),
    "no UTF-8": lambda size: filled(b'{"text": "', b"\xff\xfe", b'"}', size),
    "spaces": lambda size: filled(b"{", b" ", b"}", size),
    "changes": lambda size: filled(
        b'{"model": "a", "text": "b", "interventions": [',
        b'{"kind":"cut_edges","layer":0,"heads":[0],"edges":[' + b"[0.5,0.5]," * 4_000 + b"[0,0]]},",
        b'{"kind":"head_off","layer":0,"heads":[]}]}',
        size,
    ),
}


def watch(host: str, port: int, told: Connection) -> None:
    """Poll every 20 ms in a separate process; on request report the longest wait since the last report."""
    worst = 0.0
    while True:
        start = time.perf_counter()
        connection = http.client.HTTPConnection(host, port, timeout=60)
        connection.request("GET", "/healthz")
        assert connection.getresponse().read()
        connection.close()
        took = time.perf_counter() - start
        worst = max(worst, took)
        if told.poll(max(0.0, EVERY_S - took)):
            told.recv()
            told.send(worst)
            worst = 0.0


class Bench:
    """A server, its poller, and the longest waits."""

    def __init__(self, address: str, told: Connection) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 0
        self.waits: list[tuple[float, str]] = []
        self._told = told

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> bytes:
        """The complete response; empty if the server closed the connection."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=300)
        try:
            connection.request(method, path, body=body, headers=headers or {})  # type: ignore[arg-type]
            return connection.getresponse().read()
        except OSError:
            return b""
        finally:
            connection.close()

    def measure(self, name: str, send: Send) -> object:
        """Send a request while polling; record the longest wait."""
        self.worst()
        answer = send()
        worst = self.worst()
        self.waits.append((worst, name))
        if worst > BAR_S:
            print(f"{worst:6.3f} s  {name}", flush=True)
        return answer

    def worst(self) -> float:
        """The longest wait since the last call."""
        self._told.send(None)
        return float(self._told.recv())

    def junk(self, path: str) -> None:
        """Every kind of junk, both refused and accepted sizes."""
        refused = self.ask("POST", path, KINDS["spaces"](LARGE), JSON)
        limit = json.loads(refused).get("error", {}).get("limit") if refused else None
        size = limit if limit and 1_000 < limit < LARGE else LARGE
        for kind, make in KINDS.items():
            self._send(f"{path}: {size} bytes, {kind}", path, make(size))
        self._send(f"{path}: {LARGE} bytes", path, KINDS["nested objects"](LARGE))
        pieces = (KINDS["nested objects"](LARGE)[start : start + 4_096] for start in range(0, LARGE, 4_096))
        self._send(f"{path}: {LARGE} bytes in chunks", path, pieces)

    def _send(self, name: str, path: str, body: object) -> None:
        self.measure(name, lambda: self.ask("POST", path, body, JSON))


def large_requests(bench: Bench) -> Iterator[tuple[str, Send]]:
    """Large valid requests, and non-bodies."""

    def post(path: str, body: object) -> Send:
        content = json.dumps(body, separators=(",", ":"))
        return lambda: bench.ask("POST", path, content, JSON)

    rows = [[0.25] * 64] * 512
    yield "a linear layer of 4 million numbers", post("/api/linear", {"in_features": 1000, "out_features": 1390})
    yield "many short rows", post("/api/linear", {"in_features": 2, "out_features": 2, "leading": [4096, 100]})
    scores = {"queries": rows, "keys": rows, "values": rows, "mechanism": "scaled_dot"}
    yield "scores of 512 × 512", post("/api/scoring", scores)
    yield "scores behind a mask", post("/api/scoring", scores | {"mask": {"kind": "causal"}})
    yield "ALiBi", post("/api/alibi", {"heads": 4, "seq_len": 1000})
    yield "sinusoids", post("/api/sinusoidal", {"positions": 1000, "dim": 1024})
    model = json.loads(bench.ask("GET", "/api/models"))["models"][0]["id"]
    yield "200,000 characters", post("/api/analyses", {"model": model, "text": "a, " * 66_000})
    weights = [[1 / 600] * 600] * 600
    yield "tensors as JSON", post("/api/tensors", {"weights": [[weights] * 2]})
    yield "tensors of empty lists", post("/api/tensors", {"weights": [[]] * 2_500_000})
    yield "tensors of objects", post("/api/tensors", {"weights": [{}] * 2_500_000})
    yield "tensors of names", post("/api/tensors", {f"a{each}": 1 for each in range(600_000)})
    picture = base64.b64encode(bytes(range(256)) * 20_000).decode()
    yield "an image that is none", post("/api/analyses/image", {"model": model, "image": picture})
    encoded = {"dtype": "f4", "shape": "1,1,1024,1024", "bdata": base64.b64encode(b"\0\0\0\0" * 2**20).decode()}
    kept = json.loads(post("/api/tensors", {"weights": encoded})() or b"{}")  # type: ignore[arg-type]
    if "id" in kept:
        window = f"/api/analyses/{kept['id']}/weights?layer=0&head=0&encoding="
        yield "a window of a million cells as JSON", lambda: bench.ask("GET", f"{window}json")
        yield "the same compressed", lambda: bench.ask("GET", f"{window}json", headers={"Accept-Encoding": "gzip"})
        yield "the same as bytes", lambda: bench.ask("GET", f"{window}base64")
    yield "a long address", lambda: bench.ask("GET", "/?text=" + "a" * 100_000)
    yield "many parameters", lambda: bench.ask("GET", "/api/models?" + "a=1&" * 15_000)
    yield "a long address to embed", lambda: bench.ask("GET", "/api/oembed?url=" + "%41" * 20_000)
    yield "many languages", lambda: bench.ask("GET", "/", headers={"Accept-Language": "xx," * 15_000})
    yield "chunks of one byte", lambda: tiny_chunks(bench, "/api/scoring")
    yield "chunks of one byte, uploaded", lambda: tiny_chunks(bench, "/api/tensors")


def tiny_chunks(bench: Bench, path: str) -> None:
    """A million bytes, each in its own chunk."""
    with socket.create_connection((bench.host, bench.port)) as connection:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        try:
            connection.sendall(head.encode() + b"1\r\n \r\n" * 10**6 + b"0\r\n\r\n")
            connection.recv(65_536)
        except OSError:
            return


def main() -> int:
    """Print the longest wait of every route; 1 if any was too long."""
    with serving(OBSERVATORY_PRELOAD="false") as served:
        mine, its = multiprocessing.Pipe()
        parts = urlsplit(served.address)
        watching = multiprocessing.Process(target=watch, args=(parts.hostname, parts.port, its), daemon=True)
        watching.start()
        bench = Bench(served.address, mine)
        paths = json.loads(bench.ask("GET", "/api/openapi.json"))["paths"]
        posts = [path for path, operations in paths.items() if "post" in operations]
        wanted = [path for path in posts if not sys.argv[1:] or any(part in path for part in sys.argv[1:])]
        bench.measure("nothing sent", lambda: time.sleep(1))
        print(f"{bench.waits[-1][0]:6.3f} s  nothing sent", flush=True)
        for path in wanted:
            before = len(bench.waits)
            bench.junk(path)
            print(f"{max(bench.waits[before:])[0]:6.3f} s  {path}", flush=True)
        if not sys.argv[1:] or "large" in sys.argv[1:]:
            for name, send in large_requests(bench):
                bench.measure(name, send)
                print(f"{bench.waits[-1][0]:6.3f} s  {name}", flush=True)
        watching.terminate()
    worst, name = max(bench.waits)
    print(f"longest wait {worst:.3f} s of {BAR_S} s ({len(bench.waits)} requests): {name}")
    return broken({f"nobody waits longer than {BAR_S} s": worst <= BAR_S})


if __name__ == "__main__":
    sys.exit(main())
