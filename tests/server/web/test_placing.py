"""The application below a path, and the names of hosts it answers to."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from starlette.responses import PlainTextResponse

from server.app import create_app
from server.settings import Settings
from server.web.placing import AllowedHosts, way_up

BARE = {"device": "cpu", "hub_models": (), "preload": False}
HERE = "https://lab.example.org"


def client_of(**settings: object) -> TestClient:
    return TestClient(create_app(Settings(**BARE, **settings)), base_url=HERE, follow_redirects=False)


@pytest.fixture(scope="module")
def offered() -> TestClient:
    return client_of(root_path="/user/ada/observatory/")


@pytest.mark.parametrize(
    ("path", "up"), [("/", "."), ("/rope", "."), ("/embed/rope", ".."), ("/api/docs", ".."), ("/a/b/c", "../..")]
)
def test_the_way_up(path: str, up: str) -> None:
    assert way_up(path) == up


@pytest.mark.parametrize("path", ["/" * 2_000, "/" * 60_000, "/a" * 1_000, "/static" + "/" * 2_000])
def test_no_path_makes_a_large_answer(client: TestClient, path: str) -> None:
    usual = client.get("/nowhere", headers={"Accept": "text/html"})
    answer = client.get(f"http://testserver{path}", headers={"Accept": "text/html"})
    assert answer.status_code == (404 if len(path) <= 2_048 else 414)
    assert len(answer.content) < 1.1 * len(usual.content)


def test_a_page_deep_below_names_the_others_from_the_root(client: TestClient) -> None:
    page = {"Accept": "text/html"}
    assert 'href="../../lessons?' in client.get("/a/b/c", headers=page).text
    assert 'href="/lessons?' in client.get("/a/b/c/d/e/f/g/h/i", headers=page).text


def test_a_path_that_is_too_long_is_said_with_its_bound(client: TestClient, assert_error: Any) -> None:
    assert_error(client.get("/" + "a" * 2_048), 414, "path_too_long", None, 2_048)


@pytest.mark.full
@pytest.mark.parametrize("prefix", ["", "/user/ada/observatory"], ids=["taken away", "left on"])
def test_paths_with_and_without_the_root_path_are_the_same(offered: TestClient, prefix: str) -> None:
    page = offered.get(f"{prefix}/embed/rope")
    assert page.status_code == 200
    assert '<body data-root=".." ' in page.text
    oembed = (
        f"{HERE}/user/ada/observatory/api/oembed?url=https%3A%2F%2Flab.example.org%2Fuser%2Fada%2Fobservatory%2Frope"
    )
    assert oembed in offered.get(f"{prefix}/rope").text
    assert offered.get(f"{prefix}/api/nowhere").json()["error"]["code"] == "not_found"
    deep = offered.get(prefix + "/a" * 9, headers={"Accept": "text/html"})
    assert 'href="/user/ada/observatory/lessons?' in deep.text
    assert offered.delete(f"{prefix}/rope").status_code == 405
    saved = offered.get(f"{prefix}/offline/circle").text
    assert f'data-root="{HERE}/user/ada/observatory"' in saved
    assert f'"live": "{HERE}/user/ada/observatory/"' in saved
    assert "/static/" not in saved.split("<body")[1].split("<script")[0]
    assert offered.get(f"{prefix}/api/openapi.json").json()["servers"] == [{"url": "/user/ada/observatory"}]


def test_redirects_stay_below_the_path(offered: TestClient) -> None:
    assert offered.get("/user/ada/observatory").headers["location"] == "/user/ada/observatory/"
    for path in ("/user/ada/observatory/rope/", "/rope/"):
        assert offered.get(path).headers["location"] == "../rope"
    assert offered.get("/user/ada/observatoryrope").status_code == 404


@pytest.mark.full
def test_oembed_names_the_path_and_only_what_is_below_it_is_ours(offered: TestClient) -> None:
    def ask(address: str) -> object:
        answer = offered.get("/user/ada/observatory/api/oembed", params={"url": address})
        return answer.json()["provider_url"] if answer.status_code == 200 else answer.status_code

    below = f"{HERE}/user/ada/observatory"
    assert ask(f"{below}/circle?n=6") == f"{below}/"
    assert ask(f"{below}/") == ask(below) == f"{below}/"
    assert [ask(f"{HERE}/circle"), ask(f"{HERE}/"), ask(f"{below}circle")] == [404] * 3
    framed = client_of(root_path="/x", frame_ancestors="*")
    html = framed.get("/x/api/oembed", params={"url": f"{HERE}/x/circle?n=6"}).json()["html"]
    assert f'src="{HERE}/x/embed/circle?n=6"' in html


@pytest.mark.full
def test_only_listed_hosts_are_answered() -> None:
    client = client_of(allowed_hosts="lab.example.org, *.school.example")
    for host in (
        "lab.example.org",
        "LAB.example.org:8443",
        "a.school.example",
        "localhost:8000",
        "127.0.0.1",
        "[::1]:80",
    ):
        assert client.get("/healthz", headers={"host": host}).status_code == 200, host
    for host in ("evil.example", "school.example.evil", "lab.example.org.evil", ""):
        refused = client.get("/healthz", headers={"host": host})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "host_not_allowed"), host
        assert "x-content-type-options" in refused.headers
    assert client_of().get("/healthz", headers={"host": "evil.example"}).status_code == 200


@pytest.mark.parametrize(
    ("listens_on", "host", "status"),
    [
        ("127.0.0.1", "evil.example", 400),
        ("127.0.0.1", "localhost.evil.example:8000", 400),
        ("127.0.0.1", "127.0.0.1:8000", 200),
        ("127.0.0.1", "lab.localhost", 200),
        ("127.0.0.5", "127.0.0.5:8000", 200),
        ("127.0.0.5", "evil.example", 400),
        ("::1", "[::1]:8000", 200),
        ("::1", "evil.example", 400),
        ("localhost", "evil.example", 400),
        ("0.0.0.0", "evil.example", 200),  # noqa: S104 - a machine that others reach, under names it does not know
        ("192.0.2.1", "evil.example", 200),
        (None, "evil.example", 200),
    ],
)
def test_on_the_loopback_only_its_own_names_are_answered(listens_on: str | None, host: str, status: int) -> None:
    """A page whose own name is pointed at this machine would otherwise be of our origin."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("answered")(scope, receive, send)

    client = TestClient(AllowedHosts(answer, (), listens_on))
    assert client.get("/", headers={"host": host}).status_code == status
    named = TestClient(AllowedHosts(answer, ("*.evil.example",), listens_on))
    assert named.get("/", headers={"host": "a.evil.example"}).status_code == 200


@pytest.mark.full
def test_a_server_started_by_its_command_does_not_answer_to_a_rebound_name(root: Path) -> None:
    environment = os.environ | {"PORT": "0", "OBSERVATORY_PRELOAD": "false", "OBSERVATORY_HUB_MODELS": ""}
    with subprocess.Popen(
        [sys.executable, "-m", "server"], cwd=root, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            rebound = httpx.get(f"{address}/api/atlases", headers={"Host": "evil.example"})
            assert (rebound.status_code, rebound.json()["error"]["code"]) == (400, "host_not_allowed")
            assert httpx.get(f"{address}/api/atlases").status_code == 200
        finally:
            server.terminate()


@pytest.mark.parametrize(
    "wrong",
    [
        {"root_path": "observatory"},
        {"root_path": "/a//b"},
        {"root_path": "/a?b"},
        {"allowed_hosts": "https://a.example"},
    ],
)
def test_wrong_values_are_refused_at_the_start(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Settings(**wrong)
