"""Giving up whose one is: at both addresses below which a browser keeps the secret, behind whatever proxy."""

from http.cookiejar import CookieJar
from typing import Any

import pytest
from fastapi.testclient import TestClient

from server.app import create_app
from server.settings import Settings
from server.web import owners


def client_of(base_url: str, **settings: Any) -> TestClient:
    """A client of an application where something can be started below each of the two addresses."""
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, **settings))

    @app.post("/api/mine")
    @app.post("/api/models/mine")
    def mine() -> str:
        return owners.claim()

    return TestClient(app, base_url=base_url)


def started(client: TestClient, prefix: str) -> CookieJar:
    """The jar of a browser that has started something at both addresses below which a secret is given."""
    for path in ("/api/mine", "/api/models/mine"):
        client.post(f"{prefix}{path}")
    jar: CookieJar = client.cookies.jar
    assert sorted(each.path for each in jar if each.name == owners.COOKIE) == [f"{prefix}/api", f"{prefix}/api/models"]
    return jar


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("prefix", ["", "/user/ada"])
def test_a_browser_forgets_whose_it_was_wherever_a_proxy_offers_us(prefix: str, scheme: str) -> None:
    client = client_of(f"{scheme}://lab.example.org", root_path=prefix)
    client.cookies.set("theirs", "1", domain="lab.example.org", path="/")
    jar = started(client, prefix)
    for path in ("/api/owner", "/api/models/owner"):
        answer = client.delete(f"{prefix}{path}")
        assert (answer.status_code, answer.content) == (204, b"")
    assert [each.name for each in jar] == ["theirs"]
    assert client.post(f"{prefix}/api/models/mine").json() != owners.NOBODY, "who starts anew is somebody new"


@pytest.mark.full
def test_a_secret_of_a_frame_is_deleted_in_its_own_jar_too() -> None:
    """A browser deletes a partitioned cookie by a partitioned one alone."""
    client = client_of("https://lab.example.org", frame_ancestors="https://slides.example.org")
    said = client.delete("/api/owner").headers.get_list("set-cookie")
    assert sorted(said) == [
        "observatory_owner=; Max-Age=0; HttpOnly; SameSite=None; Secure; Partitioned",
        "observatory_owner=; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    ]


def test_only_our_own_pages_may_have_a_browser_forget(assert_error: Any) -> None:
    lab = client_of("http://lab.example.org")
    for path in ("/api/owner", "/api/models/owner"):
        refused = lab.delete(path, headers={"sec-fetch-site": "cross-site"})
        assert_error(refused, 403, "cross_site")
        assert "set-cookie" not in refused.headers
