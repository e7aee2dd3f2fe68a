"""Turns of clients in the threads that compute, and that no route has another way into a thread."""

import ast
import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextvars import copy_context
from inspect import isasyncgenfunction, iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest
from anyio import CapacityLimiter
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from server.app import create_app
from server.requests.turns import Lines, Turns, aside, in_turn, lines, lines_of, open_lines, parsing, turn_by_turn
from server.requests.usage import Usage
from server.routes.figure_routes import FigureRoute
from server.settings import Settings
from server.web import clients
from server.web.errors import ApiError
from server.web.openapi.body_examples import DECODER, EXAMPLES


def asked_by(client: str, ask: Callable[[], Awaitable[Any]]) -> "asyncio.Task[Any]":
    """A request of this client's, begun."""

    async def request() -> Any:
        clients._asking.set(client)
        return await ask()

    return asyncio.get_running_loop().create_task(request(), context=copy_context())


class Bench:
    """Two turns, one a client's, of calls that last until ``open``; notes in what order they end."""

    def __init__(self) -> None:
        self.turns = Turns(2, 1, line=4, client_line=2)
        self.gate = threading.Event()
        self.order: list[str] = []

    def ask(self, client: str, key: str) -> "asyncio.Task[str]":
        def call() -> str:
            assert self.gate.wait(20)
            self.order.append(key)
            return key

        return asked_by(client, lambda: self.turns.run(call))


async def _settled() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_one_client_has_half_and_its_line_and_another_goes_past_it() -> None:
    async def test() -> None:
        bench = Bench()
        crowd = [bench.ask("crowd", f"crowd {index}") for index in range(3)]
        await _settled()
        assert (bench.turns.running, bench.turns.waiting) == (1, 2)
        with pytest.raises(ApiError) as refused:
            await bench.ask("crowd", "too much")
        assert (refused.value.status, refused.value.code, refused.value.limit) == (429, "too_many_requests", 2)
        other = bench.ask("other", "other")
        await _settled()
        assert (bench.turns.running, bench.turns.waiting) == (2, 2), "it runs at once"
        more = [bench.ask("other", "more"), bench.ask("third", "third")]
        await _settled()
        with pytest.raises(ApiError) as full:
            await bench.ask("fourth", "too much")
        assert (full.value.status, full.value.code) == (503, "server_busy")
        bench.gate.set()
        await asyncio.gather(*crowd, other, *more)
        assert sorted(bench.order) == ["crowd 0", "crowd 1", "crowd 2", "more", "other", "third"]
        assert (bench.turns.running, bench.turns.waiting) == (0, 0)

    asyncio.run(test())


def test_who_leaves_gives_the_place_to_the_next() -> None:
    async def test() -> None:
        bench = Bench()
        runs, waits, goes_on = (bench.ask("crowd", key) for key in ("runs", "waits", "goes on"))
        await _settled()
        waits.cancel()
        await asyncio.wait([waits])
        assert (bench.turns.running, bench.turns.waiting) == (1, 1)
        bench.gate.set()
        assert await asyncio.gather(runs, goes_on) == ["runs", "goes on"]
        assert (bench.turns.running, bench.turns.waiting) == (0, 0)

    asyncio.run(test())


def test_who_leaves_in_the_moment_of_being_called_gives_it_on() -> None:
    async def test() -> None:
        turns = Turns(1, 1, line=4, client_line=4)
        await turns._wait("first")
        called, after = (asked_by(client, lambda: turns.run(lambda: "ran")) for client in ("second", "third"))
        await _settled()
        assert turns.waiting == 2
        turns._leave("first")
        called.cancel()
        assert await after == "ran"
        assert (turns.running, turns.waiting) == (0, 0)

    asyncio.run(test())


def test_the_server_itself_has_no_share() -> None:
    async def test() -> None:
        bench = Bench()
        own = [bench.ask("", str(index)) for index in range(6)]
        await _settled()
        assert (bench.turns.running, bench.turns.waiting) == (2, 4)
        bench.gate.set()
        await asyncio.gather(*own)

    asyncio.run(test())


def test_who_has_had_more_waits_for_another_s_call_and_no_longer() -> None:
    async def test() -> None:
        usage = Usage()
        turns, gate = Turns(4, 2, line=8, client_line=8, usage=usage), threading.Event()
        usage.begin("crowd", asyncio.get_running_loop().time() - 60)
        usage.end("crowd", asyncio.get_running_loop().time())
        other = asked_by("other", lambda: turns.run(lambda: gate.wait(20)))
        await _settled()
        crowd = [asked_by("crowd", lambda: turns.run(str)) for _ in range(3)]
        await _settled()
        assert (turns.running, turns.waiting) == (1, 3), "there is room, and it is not taken"
        gate.set()
        await asyncio.gather(other, *crowd)
        assert (turns.running, turns.waiting) == (0, 0)

    asyncio.run(test())


