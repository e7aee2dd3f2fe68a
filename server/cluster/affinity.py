"""Which requests are about the same text and model, so that one replica answers them from what it holds.

Only a matter of speed: any replica can answer any request (``stores.kept_requests``).
"""

import base64
import json
import re
import zlib
from typing import Any
from urllib.parse import parse_qs

from cachetools import LRUCache

from ..stores.kept_requests import KeptRequest, KeptRequests
from .forwarding import Forwarded

ADDRESS = re.compile(r"/api/(?:analyses|prompts)/((?:[a-z]+-)?[0-9a-f]{32})(?:/|$)")
REMEMBERED = 100_000


class Affinity:
    """Keys of requests: equal for what is about the same text in the same model.

    ``spread`` is the largest number of replicas that come to hold one model.
    """

    def __init__(self, requests: KeptRequests, *, spread: int) -> None:
        self._requests = requests
        self._spread = spread
        self._known: LRUCache[str, str] = LRUCache(REMEMBERED)

    async def key(self, request: Forwarded) -> str:
        """The key of this request; requests with an empty one may go anywhere."""
        path = request.scope["path"]
        if (match := ADDRESS.search(path)) is not None:
            return await self._of_address(match.group(1))
        if request.scope["method"] == "POST":
            return self._of_body(path, request.body)
        asked = parse_qs(request.scope.get("query_string", b"").decode("latin-1"))
        return self._join(asked.get("model", [""])[0], "")

    async def _of_address(self, request_id: str) -> str:
        if request_id not in self._known:
            kept = await self._requests.find(request_id)
            if kept is None:
                return request_id
            self._known[request_id] = self._of_kept(kept)
        return self._known[request_id]

    def _of_kept(self, kept: KeptRequest) -> str:
        return self._join(_name(kept.asked.get("model")), kept.data or _content(kept.asked))

    def _of_body(self, path: str, body: bytes) -> str:
        if path.startswith("/api/tensors"):
            return self._join("", body)
        try:
            asked = json.loads(body)
            image = base64.b64decode(asked["image"]) if path.endswith("/image") else b""
        except (ValueError, TypeError, KeyError):  # will be refused
            return ""
        if not isinstance(asked, dict):
            return ""
        return self._join(_name(asked.get("model")), image or _content(asked))

    def _join(self, model: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode(errors="replace")
        return f"{model}#{zlib.crc32(data) % self._spread}" if model or data else ""


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _content(asked: dict[str, Any]) -> str:
    """The text that a request is about, or the texts of a set."""
    text = asked.get("text")
    return text if isinstance(text, str) else json.dumps(asked.get("prompts") or asked.get("template") or "")
