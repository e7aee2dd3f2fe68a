"""Error responses have one shape, whoever raises them. The routes here exist only to fail."""

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI, Query
from pydantic import Field
from starlette.testclient import TestClient

from attention_core.masks import sliding_window
from server.app import create_app
from server.requests.bounded import (
    MatrixIn,
    Number,
    RequestModel,
    Seed,
    Temperature,
    Text,
    Vector,
    check_cells,
    check_tokens,
)
from server.settings import Settings
from server.web.errors import ApiError, ErrorBoundary


class Causal(RequestModel):
    kind: Literal["causal"]


class Window(RequestModel):
    kind: Literal["window"]
    window: int


class Probe(RequestModel):
    text: Text = "a"
    vector: Vector = Field(default_factory=lambda: [1.0])
    matrix: MatrixIn = Field(default_factory=lambda: [[1.0]])
    number: Number = 0.0
    temperature: Temperature = 1.0
    seed: Seed = 0
    mask: Annotated[Causal | Window, Field(discriminator="kind")] = Causal(kind="causal")


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(
        device="cpu", hub_models=(), preload=False, max_body_bytes=4096, max_concept_tokens=3, max_concept_cells=6
    )


@pytest.fixture(scope="module")
def client(own_app: FastAPI) -> Iterator[TestClient]:
    app = own_app

    @app.post("/probe")
    def probe(request: Probe) -> Probe:
        return request

    @app.post("/core")
    def core(request: Probe) -> str:
        sliding_window(request.mask.window if isinstance(request.mask, Window) else 0)
        return "fine"

    @app.get("/bounds")
    def bounds(settings_count: Annotated[int, Query(ge=0)], rows: int = 1) -> str:
        check_tokens(app.state.settings, "queries", settings_count)
        check_cells(app.state.settings, "keys", rows, 2)
        return "fine"

    @app.get("/bug")
    def bug() -> str:
        return "abc"[int("7")] + "/secret/path"

    @app.get("/bug-value")
    def bug_value() -> int:
        return int("secret")

    @app.get("/own")
    def own() -> str:
        raise ApiError(409, "model_unavailable", "Not here \ud800.", field="model", headers={"Retry-After": "3"})

    with TestClient(app) as client:
        yield client


@pytest.fixture
def roomy() -> Iterator[TestClient]:
    """The same with room for long bodies."""
    app = create_app(Settings(device="cpu", hub_models=(), preload=False))

    @app.post("/probe")
    def probe(request: Probe) -> Probe:
        return request

    with TestClient(app) as client:
        yield client


def post(client: TestClient, body: str | bytes, path: str = "/probe"):
    return client.post(path, content=body, headers={"content-type": "application/json"})


@pytest.mark.full('{"number": NaN}-number-None')
@pytest.mark.parametrize(
    ("body", "field", "limit"),
    [
        ('{"number": NaN}', "number", None),
        ('{"number": Infinity}', "number", None),
        ('{"number": -Infinity}', "number", None),
        ('{"number": 1e999}', "number", None),
        ('{"number": 1' + "0" * 400 + "}", "number", None),
        ('{"number": 1e10}', "number", 1e9),
        ('{"number": true}', "number", None),
        ('{"number": "1"}', "number", None),
        ('{"number": null}', "number", None),
        ('{"vector": []}', "vector", 1),
        ('{"vector": [1, "x"]}', "vector.1", None),
        ('{"matrix": []}', "matrix", 1),
        ('{"matrix": [[1], []]}', "matrix.1", 1),
        ('{"matrix": [[1, 2], [3]]}', "matrix", None),
        ('{"matrix": [[1, 2], [3, NaN]]}', "matrix.1.1", None),
        ('{"matrix": 3}', "matrix", None),
        ('{"temperature": 0}', "temperature", 1e-6),
        ('{"temperature": -1}', "temperature", 1e-6),
        ('{"seed": -1}', "seed", 0),
        ('{"seed": 1.5}', "seed", None),
        ('{"seed": 1' + "0" * 3000 + "}", "seed", 2**32 - 1),
        ('{"unknown": 1}', "unknown", None),
        ('{"mask": {"kind": "\\ud800"}}', "mask", None),
        ('{"mask": {"kind": "other"}}', "mask", None),
        ('{"mask": {}}', "mask", None),
        ("[]", None, None),
        ("3", None, None),
        ("", None, None),
        ("{", "body", None),
        (b'{"text": "\xff"}', "body", None),
        ('{"number": 1' + "0" * 4000 + "x}", "body", None),
    ],
)
def test_what_is_wrong_with_a_request_is_said(client, assert_error, body, field, limit):
    message = assert_error(post(client, body), 422, "invalid_request", field, limit)
    assert "other" not in message  # what was sent is not sent back


@pytest.mark.full
def test_numbers_too_long_for_python_and_nesting_too_deep_are_no_fault_of_the_server(roomy, assert_error):
    assert_error(post(roomy, '{"seed": ' + "1" * 5000 + "}"), 422, "invalid_request", "body")
    assert_error(post(roomy, "[" * 100_000), 422, "invalid_request", "body")


