"""The largest request of each operation: what its answer holds, and what the server takes for it."""

import base64
import io
import json
import multiprocessing
import re
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
import uvicorn
from PIL import Image
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from attention_core.training.config import MAX_HEADS, MAX_LAYERS, MAX_STEPS, MAX_WIDTH
from server.app import create_app
from server.serving import listen, server_config
from server.settings import Settings
from server.web.openapi.body_examples import EXAMPLES
from tests.server.largest_requests import Largest

CELLS = 2**13
MOST_ARRAYS = 8
"""The cells of an answer's matrices together, in those of the largest one."""
BESIDE = 6_000
"""Numbers of an answer whose count no size of the request changes, such as those of a model's heads."""
MEMORY = 256 * 2**20
"""What the server may take for one request at these limits, models aside: a matrix has 64 KiB."""
OF_ITS_OWN = 2**30
"""What a process may take in which something large is begun, torch and all."""
NUMBER = re.compile(rb'(?<![\w"])-?\d[\d.e+-]*|true|false|"-?Infinity"')
SETTINGS: dict[str, Any] = {
    "device": "cpu", "hub_models": (), "preload": False, "max_concept_tokens": 256, "max_concept_cells": CELLS,
    "max_concept_bytes": 2**16, "max_characters": 400, "max_tokens": 64, "max_window_cells": CELLS,
    "max_answer_bytes": 2**21, "max_answers_bytes": 2**22, "training_runs": 0, "scans": 0, "max_image_pixels": 2**20,
}  # fmt: skip
BEGUN = {
    "/api/atlases": {"model": EXAMPLES["/api/atlases"]["model"], "corpus": "probe", "window_tokens": 4_096},
    "/api/training": {
        "task": "repeat", "num_layers": MAX_LAYERS, "num_heads": MAX_HEADS, "d_model": MAX_WIDTH, "feed_forward": True,
        "steps": MAX_STEPS,
    },
}  # fmt: skip
"""What goes on in a process of its own, of which each try of a search would begin one: the largest that can be had."""
APART = {"/api/analyses/sound": "the tiny Whisper hears any sound as 100 positions, these limits allow 64"}
ONCE_TOO_MUCH = ("/api/rope", "/api/scaling/saturation")
"""What once answered with up to a hundred times as much as one matrix may have."""


def largest(client: Any, document: dict[str, Any], path: str) -> tuple[Largest, bytes]:
    """The largest request and its answer."""

    def ask(body: Any) -> tuple[int, int]:
        answer = client.post(path, json=body)
        assert answer.status_code < 500, (path, body, answer.text)
        return answer.status_code, len(answer.content)

    schema = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    found = Largest(document, schema, _that_fits(path), ask).find()
    return found, client.post(path, json=found.body).content


def _that_fits(path: str) -> Any:
    """The operation's example, or a smaller one where it is too large for these settings."""
    given = EXAMPLES[path]
    return {
        "/api/linear/initialisation": {"sizes": [4, 8]},
        "/api/analyses/image": given | {"image": _picture(2**10)},  # sizes inside a file grow by no step of the search
    }.get(path, given)


def _picture(side: int) -> str:
    """A PNG file in base64 that is small, of as many pixels as are allowed."""
    file = io.BytesIO()
    Image.new("RGB", (side, side), "teal").save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


def numbers(answer: bytes) -> int:
    """Those of a JSON answer; the bytes of a file are no numbers."""
    return len(NUMBER.findall(answer)) if answer.startswith((b"{", b"[")) else 0


def test_squares_of_one_answer_count_together(client: TestClient, assert_error: Any) -> None:
    """Each is within the bound, and six are not."""
    asked = {"dim": 2, "pairing": "half_split", "positions": [float(place % 10) for place in range(900)]}
    answer = client.post("/api/rope", json=asked | {"slide": 1.0, "mix_pairings": True})
    said = assert_error(answer, 422, "too_large", "positions", 2**22)
    assert "6 × 900 × 900 = 4860000 cells" in said


@pytest.mark.full
@pytest.mark.parametrize("path", ONCE_TOO_MUCH)
def test_matrices_of_an_answer_are_bounded_in_all(path: str, small: TestClient) -> None:
    found, answer = largest(small, small.get("/api/openapi.json").json(), path)
    assert numbers(answer) > CELLS // 4, "the search has found large requests"
    assert numbers(answer) <= MOST_ARRAYS * CELLS, found.body


@pytest.fixture(scope="module")
def small() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(**SETTINGS))) as client:
        yield client


