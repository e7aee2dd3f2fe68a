"""Fixtures: the real application with a packaged model, without network access."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

ErrorCheck = Callable[..., str]


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(device="cpu", hub_models=(), preload=False)


@pytest.fixture(scope="module")
def app(settings: Settings) -> FastAPI:
    return create_app(settings)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


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
