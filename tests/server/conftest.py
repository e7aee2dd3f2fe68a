"""Fixtures: the real application with a packaged model, without network access.

Modules share one application and what it keeps. A module that asks what is kept or counted, or that changes the
application, overrides ``client`` with one made from ``own_app``; one with other settings overrides ``settings``.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings
from server.web import clients

ErrorCheck = Callable[..., str]
Beside = Callable[[TestClient, str], TestClient]
DEFAULTS = Settings(device="cpu", hub_models=(), preload=False)


@pytest.fixture(scope="session", autouse=True)
def _imported_once() -> None:
    """Runs, scans and servers of their own begin with what they need, unless this process has begun one before."""
    needed = ["server.serving", "attention_core.atlas.worker", "attention_core.training.preload"]
    multiprocessing.get_context("forkserver").set_forkserver_preload(needed)
    forkserver.ensure_running()


@pytest.fixture(autouse=True)
def _nobody_asks() -> Iterator[None]:
    """A test that names its client does so for itself alone."""
    token = clients._asking.set(clients.NOBODY)
    yield
    clients._asking.reset(token)


@pytest.fixture(scope="session")
def shared_client() -> Iterator[TestClient]:
    """A client of the application that modules share; building one takes seconds."""
    with TestClient(create_app(DEFAULTS)) as client:
        yield client


@pytest.fixture(scope="module")
def settings() -> Settings:
    return DEFAULTS


@pytest.fixture(scope="module")
def own_app(settings: Settings) -> FastAPI:
    """An application that no other module uses."""
    return create_app(settings)


@pytest.fixture(scope="module")
def client(settings: Settings, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    if settings is DEFAULTS:
        client = request.getfixturevalue("shared_client")
        yield client
        client.cookies.clear()
        return
    with TestClient(request.getfixturevalue("own_app")) as client:
        yield client


@pytest.fixture(scope="module")
def app(client: TestClient) -> FastAPI:
    """The client's application."""
    return client.app  # type: ignore[return-value]


@pytest.fixture
def beside() -> Beside:
    """Another client, at this address, of an application that is running, without anything that the first was given."""

    def another(client: TestClient, address: str) -> TestClient:
        other = TestClient(client.app, client=(address, 50_000))
        other.portal = client.portal
        return other

    return another


@pytest.fixture
def stranger(client: TestClient, beside: Beside) -> TestClient:
    """Somebody else at another address, who asks the same application."""
    return beside(client, "192.0.2.77")


@pytest.fixture
def assert_error() -> ErrorCheck:
    """Check the one error shape, whole; gives the message, for whoever wants to read it."""

    def check(response: Any, status: int, code: str, field: str | None = None, limit: float | None = None) -> str:
        body = response.json()
        assert response.status_code == status, body
        message = body["error"]["message"]
        assert body == {"error": {"code": code, "message": message, "field": field, "limit": limit}}
        assert message
        assert "Traceback" not in message
        assert "\n" not in message
        return message

    return check
