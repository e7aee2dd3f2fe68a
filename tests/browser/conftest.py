"""A real Chromium on the real server. A test fails on anything a user's developer tools would show in red.

Fixtures: ``page`` (1440 px, light, English), ``phone`` (390 px), ``open_page(width=…, colour_scheme=…, locale=…)``,
``every_view`` (each two of width, theme and language together), ``problems.expect(pattern)`` for what a test provokes
on purpose, ``axe(page)``, ``server_url``.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from serving import serving
from tiny_models import write_model_folder

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SERVED_MODELS = ("tiny-bert", "tiny-gpt2", "tiny-t5", "tiny-vit")
PATIENCE = 60_000
"""Milliseconds: a machine may be ten times slower than this one, and other tests may run beside."""
HEIGHTS = {1440: 900, 390: 844}
ON_CSP_VIOLATION = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP violation: ${event.violatedDirective} blocked ${event.blockedURI} in ${event.sourceFile}`));
"""


class OpenPage(Protocol):
    """Opens a watched page; nothing is loaded in it yet."""

    def __call__(self, *, width: int = 1440, colour_scheme: str = "light", locale: str = "en-US") -> Page: ...


@dataclass
class Problems:
    """Everything that went wrong in the browser during one test, and what of it the test meant to provoke."""

    found: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Allow problems matching this regular expression; at least one must occur."""
        self.expected.append(pattern)

    def verdict(self) -> list[str]:
        """Return what must not be: unexpected problems, and expected ones that stayed away."""
        unexpected = [found for found in self.found if not any(re.search(one, found) for one in self.expected)]
        absent = [one for one in self.expected if not any(re.search(one, found) for found in self.found)]
        return unexpected + [f"expected, but did not happen: {one}" for one in absent]

    def watch(self, context: BrowserContext, host: str) -> None:
        """Collect from every page of this context."""
        context.add_init_script(ON_CSP_VIOLATION)
        context.on("console", lambda message: message.type == "error" and self._note("console", message.text))
        context.on("weberror", lambda error: self._note("uncaught", str(error.error)))
        context.on("request", lambda request: self._other_host(request.url, host))
        context.on("requestfailed", lambda request: self._failed(request.url, request.failure or "failed"))

    def _note(self, kind: str, text: str) -> None:
        self.found.append(f"{kind}: {text}")

    def _other_host(self, url: str, host: str) -> None:
        address = urlsplit(url)
        if address.scheme not in {"data", "blob", "about"} and address.netloc != host:
            self._note("other host", url)

    def _failed(self, url: str, reason: str) -> None:
        if reason != "net::ERR_ABORTED":  # the page itself changed its mind
            self._note("request failed", f"{url} ({reason})")


@pytest.fixture(scope="session")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server."""
    with serving(root, tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture(scope="session")
def models_server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with tiny random models beside MiniLM; a module that wants it names it ``server_url``."""
    directory = tmp_path_factory.mktemp("models")
    for name in SERVED_MODELS:
        write_model_folder(directory, name)
    log = tmp_path_factory.mktemp("models-server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(directory)) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    executable = shutil.which("chromium")
    assert executable, "chromium is missing; `make test` installs it or says how"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def problems() -> Problems:
    """What went wrong in the browser so far."""
    return Problems()


@pytest.fixture
def open_page(browser: Browser, server_url: str, problems: Problems) -> Iterator[OpenPage]:
    """Open watched pages, each in a browser profile of its own. The test fails if anything in them goes wrong."""
    contexts = []

    def open_one(*, width: int = 1440, colour_scheme: str = "light", locale: str = "en-US") -> Page:
        scheme: Any = colour_scheme
        context = browser.new_context(
            base_url=server_url,
            viewport={"width": width, "height": HEIGHTS.get(width, 900)},
            color_scheme=scheme,
            locale=locale,
            reduced_motion="reduce",
        )
        problems.watch(context, urlsplit(server_url).netloc)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield open_one
    for context in contexts:
        context.close()
    if verdict := problems.verdict():
        pytest.fail("in the browser:\n" + "\n".join(verdict), pytrace=False)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A desktop page: 1440 px, light, English."""
    return open_page()


@pytest.fixture
def phone(open_page: OpenPage) -> Page:
    """A phone's page: 390 px, light, English."""
    return open_page(width=390)


@pytest.fixture(
    # What fails needs one of them or two, such as Japanese on a phone: four of the eight meet every two of them.
    params=[(1440, "light", "en"), (1440, "dark", "ja"), (390, "light", "ja"), (390, "dark", "en")],
    ids=lambda view: "-".join(map(str, view)),
)
def every_view(request: pytest.FixtureRequest, open_page: OpenPage) -> Page:
    """A page in each width, theme and language, and in each two of them together."""
    width, scheme, locale = request.param
    return open_page(width=width, colour_scheme=scheme, locale=locale)


@pytest.fixture(scope="session")
def axe(root: Path) -> Callable[[Page], None]:
    """Assert that axe finds nothing wrong with a page as it stands, contrast included."""
    source = (root / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def check(page: Page) -> None:
        page.evaluate(source)
        result = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        lines = [
            f"{violation['id']} ({violation['impact']}): {node['target']} {node['failureSummary']}"
            for violation in result["violations"]
            for node in violation["nodes"]
        ]
        assert not lines, "\n".join(lines)

    return check
