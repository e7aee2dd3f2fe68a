"""Behind a reverse proxy, below a path that the server does not know of: every request stays below it and succeeds."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import OpenPage
from playwright.sync_api import Page, expect
from reverse_proxy import Proxy, proxied
from serving import serving

PREFIX = "/user/ada/proxy/8000"
DRAWN = "#concept[aria-busy=false]"


@pytest.fixture(scope="module")
def proxy(root: Path, atlases_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A server that trusts the proxy in front of it."""
    settings = {"OBSERVATORY_ATLASES_DIR": str(atlases_folder), "FORWARDED_ALLOW_IPS": "127.0.0.1"}
    log = tmp_path_factory.mktemp("proxied") / "log"
    with serving(root, log, **settings) as upstream, proxied(upstream, PREFIX) as found:
        yield found


@pytest.fixture
def server_url(proxy: Proxy) -> str:
    """Pages are watched for requests to any other host."""
    place = urlsplit(proxy.address)
    return f"{place.scheme}://{place.netloc}"


def explore(page: Page, address: str) -> None:
    """The Explorer: an analysis, a view that is loaded later, the way to the atlas."""
    page.goto(f"{address}/?lang=en")
    page.locator("#bench[aria-busy=false]").wait_for()
    page.locator("#text").fill("A dog barks.")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("#tokens")).to_contain_text("bark")
    page.get_by_role("tab", name="Rollout").click()
    expect(page.locator("#panel-rollout svg, #panel-rollout canvas").first).to_be_visible()
    expect(page.locator("#to-atlas")).to_have_attribute("href", re.compile(r"^\./atlas\?"))


def test_every_request_stays_below_the_path_and_succeeds(open_page: OpenPage, proxy: Proxy, server_url: str) -> None:
    page, address = open_page(), proxy.address
    explore(page, address)
    page.locator(".menu summary").first.click()
    page.locator(".menu-groups").get_by_role("link", name="RoPE").click()
    page.locator(DRAWN).wait_for()
    assert page.url == f"{address}/rope?lang=en"
    page.get_by_label("Position", exact=False).first.press("ArrowRight")
    page.locator(DRAWN).wait_for()
    with page.expect_download() as saved:
        page.locator("details:has(#save-html) > summary").click()
        page.locator("#save-html").click()
    assert "<title>" in saved.value.path().read_text("utf-8")
    for path in ("/embed/circle?lang=ja", "/scaling", "/atlas"):
        page.goto(address + path)
        page.locator(DRAWN).wait_for()
    page.goto(f"{address}/api/docs")
    expect(page.locator(".swagger-ui .info")).to_be_visible()
    page.goto(f"{address}/training?width=16&heads=2&steps=50")
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^(Learning|Finished)"))  # by server-sent events
    page.goto("about:blank")
    outside = [entry for entry in proxy.asked if not entry[0].startswith(f"{PREFIX}/")]
    assert outside == []
    assert [entry for entry in proxy.asked if entry[1] >= 400] == []
    assert {"/api/analyses", "/rope", "/api/rope", "/api/docs"} <= {
        urlsplit(path).path.removeprefix(PREFIX) for path, _ in proxy.asked
    }
    link = page.request.get(f"{address}/circle").text()
    assert f'href="https://{urlsplit(server_url).netloc}/api/oembed' in link  # TLS ends at the proxy
