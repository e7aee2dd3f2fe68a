"""The id of a request on its whole way, and the log of requests, on the real application."""

import json
import logging
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.cluster.forwarding import Forward, Forwarded, answer
from server.settings import Settings
from server.web.access_log import RequestIds

PRIVATE = "Quokka"
QUIET = Settings(device="cpu", hub_models=(), preload=False)


def lines(written: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.splitlines()]


def test_an_id_is_taken_if_well_formed_else_made_and_returned(client):
    for given in ("a-1.b_2", "0" * 128, "550e8400-e29b-41d4-a716-446655440000"):
        assert client.get("/healthz", headers={"X-Request-ID": given}).headers["x-request-id"] == given
    made = set()
    for wrong in ("", "two words", "x" * 129, '{"a":1}', "a;b", "ü".encode("latin-1")):
        answered = client.get("/healthz", headers={"X-Request-ID": wrong})
        assert re.fullmatch("[0-9a-f]{32}", answered.headers["x-request-id"])
        made.add(answered.headers["x-request-id"])
    assert len(made) == 6
    refused = client.get("/api/analyses/none", headers={"X-Request-ID": "mine"})
    assert (refused.status_code, refused.headers.get_list("x-request-id")) == (404, ["mine"])


@pytest.mark.full
def test_an_error_on_the_server_is_logged_with_the_id(caplog):
    app = create_app(QUIET)

    @app.get("/test-break")
    async def fail() -> None:
        raise RuntimeError("broken")

    with TestClient(app) as client:
        answered = client.get("/test-break", headers={"X-Request-ID": "find-me"})
    assert (answered.status_code, answered.headers["x-request-id"]) == (500, "find-me")
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(logged) == 1
    assert "find-me" in logged[0].getMessage()


def test_nothing_is_written_unless_it_is_asked_for(client, capsys):
    client.get("/healthz")
    assert capsys.readouterr().out == ""


@pytest.mark.full
def test_each_request_is_a_line_without_any_text_of_users(capsys):
    with TestClient(create_app(QUIET.model_copy(update={"access_log": True}))) as client:
        text = {"model": "observatory-gpt2-mini", "text": f"{PRIVATE} sat."}
        analysis = client.post("/api/analyses", json=text, headers={"X-Request-ID": "one"})
        client.get(f"/?text={PRIVATE}", headers={"Referer": f"http://testserver/?text={PRIVATE}"})
        client.get(f"/{PRIVATE}")
        client.get(f"/api/analyses/{PRIVATE}")
        client.request(PRIVATE.upper(), "/healthz")
    written = capsys.readouterr().out
    assert PRIVATE.lower() not in written.lower()
    found = lines(written)
    assert [(line["method"], line["route"], line["status"], line["error"]) for line in found] == [
        ("POST", "/api/analyses", 200, None),
        ("GET", "/", 200, None),
        ("GET", "unmatched", 404, "not_found"),
        ("GET", "/api/analyses/{analysis_id}", 404, "analysis_expired"),
        ("other", "unmatched", 405, "method_not_allowed"),
    ]
    first = found[0]
    assert (first["request_id"], first["client"]) == ("one", "testclient")
    assert first["bytes"] == int(analysis.headers["content-length"])
    assert 0 < first["seconds"] < 60
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])
    assert len({line["request_id"] for line in found}) == len(found)


@pytest.mark.full
@pytest.mark.parametrize("given", ["from-the-client", None])
def test_a_forwarded_request_keeps_its_id(given):
    """The replica, another application, is given the id that the answer has."""
    replica, pages = create_app(QUIET), create_app(QUIET)
    forwarded: list[bytes] = []

    async def target(request: Forwarded) -> AsyncIterator[Any]:
        forwarded.extend(value for name, value in request.scope["headers"] if name == b"x-request-id")
        async for message in answer(replica, request):
            yield message

    pages.add_middleware(Forward, settings=QUIET, target=target)
    pages.add_middleware(RequestIds)
    with TestClient(replica), TestClient(pages) as client:
        headers = {} if given is None else {"X-Request-ID": given}
        answered = client.post("/api/softmax", json={"scores": [1, 2]}, headers=headers)
    returned = answered.headers.get_list("x-request-id")
    assert answered.status_code == 200
    assert [each.decode() for each in forwarded] == returned
    assert given in {None, returned[0]}
