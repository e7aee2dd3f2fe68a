"""A real Chromium on the real server. A test fails on anything a user's developer tools would show in red.

Fixtures: ``page`` (1440 px, light, English), ``phone`` (390 px), ``open_page(width=…, colour_scheme=…, locale=…)``,
``each_look`` (desktop, light, English; phone, dark, Japanese), ``problems.expect(pattern)`` for what a test provokes
on purpose, ``axe(page)``, ``server_url``.
"""

import itertools
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from profiles import PATIENCE, Problems, Profiles
from serving import serving
from settling import every_action_settles, tally
from tiny_models import write_model_folder

from prepare import find_chromium
from small_atlases import scan_small

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SERVED_MODELS = ("tiny-bert", "tiny-gpt2", "tiny-t5", "tiny-vit")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure says what the page was still doing when a wait for it was given up, and which seed made it slow."""
    report = yield
    found = tally() if report.failed or call.when == "teardown" else None
    if report.failed and found and found.bounded:
        report.sections.append(("what was still pending", str(found)))
    if report.failed and (seed := item.config.getoption("chaos")) is not None:
        report.sections.append(("chaos", f"the pages were slow as with --chaos={seed}"))
    return report


class OpenPage(Protocol):
    """Opens a watched page; nothing is loaded in it yet."""

    def __call__(self, *, width: int = 1440, colour_scheme: str = "light", locale: str = "en-US") -> Page: ...


@pytest.fixture(scope="session")
def atlases_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Atlases of both carried models over a few sentences, scanned once for all processes that test."""
    base = tmp_path_factory.getbasetemp()
    return scan_small((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "small-atlases")


@pytest.fixture(scope="session")
def server_url(root: Path, atlases_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server."""
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(root, log, OBSERVATORY_ATLASES_DIR=str(atlases_folder)) as address:
        yield address


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny random models, a folder for each."""
    directory = tmp_path_factory.mktemp("models")
    for name in SERVED_MODELS:
        write_model_folder(directory, name)
    return directory


@pytest.fixture(scope="session")
def models_server_url(root: Path, models_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with them beside MiniLM; a module that wants it names it ``server_url``."""
    log = tmp_path_factory.mktemp("models-server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(models_folder)) as address:
        yield address


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """One Chromium for all tests, in whose pages every action ends when they are quiet."""
    executable = find_chromium()
    assert executable, "chromium is missing; `make test` installs it or says how"
    expect.set_options(timeout=PATIENCE)
    with every_action_settles(pytestconfig.getoption("chaos")), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def problems() -> Problems:
    """What went wrong in the browser so far."""
    return Problems()


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    """The profiles that tests share."""
    return Profiles(browser)


@pytest.fixture
def open_page(profiles: Profiles, server_url: str, problems: Problems) -> Iterator[OpenPage]:
    """Open watched pages, each in a browser profile of its own. The test fails if anything in them goes wrong."""
    taken = []

    def open_one(*, width: int = 1440, colour_scheme: str = "light", locale: str = "en-US") -> Page:
        kind = (server_url, width, colour_scheme, locale)
        profile = profiles.take(*kind)
        taken.append((profile, *kind))
        return profile.open(problems)

    yield open_one
    for profile, *kind in taken:
        profiles.give_back(profile, *kind)
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


LOOKS = [(1440, "light", "en"), (390, "dark", "ja")]
OTHER_LOOKS = [look for look in itertools.product((1440, 390), ("light", "dark"), ("en", "ja")) if look not in LOOKS]


@pytest.fixture(
    params=[*LOOKS, *(pytest.param(look, marks=pytest.mark.full) for look in OTHER_LOOKS)],
    ids=lambda look: "-".join(map(str, look)),
)
def each_look(request: pytest.FixtureRequest, open_page: OpenPage) -> Page:
    """A page at a desk, light and English, and on a phone, dark and Japanese; in the full tier each other look too."""
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


@pytest.fixture
def unplugged(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page without a network, and what goes wrong in it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_offline(True)
    wrong: list[str] = []
    context.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("request", lambda request: request.url.startswith("http") and wrong.append(request.url))
    yield context.new_page(), wrong
    context.close()
