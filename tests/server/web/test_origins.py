"""Pages of other sites change nothing, whatever they ask; our own pages and programs do, behind proxies too."""

import itertools
import re
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.routing import Route

from server.app import create_app
from server.settings import Settings

BARE = {"device": "cpu", "hub_models": (), "preload": False}
SCORES = {"scores": [1.0, 2.0]}
TEXT = {"content": b"A text of mine.", "params": {"name": "mine.txt"}}
ELSEWHERE = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site", "origin": "https://lab.example.org"},
    {"sec-fetch-site": "something new"},
    {"origin": "https://elsewhere.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "file://"},
    {"origin": "https://lab.example.org:8443"},
    {"origin": "http://lab.example.org"},
    {"origin": "https://lab.example.org.elsewhere.example"},
    {"origin": "https://lab.example.org@elsewhere.example"},
    {"origin": "https://elsewhere.example/lab.example.org"},
    {"origin": "https://[::1"},
    {"origin": "https://lab.example.org:port"},
    {"origin": "chrome-extension://lab.example.org"},
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return create_app(Settings(**BARE, atlases_dir=tmp_path_factory.mktemp("atlases")))


def status(app: FastAPI, headers: dict[str, str], host: str = "lab.example.org:443") -> int:
    with_host = TestClient(app, base_url="http://lab.example.org")  # TLS has ended before
    return with_host.post("/api/softmax", json=SCORES, headers={"host": host, **headers}).status_code


@pytest.mark.parametrize("headers", ELSEWHERE, ids=str)
def test_other_sites_are_refused(shared: FastAPI, headers: dict[str, str], assert_error: Any) -> None:
    client = TestClient(shared, base_url="http://lab.example.org:443")
    for send in (
        lambda: client.post("/api/corpora", **TEXT, headers=headers),
        lambda: client.post("/api/tensors", content=b"{}", headers=headers | {"content-type": "text/plain"}),
        lambda: client.post("/api/softmax", json=SCORES, headers=headers),
        lambda: client.delete("/api/corpora/probe", headers=headers),
    ):
        answer = send()
        assert_error(answer, 403, "cross_site")
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.full("lab.example.org-{}")
@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("lab.example.org", {}),
        ("lab.example.org", {"sec-fetch-site": "same-origin"}),
        ("lab.example.org", {"sec-fetch-site": "none"}),
        ("inside:8000", {"sec-fetch-site": "same-origin", "origin": "https://lab.example.org"}),
        ("lab.example.org", {"origin": "https://lab.example.org"}),
        ("lab.example.org", {"origin": "http://lab.example.org"}),
        ("LAB.example.org:443", {"origin": "https://lab.example.org"}),
        ("lab.example.org:8000", {"origin": "http://lab.example.org:8000"}),
        ("lab.example.org:80", {"origin": "http://Lab.example.org"}),
        ("[::1]:8000", {"origin": "http://[::1]:8000"}),
        ("inside:8000", {"origin": "https://lab.example.org", "x-forwarded-host": "lab.example.org"}),
        ("inside:8000", {"origin": "https://lab.example.org", "x-forwarded-host": "lab.example.org, inside:8000"}),
    ],
    ids=str,
)
def test_our_own_pages_and_programs_are_not(shared: FastAPI, host: str, headers: dict[str, str]) -> None:
    assert status(shared, headers, host) == 200


@pytest.mark.full
@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://lab.example.org", 200),
        ("http://lab.example.org", 200),
        ("http://lab.example.org:8000", 200),
        ("https://LAB.example.org", 200),
        ("https://lab.example.org:8443", 403),
        ("https://a.school.example", 403),
        ("https://elsewhere.example", 403),
    ],
)
def test_a_listed_name_counts_where_a_proxy_names_another(origin: str, expected: int) -> None:
    """At its usual port, or at the one that was asked. Under a pattern others may be at home."""
    app = create_app(Settings(**BARE, allowed_hosts="lab.example.org, *.school.example"))
    assert status(app, {"origin": origin}, "127.0.0.1:8000") == expected


@pytest.mark.full
@pytest.mark.parametrize("prefix", ["", "/user/ada"])
def test_a_path_before_ours_changes_nothing(prefix: str, assert_error: Any) -> None:
    client = TestClient(create_app(Settings(**BARE, root_path="/user/ada")), base_url="https://lab.example.org")
    own, other = {"origin": "https://lab.example.org"}, {"origin": "https://elsewhere.example"}
    assert client.post(f"{prefix}/api/softmax", json=SCORES, headers=own).status_code == 200
    assert_error(client.post(f"{prefix}/api/softmax", json=SCORES, headers=other), 403, "cross_site")


@pytest.mark.gate
def test_no_route_that_changes_anything_is_outside(shared: FastAPI, assert_error: Any) -> None:
    """By the routes that the application has, not by a list."""
    client = TestClient(shared)
    asked = [
        (method, re.sub(r"{(\w+)(:path)?}", "0123456789abcdef", route.path))
        for route in [one for each in shared.routes for one in getattr(each, "original_router", shared).routes]
        if isinstance(route, Route)
        for method in sorted((route.methods or set()) - {"GET", "HEAD", "OPTIONS"})
    ]
    assert {"POST", "DELETE"} == {method for method, _ in asked}
    assert len(asked) > 60
    for (method, path), headers in itertools.product(asked, ELSEWHERE[:1] + ELSEWHERE[4:5]):
        answer = client.request(method, path, headers=headers, content=b"{}")
        assert_error(answer, 403, "cross_site")
    assert_error(client.put("/nowhere", headers=ELSEWHERE[0]), 403, "cross_site")


def test_what_a_page_elsewhere_may_ask_is_read_only(shared: FastAPI) -> None:
    """A link or a picture asks with GET, and it asks of no address that only a POST belongs to."""
    client = TestClient(shared)
    for headers in ELSEWHERE:
        assert client.get("/circle", headers=headers).status_code == 200
        assert client.options("/api/corpora", headers=headers).status_code == 204


@pytest.mark.full
def test_a_flood_from_elsewhere_puts_nothing_out(shared: FastAPI) -> None:
    with TestClient(shared) as client:
        mine = client.post("/api/corpora", **TEXT).json()["id"]
        for number in range(17):
            body = f"Flood {number}.".encode()
            client.post(
                "/api/corpora", params={"name": "a.txt"}, content=body, headers={"origin": "https://elsewhere.example"}
            )
        uploads = [each["id"] for each in client.get("/api/corpora").json()["corpora"] if each["uploaded"]]
        assert uploads == [mine]