def test_who_waits_for_another_s_long_call_is_let_in_while_it_lasts() -> None:
    async def test() -> None:
        usage = Usage()
        turns, gate = Turns(4, 2, line=8, client_line=8, usage=usage), threading.Event()
        usage.begin("crowd", asyncio.get_running_loop().time() - 0.3)
        usage.end("crowd", asyncio.get_running_loop().time())
        other = asked_by("other", lambda: turns.run(lambda: gate.wait(20)))
        await _settled()
        assert await asked_by("crowd", lambda: turns.run(lambda: "let in")) == "let in"
        assert turns.running == 1
        gate.set()
        await other

    asyncio.run(test())


def test_who_has_had_more_has_one_turn_less_while_another_comes_and_goes() -> None:
    async def test() -> None:
        usage = Usage()
        turns, gate = Turns(4, 2, line=8, client_line=8, usage=usage), threading.Event()
        usage.begin("crowd", asyncio.get_running_loop().time() - 60)
        usage.end("crowd", asyncio.get_running_loop().time())
        crowd = [asked_by("crowd", lambda: turns.run(lambda: gate.wait(20))) for _ in range(2)]
        await _settled()
        assert turns.running == 2, "alone"
        gate.set()
        await asyncio.gather(*crowd)
        gate.clear()
        assert await asked_by("other", lambda: turns.run(lambda: "other")) == "other"
        usage.begin("other", asyncio.get_running_loop().time() - 0.05)
        usage.end("other", asyncio.get_running_loop().time())
        crowd = [asked_by("crowd", lambda: turns.run(lambda: gate.wait(20))) for _ in range(2)]
        await _settled()
        assert (turns.running, turns.waiting) == (1, 1), "there is room for the other, who is between two calls"
        gate.set()
        await asyncio.gather(*crowd)

    asyncio.run(test())


def test_a_large_body_is_parsed_in_its_client_s_turn_and_beside_no_other() -> None:
    async def test() -> None:
        open_lines(lines_of(Settings()))
        gate, begun, at_work = threading.Event(), threading.Event(), []

        def parse(key: str) -> str:
            at_work.append(key)
            begun.set()
            assert gate.wait(20)
            return key

        asked = [asked_by(client, lambda client=client: parsing(parse, client)) for client in ("crowd", "other")]
        assert await asyncio.to_thread(begun.wait, 20)
        assert lines().turns.running == 2, "each has a turn"
        assert await asked_by("third", lambda: in_turn(lambda: list(at_work))) == ["crowd"], "one is parsed"
        gate.set()
        assert await asyncio.gather(*asked) == ["crowd", "other"]
        assert lines().turns.running == 0

    asyncio.run(test())


def test_a_long_answer_takes_a_turn_for_each_piece() -> None:
    async def test() -> None:
        open_lines(closed())
        with pytest.raises(ApiError):
            await in_turn(str)
        assert await aside(str, 5) == "5", "a look does not wait in line"
        open_lines(lines_of(Settings()))
        assert [piece async for piece in turn_by_turn(iter([b"a", b"", b"b"]))] == [b"a", b"", b"b"]
        assert lines().turns.running == 0

    asyncio.run(test())


# --- all operations -------------------------------------------------------------------------------------------------

FREE = {
    "/healthz": "says that the process answers",
    "/readyz": "looks for a model in memory",
    "/metrics": "asked for by machines, and above all when the server is busy",
    "/static/{path:path}": "hands out bytes that are in memory",
    "/api/analyses/{analysis_id}/reach/progress": "a number in memory",
    "/api/analyses/{analysis_id}/sound": "of an analysis of a sound, whose bytes are in memory",
    "/api/atlases": "begins a scan, which has a line of its own",
    "/api/atlases/{atlas_id}": "deletes a folder",
    "/api/atlases/{atlas_id}/events": "a stream of what a scan says",
    "/api/corpora": "lists folders; takes an upload, of which a client has a share",
    "/api/corpora/{corpus_id}": "deletes a folder",
    "/api/models/owner": "one header",
    "/api/owner": "one header",
    "/api/patching/paths/progress": "a number in memory",
    "/api/patching/progress": "a number in memory",
    "/api/prompts/{prompts_id}/progress": "a number in memory",
    "/api/training/{run_id}": "the state of a run, its end",
    "/api/training/{run_id}/events": "a stream of what a run says",
    "/api/training/{run_id}/model": "once in a run, of which a client has a share",
    "/api/training/{run_id}/{command}": "a word to a run",
}
"""What need not wait for its turn, and why."""


def closed() -> Lines:
    """No turn is given to anybody."""
    none = Turns(0, 0, line=0, client_line=0)
    return Lines(turns=none, parsers=CapacityLimiter(1), others=none, looks=CapacityLimiter(4), usage=Usage())


def routes_of(app: FastAPI) -> Iterator[APIRoute]:
    """All routes, those of the routers that it includes among them."""
    for each in app.routes:
        for route in getattr(getattr(each, "original_router", None), "routes", [each]):
            if isinstance(route, APIRoute):
                yield route


