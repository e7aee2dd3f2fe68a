"""Who asks, by a secret: how it comes, how it is given, what is compared; and that each page has its own jar."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from server.app import create_app
from server.settings import Settings
from server.web import owners
from server.web.errors import ApiError

SECRET = "abcdefghijklmnopqrstuv"  # noqa: S105
MARK = hashlib.sha256(SECRET.encode()).hexdigest()
BARE = {"device": "cpu", "hub_models": (), "preload": False}


@contextmanager
def asking(secret: str = "") -> Iterator[None]:
    token = owners._asking.set(owners._Asking(secret))
    try:
        yield
    finally:
        owners._asking.reset(token)


def asked_by(app: FastAPI) -> FastAPI:
    @app.get("/whose")
    def whose() -> str:
        return owners.owner()

    @app.post("/api/mine")
    def mine() -> str:
        return owners.claim()

    return app


def client_of(base_url: str, **settings: Any) -> TestClient:
    return TestClient(asked_by(create_app(Settings(**BARE, **settings))), base_url=base_url)


@pytest.fixture(scope="module")
def lab() -> TestClient:
    """A client of an application that keeps nothing."""
    return client_of("http://lab.example.org")


def test_a_mark_is_the_hash_of_a_secret_and_nobody_has_none() -> None:
    assert owners.owner() == owners.claim() == owners.NOBODY  # the server itself
    with asking():
        assert owners.owner() == owners.NOBODY
        mine = owners.claim()
        assert owners.owner() == owners.claim() == mine
        assert len(mine) == 64
        assert owners.is_mine({mine, MARK})
        assert not owners.is_mine({MARK})
    with asking(SECRET):
        assert owners.owner() == owners.claim() == MARK
        assert owners.is_mine([MARK])
    assert not owners.is_mine({owners.NOBODY})


@pytest.mark.parametrize(
    ("whose", "allowed", "code"),
    [
        ("mine", True, None),
        ("mine", False, "deletion_forbidden"),
        ("another's", True, "not_yours"),
        ("another's", False, "not_yours"),
        ("nobody's", True, None),
        ("nobody's", False, "deletion_forbidden"),
    ],
)
def test_who_may_delete_what_is_kept(whose: str, allowed: bool, code: str | None) -> None:
    known = {"mine": {MARK, "1" * 64}, "another's": {"1" * 64}, "nobody's": set()}[whose]
    settings = Settings(**BARE, allow_deletion=allowed)
    with asking(SECRET):
        assert owners.may_end(known, settings) is (code is None)
        if code is None:
            owners.check_may_end(known, settings)
            return
        with pytest.raises(ApiError) as refused:
            owners.check_may_end(known, settings)
        assert (refused.value.status, refused.value.code) == (403, code)


@pytest.mark.parametrize(
    ("cookie", "mark"),
    [
        (f"observatory_owner={SECRET}", MARK),
        (f"a=b; observatory_owner={SECRET}; c=d", MARK),
        (f'=;a;;observatory_owner={SECRET};bad cookie[]="', MARK),
        (f"observatory_owner={SECRET}; observatory_owner={'z' * 30}", MARK),
        (f"observatory_owner=short; observatory_owner={SECRET}", MARK),
        ("observatory_owner=", ""),
        (f"observatory_owner={SECRET[1:]}", ""),
        (f"observatory_owner={SECRET}é", ""),
        (f"observatory_owner={SECRET} {SECRET}", ""),
        (f"observatory_owner={'a' * 129}", ""),
        (f"observatory_owners={SECRET}", ""),
        (f"Observatory_owner={SECRET}", ""),
        ("", ""),
    ],
)
def test_only_a_well_formed_secret_is_one(lab: TestClient, cookie: str, mark: str) -> None:
    assert lab.get("/whose", headers={"cookie": cookie.encode("latin-1")}).json() == mark


@pytest.mark.full
def test_a_secret_is_given_to_who_starts_something_and_never_otherwise() -> None:
    client = client_of("http://lab.example.org")
    for path in ("/", "/circle", "/whose", "/api/openapi.json", "/healthz"):
        if path != "/":
            assert "set-cookie" not in client.get(path).headers
    given = client.post("/api/mine")
    cookie = given.headers["set-cookie"]
    secret = cookie.partition("=")[2].partition(";")[0]
    assert len(secret) >= 22
    assert given.json() == hashlib.sha256(secret.encode()).hexdigest()
    assert cookie == f"observatory_owner={secret}; Max-Age=31536000; HttpOnly; SameSite=Strict"
    assert client.post("/api/mine").json() == given.json()
    assert client_of("http://lab.example.org").post("/api/mine").json() != given.json()


@pytest.mark.full
@pytest.mark.parametrize(
    ("scheme", "ancestors", "attributes"),
    [
        ("http", "'self'", "HttpOnly; SameSite=Strict"),
        ("http", "*", "HttpOnly; SameSite=Strict"),
        ("https", "'self'", "HttpOnly; SameSite=Strict; Secure"),
        ("https", "https://slides.example.org", "HttpOnly; SameSite=None; Secure; Partitioned"),
    ],
)
def test_a_frame_of_another_site_has_a_cookie_of_its_own_where_tls_is(
    scheme: str, ancestors: str, attributes: str
) -> None:
    client = client_of(f"{scheme}://lab.example.org", frame_ancestors=ancestors)
    assert client.post("/api/mine").headers["set-cookie"].endswith(f"Max-Age=31536000; {attributes}")


@pytest.mark.full
@pytest.mark.parametrize("prefix", ["", "/user/ada"])
def test_the_cookie_belongs_to_the_api_s_addresses_wherever_a_proxy_offers_them(prefix: str) -> None:
    client = client_of("http://lab.example.org", root_path=prefix)
    client.post(f"{prefix}/api/mine")
    jar: CookieJar = client.cookies.jar
    assert [(each.name, each.path) for each in jar] == [("observatory_owner", f"{prefix}/api")]
