"""Requests under the ids of their answers, so that any process can compute an answer that it does not hold.

An id is a hash of the request and of the weights. What is kept is small: the request, and an uploaded file if there was
one. Without a shared place it stays in this process, and serves for answers that had to make room; with one, processes
on several machines answer each other's addresses.
"""

import asyncio
import json
import logging
import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cachetools import LRUCache
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from attention_core.disk_room import PARTIAL, NoRoomError, replacing, room_in
from ..web import clients
from .counted_cache import CountedCache
from .fair_eviction import Holdings
from .folders import SHARED

ID = re.compile(r"(?:[a-z]+-)?[0-9a-f]{32}")
SUFFIX = ".request"
CLIENT = re.compile(rb'\{"client": "([^"\\]*)"')
HEAD_BYTES = 256
"""In which the client is."""
DAY_S = 86_400
SWEEP_S = 3_600
"""Seconds between two searches for what has expired."""
REFRESH_S = 3_600
"""A file in use is written again when it is older, so that it expires after its last use."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptRequest:
    """What was asked."""

    kind: str
    """Which recipe computes it."""
    asked: dict[str, Any] = field(default_factory=dict)
    """What JSON can say of it."""
    data: bytes = b""
    """The uploaded file."""
    client: str = clients.NOBODY
    """Who asked first, to whose room it is counted."""

    def to_bytes(self) -> bytes:
        """A line of JSON, then the file."""
        head = {"client": self.client, "kind": self.kind, "asked": self.asked}
        return json.dumps(head).encode() + b"\n" + self.data

    @classmethod
    def from_bytes(cls, content: bytes) -> "KeptRequest":
        """Raises ValueError if this is no kept request."""
        line, _, data = content.partition(b"\n")
        head = json.loads(line)
        if not isinstance(head, dict) or set(head) - {"client"} != {"kind", "asked"}:
            raise ValueError("no kept request")
        return cls(head["kind"], head["asked"], data, head.get("client", clients.NOBODY))


class KeptRequests:
    """Requests by id. Used on one event loop; files are read and written in threads.

    - In memory the least recently used leave when there are more than ``memory_bytes``, of the client whose take most.
    - In ``place`` (a folder, or any address that fsspec knows, such as ``s3://bucket/folder``) they leave ``days``
      after their last use; earlier, the oldest of that client, when they take more than ``place_bytes``.
    - A place that cannot be read or written is logged; the answer at hand is not lost for it, and what could not be
      kept is tried again at its next use.
    """

    def __init__(self, *, memory_bytes: int, place: str | None, days: float, place_bytes: int) -> None:
        self.cache: CountedCache[bytes] = CountedCache(memory_bytes)
        self._files = None if place is None else _Place(place, days * DAY_S, place_bytes)

    @property
    def failures(self) -> int:
        """How often the place could not be read or written."""
        return 0 if self._files is None else self._files.failures

    async def keep(self, request_id: str, kept: KeptRequest) -> None:
        """Keep the request, or note that it is still in use."""
        content = self.cache.get(request_id)
        if content is None:
            asker = clients.client()
            content = await asyncio.to_thread(replace(kept, client=asker).to_bytes)
            self.cache.keep(request_id, content, asker, len(content))
        if self._files is not None:
            await asyncio.to_thread(self._files.keep, request_id, content)

    async def find(self, request_id: str) -> KeptRequest | None:
        """The request with this id, if it is kept anywhere."""
        if not ID.fullmatch(request_id):
            return None
        content = self.cache.find(request_id)
        if content is None:
            self.cache.misses += 1
        if content is None and self._files is not None:
            content = await asyncio.to_thread(self._files.read, request_id)
        if content is None:
            return None
        try:
            return await asyncio.to_thread(KeptRequest.from_bytes, content)
        except ValueError:
            logger.warning("the kept request %s is damaged", request_id)
            return None


class _Place:
    """One file for each request, written whole or not at all."""

    def __init__(self, address: str, expires_s: float, most_bytes: int) -> None:
        self._fs: AbstractFileSystem
        self._fs, self._folder = url_to_fs(address)
        self._expires_s = expires_s
        self._most_bytes = most_bytes
        self.failures = 0
        self._swept = -float("inf")
        self._lock = threading.Lock()
        self._noted: LRUCache[str, float] = LRUCache(10_000)
        """When this process last wrote each."""

    def _path(self, request_id: str) -> str:
        return f"{self._folder.rstrip('/')}/{request_id}{SUFFIX}"

    def keep(self, request_id: str, content: bytes) -> None:
        now = time.monotonic()
        with self._lock:
            if now - self._noted.get(request_id, -float("inf")) < min(REFRESH_S, self._expires_s / 2):
                return
            self._noted[request_id] = now
            must_sweep = now - self._swept > SWEEP_S
            self._swept = now if must_sweep else self._swept
        try:
            with room_in(SHARED):
                self._fs.makedirs(self._folder, exist_ok=True)
                try:
                    self._write(self._path(request_id), content)
                finally:
                    if must_sweep:
                        self._sweep()
        except Exception as error:  # whatever a store on the network raises
            self.failures += 1
            with self._lock:
                self._noted.pop(request_id, None)
            if not isinstance(error, NoRoomError):  # which says itself
                logger.exception("the request %s could not be kept in %s", request_id, self._folder)

    def _write(self, path: str, content: bytes) -> None:
        if isinstance(self._fs, LocalFileSystem):
            with replacing(Path(path)) as partial:
                partial.write_bytes(content)
            return
        file = self._fs.open(path, "wb", autocommit=False)
        try:
            with file:
                file.write(content)
            file.commit()
        except BaseException:
            with suppress(Exception):
                file.discard()
            raise

    def read(self, request_id: str) -> bytes | None:
        try:
            content: bytes = self._fs.cat_file(self._path(request_id))
        except FileNotFoundError:
            return None
        except Exception:
            self.failures += 1
            logger.exception("%s could not be read", self._folder)
            return None
        self.keep(request_id, content)
        return content

    def _sweep(self) -> None:
        """Remove what has expired, and of what is too much the oldest of the client whose take most."""
        listed = self._fs.ls(self._folder, detail=True)
        for each in listed:
            is_partial = each["name"].endswith(PARTIAL) and SUFFIX in each["name"]
            if is_partial and _written(self._fs, each) < time.time() - SWEEP_S:  # whoever wrote it was killed
                self._fs.rm_file(each["name"])
        files = [each for each in listed if each["name"].endswith(SUFFIX)]
        dated = sorted(((_written(self._fs, each), each) for each in files), key=lambda each: each[0])
        limit = time.time() - self._expires_s
        for written, each in dated:
            if written < limit:
                self._fs.rm_file(each["name"])
        sizes = {each["name"]: each["size"] for written, each in dated if written >= limit}
        if sum(sizes.values()) <= self._most_bytes:
            return
        held: Holdings[str] = Holdings()
        for name, size in sizes.items():
            held.add(name, self._client_of(name), size)
        for leaving in held.leaving(self._most_bytes):
            self._fs.rm_file(leaving)

    def _client_of(self, path: str) -> str:
        """Who asked first, by the beginning of the file."""
        match = CLIENT.match(self._fs.cat_file(path, start=0, end=HEAD_BYTES))
        return clients.NOBODY if match is None else match.group(1).decode()


def _written(fs: AbstractFileSystem, file: dict[str, Any]) -> float:
    """When a file was written, in seconds since 1970."""
    when: datetime = fs.modified(file["name"])
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
