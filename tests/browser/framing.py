"""A third-party site that frames our pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page
from profiles import Problems, Watch

HOST_PAGE = """<!doctype html><meta charset="utf-8" /><title>A lecture</title><link rel="icon" href="data:," />
<script>addEventListener("message", ({ data, origin }) => { window.told = { ...data, origin }; });</script>
SNIPPET"""


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """The origin of another site, which serves this folder."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def visiting(browser: Browser, *addresses: str, width: int = 1000, height: int = 800) -> Iterator[Page]:
    """A page that may ask these hosts and no other; it must show no error, in any of its frames."""
    problems = Problems()
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    hosts = {urlsplit(address).netloc for address in addresses}
    Watch(context, urlsplit(addresses[0]).netloc, problems)
    page = context.new_page()
    yield page
    context.close()
    if verdict := [found for found in problems.verdict() if not _is_known(found, hosts)]:
        pytest.fail("in the browser:\n" + "\n".join(verdict), pytrace=False)


def _is_known(found: str, hosts: set[str]) -> bool:
    return found.startswith("other host: ") and urlsplit(found.removeprefix("other host: ")).netloc in hosts
