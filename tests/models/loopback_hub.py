"""A small Hugging Face hub on the loopback."""

import hashlib
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

CRAWL, CRAWL_S = 256, 0.1
"""Bytes sent at once where a file crawls, and seconds until the next."""
COMMIT = "0123456789abcdef" * 2 + "01234567"


class LoopbackHub:
    """What the hub's real client asks for, answered from folders."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()
        """What requests have carried; None where one has carried none."""
        self.lies: dict[str, int] = {}
        """Bytes by file name that it says instead of the right ones, wherever it says any before it sends."""
        self.announces = True
        """Whether it says how long a file is of which it has lied when it sends it."""
        self.waits = threading.Event()
        """Set when half of the file to be held has been sent."""
        self.cut = threading.Event()
        """Set when a client has gone before it had all of a file that crawls."""
        self._held = ""
        self._crawls = False
        self._released = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(with_body=True)

            def do_HEAD(self) -> None:
                self.answer(with_body=False)

            def answer(self, *, with_body: bool) -> None:
                path, _, query = self.path.partition("?")
                hub.asked.append(path)
                hub.tokens.add(self.headers["Authorization"])
                content = hub.found(parse_qs(query)) if path == "/api/models" else hub.content(path)
                self.send_response(404 if content is None else 200)
                if content is None:
                    self.send_header("X-Error-Code", "RepoNotFound")
                else:
                    self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
                    self.send_header("X-Repo-Commit", COMMIT)
                lie = hub.lies.get(path.rpartition("/")[2])
                if not with_body and lie is not None:
                    self.send_header("Content-Length", str(lie))
                elif lie is None or hub.announces:
                    self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                if with_body and content is not None:
                    hub._send(self.wfile, path, content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def content(self, path: str) -> bytes | None:
        for model_id, folder in list(self.folders.items()):  # a test adds some meanwhile
            files = sorted(folder.iterdir())
            if path in {f"/api/models/{model_id}", f"/api/models/{model_id}/revision/main"}:
                siblings = [{"rfilename": file.name, "size": self.size(file)} for file in files]
                return json.dumps(self.described(model_id) | {"sha": COMMIT, "siblings": siblings}).encode()
            if path == f"/api/models/{model_id}/tree/{COMMIT}":
                tree = [{"type": "file", "path": f.name, "size": self.size(f), "oid": f.name} for f in files]
                return json.dumps(tree).encode()
            if path.startswith(f"/{model_id}/resolve/"):
                return (folder / path.rpartition("/")[2]).read_bytes()
        return None

    def size(self, file: Path) -> int:
        """The bytes that it says a file has."""
        return self.lies.get(file.name, file.stat().st_size)

    def found(self, query: dict[str, list[str]]) -> bytes:
        """Models whose id contains the search, as the hub lists them."""
        hits = [each for each in list(self.folders) if query["search"][0].lower() in each.lower()]
        return json.dumps([self.described(each) for each in hits[: int(query["limit"][0])]]).encode()

    def described(self, model_id: str) -> dict[str, Any]:
        """What the hub says of a model beside its files."""
        config = self.folders[model_id] / "config.json"
        named = json.loads(config.read_text()) if config.is_file() else {}
        return {
            "id": model_id,
            "downloads": 7,
            "gated": "gated" in model_id and "manual",
            "config": {name: named[name] for name in ("architectures", "model_type") if name in named},
            "safetensors": {"parameters": {"F32": 1234}, "total": 1234},
            "tags": ["safetensors", "license:mit"],
        }

    def hold(self, name: str, *, crawls: bool = False) -> None:
        """Send only half of the file of this name, until ``release``; or the rest a few bytes at a time."""
        self._held = name
        self._crawls = crawls

    def _send(self, wire: Any, path: str, content: bytes) -> None:
        """Send a file, held or crawling if it is the one."""
        half = len(content) // 2
        with suppress(ConnectionError):
            wire.write(content[:half])
        if self._held and path.endswith(self._held):
            self.waits.set()
            if self._crawls:
                half += self._crawl(wire, content[half:])
            else:
                self._released.wait(60)
        with suppress(ConnectionError):
            wire.write(content[half:])

    def _crawl(self, wire: Any, content: bytes) -> int:
        """Send a little again and again; how much has been sent."""
        for start in range(0, len(content), CRAWL):
            try:
                wire.write(content[start : start + CRAWL])
            except ConnectionError:
                self.cut.set()
                return len(content)
            if self._released.wait(CRAWL_S):
                return start + CRAWL
        return len(content)

    def release(self) -> None:
        """Send the rest, and later everything at once."""
        self._held = ""
        self._released.set()

    @property
    def is_released(self) -> bool:
        """Whether what was held has been sent."""
        return self._released.is_set()

    def close(self) -> None:
        """Stop answering."""
        self.release()
        self.server.shutdown()
        self.server.server_close()
