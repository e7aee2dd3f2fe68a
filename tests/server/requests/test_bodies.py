"""Request bodies: every route bounds what it reads, and never parses what it refuses. No timing here."""

import asyncio
import json
from typing import Annotated, Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from server.app import create_app
from server.requests import bodies
from server.requests.additive_options import AdditiveOptions, AdditiveWeightsIn
from server.requests.bodies import SMALL, BodyRoute, Reader
from server.requests.body_room import MOST_VALUES, Room, room_for
from server.requests.mask_options import MaskOptions
from server.routes import ROUTERS
from server.routes.analyses import tensors
from server.routes.atlases import corpora
from server.routes.concepts.linear import LinearRequest
from server.routes.concepts.scoring import PositionOptions, ScoringRequest
from server.settings import Settings
from server.web.errors import ApiError

MEBIBYTE = 2**20
LONG_TEXTS = {
    *(
        "/api/analyses",
        "/api/analyses/image",
        "/api/analyses/sound",
        "/api/film",
        "/api/prompts",
        "/api/talk",
        "/api/truncation",
    )
}
"""Whose bodies may be longer than a concept's."""


def routes() -> list[APIRoute]:
    return [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def readers() -> dict[str, Reader]:
    """Of every route that takes JSON, by its path."""
    return {route.path: route.reader for route in routes() if isinstance(route, BodyRoute) and route.reader}


def test_every_route_bounds_its_body() -> None:
    assert [route.path for route in routes() if route.include_in_schema and not isinstance(route, BodyRoute)] == []
    unbounded = {route.path for route in routes() if "POST" in route.methods} - set(readers())
    assert {path for path in unbounded if "{" not in path} == {tensors.router.prefix, corpora.router.prefix}, (
        "which bound their own"
    )


def test_concepts_take_a_megabyte_at_most_and_as_little_as_they_need() -> None:
    settings = Settings()
    limits = {path: reader.limit(settings) for path, reader in readers().items()}
    assert len(limits) > 30
    assert {path for path, limit in limits.items() if limit > MEBIBYTE} == LONG_TEXTS
    assert limits["/api/analyses"] == settings.max_body_bytes
    assert limits["/api/kv_cache"] == limits["/api/training"] == 64 * 1024  # a handful of numbers
    assert limits["/api/softmax"] == 4_096 * 32 + 756  # as many logits as a vector has, and little else
    assert limits["/api/scoring"] == MEBIBYTE
    small = Settings(max_concept_bytes=2_000, max_body_bytes=5_000)
    assert readers()["/api/scoring"].limit(small) == 2_000
    assert readers()["/api/analyses"].limit(small) == 5_000


@pytest.mark.full
def test_a_body_over_its_route_s_limit_is_refused_unread(
    client: TestClient, assert_error: Any, monkeypatch: Any
) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(Reader, "_parse", lambda _self, body: parsed.append(body))
    settings = Settings()
    for path, reader in readers().items():
        limit = reader.limit(settings)
        body = b"[" + b"{}," * (limit // 3 + 1)
        json_type = {"content-type": "application/json"}
        answer = client.post(path, content=body, headers=json_type)
        assert_error(answer, 413, "body_too_large", "body", limit)
        if limit > MEBIBYTE:
            continue
        chunked = client.post(path, content=iter([body]), headers=json_type)
        assert_error(chunked, 413, "body_too_large", "body", limit)
    assert parsed == []


JUNK = {
    "objects": b'{"inputs": [' + b"{}," * 40_000 + b"{}]}",
    "names": b"{" + b",".join(b'"a%d": 1' % i for i in range(10_000)) + b"}",
    "names in texts": b'{"\\\\": "\\"", ' + b",".join(b'"\\"%d": 1' % i for i in range(10_000)) + b"}",
    "nested": b'{"inputs": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
}


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
@pytest.mark.parametrize("path", ["/api/linear", "/api/scoring", "/api/kv_cache", "/api/analyses", "/api/order"])
def test_junk_is_refused_by_what_it_holds_before_it_is_parsed(
    client: TestClient, path: str, junk: bytes, monkeypatch: Any
) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(Reader, "_parse", lambda _self, body: parsed.append(body))
    answer = client.post(path, content=junk, headers={"content-type": "application/json"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) in {
        (422, "too_large"),
        (422, "invalid_request"),  # nested deeper than any parser goes
        (413, "body_too_large"),
    }
    assert len(answer.content) < 500
    assert parsed == []


def test_room_is_what_the_bounds_come_to() -> None:
    adapter = TypeAdapter(ScoringRequest)
    room = room_for(adapter, characters=100)
    assert room.objects == 5  # the request, mask, positions, additive and its weights
    parts = (ScoringRequest, MaskOptions, PositionOptions, AdditiveOptions, AdditiveWeightsIn)
    assert room.names == sum(len(part.model_fields) for part in parts)
    assert room_for(TypeAdapter(LinearRequest), characters=100).texts == 8
    assert room_for(TypeAdapter(Annotated[str, "text"]), characters=100).size == 1_232
    with pytest.raises(ApiError, match=rf"\({MOST_VALUES}\)"):
        room.check(b'{"queries": [[' + b"1," * (MOST_VALUES + 1) + b"1]]}")


def test_texts_hold_whatever_they_like() -> None:
    room = Room(10**6, texts=4, names=2, objects=1, arrays=0, values=3)
    room.check(json.dumps({"text": '[{,"\\' * 1_000, 'other"': "\\\\"}).encode())
    with pytest.raises(ApiError):
        room.check(json.dumps({"text": "a", "more": ["b"]}).encode())


def test_wrong_numbers_without_end_are_few_errors() -> None:
    adapter = readers()["/api/analyses"]._adapter
    edges = json.dumps([["x", "x"]] * 4_000)
    change = f'{{"kind": "cut_edges", "layer": 0, "heads": [0.5, 0.5], "edges": {edges}}}'
    body = f'{{"model": "a", "text": "b", "interventions": [{",".join([change] * 20)}]}}'
    with pytest.raises(ValueError, match="validation error") as caught:
        adapter.validate_json(body)
    assert caught.value.error_count() <= 4  # type: ignore[attr-defined]  # heads: two kinds; edges; no others


def test_small_bodies_are_parsed_in_place_and_large_ones_in_a_thread(client: TestClient, monkeypatch: Any) -> None:
    away: list[object] = []
    parsing = bodies.parsing

    async def noted(call: Any, *given: Any) -> Any:
        away.append(call)
        return await parsing(call, *given)

    monkeypatch.setattr(bodies, "parsing", noted)
    body = b'{"scores": [1, 2]}'
    headers = {"content-type": "application/json"}
    assert client.post("/api/softmax", content=body, headers=headers).status_code == 200
    assert away == []
    assert client.post("/api/softmax", content=body + b" " * SMALL, headers=headers).status_code == 200
    assert len(away) == 1


def test_a_body_that_dawdles_is_given_up(assert_error: Any) -> None:
    app: FastAPI = create_app(Settings(device="cpu", hub_models=(), preload=False, body_timeout_s=0.01))
    answered: list[Any] = []

    async def never() -> Any:
        if answered:
            raise AssertionError("asked again")
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        answered.append(message)

    with TestClient(app) as client:
        headers = [(b"content-type", b"application/json"), (b"content-length", b"100")]
        scope = {"type": "http", "method": "POST", "path": "/api/kv_cache", "query_string": b"", "headers": headers}
        client.portal.call(client.app, scope, never, send)
    error = json.loads(answered[1]["body"])["error"]
    assert (answered[0]["status"], error["code"], error["limit"]) == (408, "timeout", 0.01)