@pytest.mark.full
def test_every_operation_s_largest_request_is_bounded_in_answer_and_memory(tmp_path: Path) -> None:
    """Against a server process of its own, whose peak of memory the system counts from each operation anew."""
    too_much: dict[str, Any] = {}
    seeing = tmp_path / "models" / EXAMPLES["/api/analyses/image"]["model"]
    write_model_folder(tmp_path / "models", "tiny-vit").rename(seeing)
    with OwnServer(tmp_path) as (client, process):
        document = client.get("/api/openapi.json").json()
        asked = [path for path, operations in document["paths"].items() if "post" in operations and path in EXAMPLES]
        assert len(asked) > 40
        for path in sorted(set(asked) - set(BEGUN) - set(APART)):
            client.post(path, json=_that_fits(path))  # its model is in memory from here on
            before = _peak_from_here(process)
            found, answer = largest(client, document, path)
            taken = _kibibytes(process, "VmHWM") * 1024 - before
            if numbers(answer) > MOST_ARRAYS * CELLS + BESIDE or len(answer) > 2**21 or taken > MEMORY:
                too_much[path] = {"numbers": numbers(answer), "bytes": len(answer), "taken": taken, "by": found.body}
    assert too_much == {}


@pytest.mark.full
@pytest.mark.parametrize("path", BEGUN)
def test_the_largest_that_can_be_begun_takes_bounded_memory(path: str, tmp_path: Path) -> None:
    with OwnServer(tmp_path, training_runs=1, scans=1) as (client, process):
        before = _peak_from_here(process)
        begun = client.post(path, json=BEGUN[path])
        assert begun.status_code == 201, begun.text
        assert len(begun.content) < 2**16
        look, end = Event(), time.monotonic() + 20
        children: set[int] = set()
        while time.monotonic() < end:
            children |= set(_children(process))
            state = client.get(f"{path}/{begun.json()['id']}").json()
            assert len(json.dumps(state)) < 2**21
            look.wait(0.5)
        assert children, "it works in a process of its own"
        taken = {each: _kibibytes(each, "VmHWM") * 1024 for each in children & set(_children(process))}
        assert max(taken.values(), default=0) < OF_ITS_OWN, taken
        assert _kibibytes(process, "VmHWM") * 1024 - before < MEMORY
        client.delete(f"{path}/{begun.json()['id']}")


@pytest.mark.full
def test_every_look_at_the_longest_analysis_is_bounded(small: TestClient) -> None:
    document = small.get("/api/openapi.json").json()
    text = ("The cat sat on the mat. " * 40)[:190]
    made = small.post("/api/analyses", json={"model": EXAMPLES["/api/analyses"]["model"], "text": text})
    assert made.status_code == 200, made.text
    answered = []
    for path, operations in document["paths"].items():
        if "get" not in operations or not path.startswith("/api/analyses/{analysis_id}"):
            continue
        given = operations["get"].get("parameters", [])
        address = re.sub(r"\{(\w+)\}", lambda name: made.json()["id"] if name[1] == "analysis_id" else "1", path)
        needed = {each["name"]: 1 for each in given if each.get("required") and each["in"] == "query"}
        asked = [{}, {"encoding": "json"}, {"layer": 0, "head": 0, "encoding": "json"}, {"layer": 0, "head": 0}]
        if any(each.get("name") == "draw" for each in given):
            asked += [{"as": "figure"} | each for each in asked]
        for query in asked:
            answer = small.get(address, params={**needed, **query})
            assert answer.status_code < 500, (path, query)
            if answer.status_code == 200:
                answered.append((path, query.get("as")))
                assert len(answer.content) <= 2**21, (path, query)
    assert len(set(answered)) > 15


class OwnServer:
    """The application in a process of its own, on a free port."""

    def __init__(self, folder: Path, **more: Any) -> None:
        self._folder = folder
        self._more = more

    def __enter__(self) -> tuple[httpx.Client, int]:
        here, there = multiprocessing.get_context("forkserver").Pipe()
        self._process = multiprocessing.get_context("forkserver").Process(
            target=_serve, args=[self._folder, self._more, there]
        )
        self._process.start()
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{here.recv()}", timeout=600)
        assert self._process.pid is not None
        return self._client, self._process.pid

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._process.terminate()
        self._process.join()


def _serve(folder: Path, more: dict[str, Any], port: Any) -> None:
    (folder / "models").mkdir(exist_ok=True)
    settings = SETTINGS | {"models_dir": folder / "models", "atlases_dir": folder / "atlases"} | more
    app = create_app(Settings(**settings))
    with listen("127.0.0.1", 0) as listener:
        listener.listen()  # who comes before the server is up waits, and is not refused
        port.send(listener.getsockname()[1])
        uvicorn.Server(server_config(app)).run(sockets=[listener])


def _peak_from_here(process: int) -> int:
    """Bytes that the process holds now; its peak is counted from here."""
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return _kibibytes(process, "VmRSS") * 1024


def _children(process: int) -> list[int]:
    """Processes that this one has begun."""
    return [
        int(each)
        for task in Path(f"/proc/{process}/task").iterdir()
        for each in (task / "children").read_text().split()
    ]


def _kibibytes(process: int, name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1])