def test_every_way_into_a_thread_is_a_turn(root: Path) -> None:
    """Whatever a route or a page computes in a thread, it does in a turn; so no call of a library's is left."""
    others = {"to_thread", "run_in_threadpool", "run_in_executor", "iterate_in_threadpool", "ThreadPoolExecutor"}
    allowed = {"server/requests/turns.py"}
    found = []
    for room in ("answers", "pages", "requests", "routes"):
        for path in sorted((root / "server" / room).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                called = getattr(node, "attr", getattr(node, "id", ""))
                if called in others and name not in allowed:
                    found.append(f"{name}:{node.lineno} {called}")
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "StreamingResponse":
                    streamed = node.args[0]
                    if not (isinstance(streamed, ast.Call) and ast.unparse(streamed.func) == "turn_by_turn"):
                        found.append(f"{name}:{node.lineno} streams without turns")
    assert found == []


def test_no_coroutine_makes_an_answer_of_what_was_computed(root: Path) -> None:
    """It would do so on the event loop, whoever's turn it is, however often what is kept is asked for."""
    found = []
    for room in ("analyses", "concepts"):
        for path in sorted((root / "server" / "routes" / room).glob("*.py")):
            for handler in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(handler, ast.AsyncFunctionDef) and path.stem not in IN_MEMORY:
                    found += [f"{path.stem}:{call.lineno} {ast.unparse(call.func)}" for call in _made_here(handler)]
    assert found == []


IN_MEMORY = {"training"}
"""Its answers are a few numbers of a run that is in memory."""


def _made_here(handler: ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Calls by which an answer is made, but for those in functions inside, which run elsewhere."""
    inside = list(ast.iter_child_nodes(handler))
    while inside:
        node = inside.pop()
        if isinstance(node, ast.Lambda | ast.FunctionDef):
            continue
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in {"of", "encode", "encode_base64"} and "progress" not in ast.unparse(node.func):
                yield node
            if (called.endswith(("Answer", "_answer")) and not called.startswith("_")) or called == "_answer":
                yield node
        inside += ast.iter_child_nodes(node)


def test_no_route_leaves_a_thread_to_the_framework(app: FastAPI) -> None:
    """The framework runs what is no coroutine in threads of its own, dependencies too."""

    def plain(dependant: Dependant) -> Iterator[str]:
        if not iscoroutinefunction(dependant.call) and not isasyncgenfunction(dependant.call):
            yield getattr(dependant.call, "__qualname__", str(dependant.call))
        for inner in dependant.dependencies:
            yield from plain(inner)

    left = {route.path: list(plain(route.dependant)) for route in routes_of(app)}
    assert {path: names for path, names in left.items() if names} == {"/static/{path:path}": ["static_file"]}


@pytest.mark.full
def test_every_operation_that_computes_waits_for_its_turn(settings: Settings) -> None:
    """With all lines closed, each says that the server is busy, but for those that need not wait."""
    app = create_app(settings)
    with TestClient(app) as client:
        made = {
            name: client.post(path, json=EXAMPLES[path] | more).json()["id"]
            for name, path, more in (
                ("analysis_id", "/api/analyses", {}),
                ("prompts_id", "/api/prompts", {"answers": [" mat", " home"]}),
                ("run_id", "/api/training", {}),
            )
        }
        assert client.portal is not None
        client.portal.call(open_lines, closed())
        observatory = app.state.observatory
        for store in (observatory.analyses, observatory.studies):
            store._capacity = 0
        passed = {
            f"{route.path} as a figure" if isinstance(route, FigureRoute) else route.path: said
            for route in routes_of(app)
            for method in sorted(route.methods & {"GET", "POST", "DELETE"})
            if not route.path.endswith("/events") and not is_busy(said := asked(client, method, route, made))
        }
        assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200
    streams = {path for path in FREE if path.endswith("/events")}
    assert {path: said for path, said in passed.items() if path not in FREE} == {}
    assert set(FREE) - set(passed) - streams == set(), "what waits for its turn is not free of it"


def is_busy(said: tuple[int, str]) -> bool:
    """Whether the server says so."""
    return said[0] == 503 and "busy" in said[1]


def asked(client: TestClient, method: str, route: APIRoute, made: dict[str, str]) -> tuple[int, str]:
    """Status and beginning of what an operation answers."""
    given = {**made, "stem": "rope", "path": "none", "command": "pause"}
    places = {name: given.get(name, "0" * 16) for name in route.param_convertors}
    path = route.path.replace(":path", "").format(**places)
    known = {"model": DECODER, "url": "http://testserver", "format": "json", "other": made["analysis_id"]}
    known |= {"as": "figure"}
    known |= dict.fromkeys(("layer", "head", "query", "key", "position"), "1")
    named = {field.alias for field in route.dependant.query_params}
    query = {name: value for name, value in known.items() if name in named}
    body = EXAMPLES.get(route.path) if method == "POST" else None
    plain = {"Accept-Encoding": "identity"}  # what is long is compressed in a turn
    answer = client.request(method, path, params=query, json=body, headers=plain)
    return answer.status_code, answer.text[:500]