def test_half_a_surrogate_pair_is_not_text(client, assert_error):
    assert_error(post(client, r'{"text": "a\ud800b"}'), 422, "text_invalid", "text")
    assert_error(post(client, r'{"\ud800": 1}'), 422, "text_invalid")
    assert post(client, r'{"text": "\ud83d\ude00 猫\n"}').json()["text"] == "😀 猫\n"


@pytest.mark.full
def test_a_list_too_long_is_too_large(roomy, assert_error):
    assert post(roomy, '{"vector": [' + "1," * 4095 + "1]}").status_code == 200
    assert_error(post(roomy, '{"vector": [' + "1," * 4096 + "1]}"), 422, "too_large", "vector", 4096)


def test_a_value_error_of_a_mechanism_names_the_field(client, assert_error):
    message = assert_error(
        post(client, '{"mask": {"kind": "window", "window": 0}}', "/core"), 422, "invalid_value", "mask.window"
    )
    assert message == "window must be at least 1, not 0: a position attends at least to itself"


def test_sizes_are_held_against_the_settings(client, assert_error):
    assert client.get("/bounds?settings_count=3&rows=3").status_code == 200
    message = assert_error(client.get("/bounds?settings_count=4"), 422, "too_large", "queries", 3)
    assert "OBSERVATORY_MAX_CONCEPT_TOKENS" in message
    message = assert_error(client.get("/bounds?settings_count=1&rows=4"), 422, "too_large", "keys", 6)
    assert "OBSERVATORY_MAX_CONCEPT_CELLS" in message
    assert_error(client.get("/bounds?settings_count=-1"), 422, "invalid_request", "settings_count", 0)
    assert_error(client.get("/bounds"), 422, "invalid_request", "settings_count")


@pytest.mark.parametrize("path", ["/bug", "/bug-value"])
def test_our_own_mistakes_say_nothing_and_are_logged(client, assert_error, caplog, path):
    message = assert_error(client.get(path), 500, "internal_error")
    assert "secret" not in message
    assert f'GET "{path}" failed' in caplog.text
    assert "Traceback" in caplog.text


def test_a_failure_of_ours_keeps_its_status_and_headers(client, assert_error):
    response = client.get("/own")
    assert assert_error(response, 409, "model_unavailable", "model") == "Not here ?."
    assert response.headers["retry-after"] == "3"


def test_unknown_paths_and_methods(client, assert_error):
    assert_error(client.get("/nothing/here"), 404, "not_found")
    response = client.delete("/probe")
    assert_error(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


def test_a_body_is_refused_at_the_limit_announced_or_not(client, assert_error):
    assert post(client, b" " * 4094 + b"{}").status_code == 200
    assert_error(post(client, b" " * 4097), 413, "body_too_large", "body", 4096)
    announced = client.post("/nothing/here", content=b"{}", headers={"content-length": "9" * 4500})
    assert_error(announced, 413, "body_too_large", "body", 4096)


def test_an_endless_body_is_read_only_up_to_the_limit(client):
    """Spoken to as a server would: the test client collects a whole body before it sends it."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/probe",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")],
    }
    calls = []
    answer = []

    async def receive():
        calls.append(1)
        return {"type": "http.request", "body": b" " * 1024, "more_body": True}

    async def send(message):
        answer.append(message)

    client.portal.call(client.app, scope, receive, send)
    assert len(calls) == 5
    assert answer[0]["status"] == 413
    assert json.loads(answer[1]["body"])["error"]["code"] == "body_too_large"


@pytest.mark.full
def test_every_route_of_the_api_answers_nonsense_in_the_one_shape(roomy, assert_error):
    paths = roomy.get("/api/openapi.json").json()["paths"]
    posts = [path for path, operations in paths.items() if "requestBody" in operations.get("post", {})]
    assert "/api/analyses" in posts
    for path in posts:
        for body in ("{", "", "[]", "3", '"\\ud800"', '{"unknown_field": NaN}', b"\xff\xfe{}"):
            error = post(roomy, body, path).json()["error"]
            assert error["code"] in {"invalid_request", "text_invalid", "tensors_invalid"}, (path, body)
            assert_error(post(roomy, body, path), 422, error["code"], error["field"], error["limit"])
        assert_error(roomy.put(path), 405, "method_not_allowed")


@pytest.mark.parametrize("is_stopping", [True, False])
def test_what_the_stop_of_a_server_cancels_is_refused_in_the_one_shape(is_stopping: bool) -> None:
    sent: list[Any] = []

    async def never(_scope: Any, _receive: Any, _send: Any) -> None:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async def test() -> None:
        state = SimpleNamespace(is_stopping=is_stopping, error_page=None)
        scope = {"type": "http", "method": "GET", "path": "/api/x", "headers": [], "app": SimpleNamespace(state=state)}
        request = asyncio.ensure_future(ErrorBoundary(never)(scope, never, send))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        request.cancel()
        if is_stopping:
            await request
        else:
            with pytest.raises(asyncio.CancelledError):
                await request

    asyncio.run(test())
    assert [each["status"] for each in sent if "status" in each] == [503] * is_stopping
    assert b"".join(each.get("body", b"") for each in sent).count(b"server_busy") == is_stopping
