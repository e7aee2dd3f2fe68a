"""Behind a real nginx, configured as docs/deployment.md says: TLS ends there, and it offers a path of its own."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from socket import create_connection, socket
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from profiles import PATIENCE, Problems, Watch
from serving import serving

from prepare import find_nginx

CLIENT_LEFT = "499"
"""nginx's status of a request whose page was closed before the answer came."""
PREFIX = "/observatory"
NGINX = find_nginx()
FRAME = """
daemon off; {user} pid {folder}/pid; error_log stderr; worker_processes 1;
events {{}}
http {{
    access_log {folder}/asked;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
        {documented}
    }}
}}
"""
CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=127.0.0.1"
)

pytestmark = [
    pytest.mark.skipif(not NGINX, reason="nginx is not installed (apt-get install nginx-light)"),
    pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate, and is not installed"),
]


@pytest.fixture(scope="module", params=["/", ""], ids=["path taken away", "path left on"])
def address(request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application below a path of an nginx that speaks TLS."""
    assert NGINX
    folder = tmp_path_factory.mktemp("nginx")
    subprocess.run(CERTIFICATE.split(), cwd=folder, check=True, capture_output=True)
    found = re.search(r"```nginx\n(.*?)```", (root / "docs/deployment.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found
    settings = {"OBSERVATORY_ROOT_PATH": PREFIX, "OBSERVATORY_TRUSTED_PROXIES": "127.0.0.1"}
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serving(root, folder / "log", **settings) as upstream:
        documented = found[1].replace("http://127.0.0.1:8000/;", f"{upstream}{request.param};")
        assert upstream in documented
        user = "" if os.geteuid() else "user root root;"  # its workers write into our folder
        text = FRAME.format(user=user, folder=folder, port=port, documented=documented)
        (folder / "nginx.conf").write_text(text)
        with subprocess.Popen([NGINX, "-p", folder, "-c", folder / "nginx.conf"]) as nginx:
            try:
                wait_for(port, nginx)
                yield f"https://127.0.0.1:{port}{PREFIX}"
            finally:
                nginx.terminate()
        asked = re.findall(r'"[A-Z]+ (\S+) HTTP[^"]*" (\d+)', (folder / "asked").read_text())
        assert asked
        assert [entry for entry in asked if not entry[0].startswith(f"{PREFIX}/") or int(entry[1]) >= 400] == []


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return when somebody listens."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        assert process.poll() is None, "nginx ended"
        try:
            create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        else:
            return
    pytest.fail("nginx does not listen")


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A watched profile that takes our own certificate."""
    problems = Problems()
    opened = browser.new_context(ignore_https_errors=True, accept_downloads=True, locale="en-US")
    opened.set_default_timeout(PATIENCE)
    Watch(opened, urlsplit(address).netloc, problems)
    yield opened
    opened.close()
    assert problems.verdict() == []


def test_pages_analyse_stream_and_are_saved(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}/?lang=en")
    page.locator("#bench[aria-busy=false]").wait_for()
    page.locator("#text").fill("A dog barks.")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("#tokens")).to_contain_text("bark")
    page.goto(f"{address}/rope?lang=en")
    page.locator("#concept[aria-busy=false]").wait_for()
    with page.expect_download() as saved:
        page.locator("details:has(#save-html) > summary").click()
        page.locator("#save-html").click()
    assert f"{address}/rope" in saved.value.path().read_text("utf-8")  # the link to the live page
    page.goto(f"{address}/training?width=16&heads=2&steps=50")
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^(Learning|Finished)"))  # by server-sent events


def test_what_is_used_elsewhere_names_the_way_from_outside(context: BrowserContext, address: str) -> None:
    page = context.request.get(f"{address}/circle").text()
    link = re.search(r'href="([^"]+/api/oembed[^"]+)"', page)
    assert link
    assert link[1].startswith(f"{address}/api/oembed?url={quote(address, safe='')}%2Fcircle")
    answer = context.request.get(link[1].replace("&amp;", "&")).json()
    assert answer["provider_url"] == f"{address}/"
    assert context.request.get(f"{address}/api/openapi.json").json()["servers"] == [{"url": PREFIX}]


def test_neither_long_addresses_nor_large_uploads_end_at_the_proxy(context: BrowserContext, address: str) -> None:
    assert context.request.get(f"{address}/circle?note={'x' * 60_000}").status == 200
    tokens = 300  # 1 / 300 has twenty digits
    uniform = [[[[1 / tokens] * tokens] * tokens]]
    body = json.dumps({"weights": uniform, "tokens": [str(index) for index in range(tokens)]})
    assert len(body) > 1_000_000
    sent = context.request.post(f"{address}/api/tensors", data=body, headers={"Content-Type": "application/json"})
    assert sent.status == 200, sent.text()
    assert (sent.json()["layers"], sent.json()["heads"]) == (1, 1)
