"""The metrics of the real server after known use: each says what was done, and the dashboard asks for nothing else."""

import asyncio
import gc
import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings
from server.web.monitoring import Monitoring

GPT2 = "observatory-gpt2-mini"
TINY = {"d_model": 8, "num_heads": 2, "steps": 3, "seed": 4}

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Used:
    """An application, and what it says of itself."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.app: Any = client.app

    def samples(self) -> Samples:
        text = self.client.get("/metrics").text
        families = text_string_to_metric_families(text)
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in families
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float:
        return self.samples()[f"observatory_{name}", tuple(sorted(labels.items()))]

    def analyse(self, text: str, status: int = 200) -> dict[str, Any]:
        answer = self.client.post("/api/analyses", json={"model": GPT2, "text": text})
        assert answer.status_code == status
        return answer.json()


@pytest.fixture(scope="module")
def used() -> Iterator[Used]:
    """Used once in every way that is counted."""
    settings = Settings(device="cpu", hub_models=(), preload=False, workers=1, queue_size=1, client_queue_size=1)
    with TestClient(create_app(settings)) as client:
        used = Used(client)
        first = used.analyse("The cat sat.")
        used.analyse("The cat sat.")
        assert client.get(f"/api/analyses/{first['id']}/rollout").status_code == 200
        assert client.get("/api/models/loading", params={"model": "no/such"}).status_code == 404
        assert client.get("/api/analyses/none").status_code == 404
        run = client.post("/api/training", json=TINY).json()["id"]
        assert '"finished"' in client.get(f"/api/training/{run}/events").text
        yield used


def test_a_computation_is_counted_once_and_then_found(used: Used) -> None:
    assert used.value("computation_seconds_count", store="analyses", outcome="done") == 1
    assert used.value("computation_wait_seconds_count", store="analyses") == 1
    assert used.value("cache_misses_total", cache="analyses") == 1
    assert used.value("cache_hits_total", cache="analyses") == 2  # the same text, and its rollout
    assert used.value("cache_entries", cache="studies") == used.value("cache_misses_total", cache="studies") == 1
    observatory = used.app.state.observatory
    for cache, held in (("analyses", observatory.analyses.cache), ("requests", observatory.requests.cache)):
        values = [held.get(key) for key in held]
        assert used.value("cache_bytes", cache=cache) == sum(getattr(each, "nbytes", 0) or len(each) for each in values)


def test_a_model_is_loaded_once_and_weighed(used: Used) -> None:
    assert used.value("model_load_seconds_count", outcome="loaded") == 1
    assert 0 < used.value("model_load_seconds_sum", outcome="loaded") < 60
    model = used.app.state.catalog.at_hand(GPT2).model
    weights = sum(tensor.numel() * 4 for tensor in model.parameters())
    assert weights <= used.value("model_bytes", model=GPT2) < 1.2 * weights
    assert used.value("models_loaded") == 1


def test_training_runs_are_counted_by_state_and_streams_while_they_are_open(used: Used) -> None:
    assert used.value("training_runs", state="finished") == used.value("training_runs_begun_total") == 1
    assert used.value("training_runs", state="running") == used.value("scans", state="running") == 0
    route = "/api/training/{run_id}/events"
    assert used.value("streams_open", route=route) == 0
    assert used.value("requests_total", method="GET", route=route, status="200") == 1
    assert ("observatory_request_seconds_count", (("route", route),)) not in used.samples()
    seen: list[float] = []
    run = used.client.post("/api/training", json=TINY | {"steps": 2_000}).json()["id"]

    def watch() -> None:
        while not seen or seen[-1] == 0:
            seen.append(used.value("streams_open", route=route))
        used.client.delete(f"/api/training/{run}")

    watching = threading.Thread(target=watch)
    watching.start()
    used.client.get(f"/api/training/{run}/events")
    watching.join(30)
    assert seen[-1] == 1
    assert used.value("streams_open", route=route) == 0


def test_refusals_are_counted_by_reason_and_the_queue_by_length(used: Used) -> None:
    """The only worker is held, one computation waits, the next is too many of one client's; then none has room."""
    before = {
        reason: used.value("refused_requests_total", reason=reason) for reason in ("server_busy", "too_many_requests")
    }
    assert used.value("refused_requests_total", reason="analysis_expired") == 1
    observatory, portal = used.app.state.observatory, used.client.portal
    assert portal is not None
    gate = threading.Event()

    def hold(_cancelled: object) -> np.ndarray:
        gate.wait(60)
        return np.zeros(1)

    async def begin(key: str) -> Any:
        task = asyncio.create_task(observatory.analyses.get_or_compute(key, hold))
        await asyncio.sleep(0)
        return task

    held = [portal.call(begin, key) for key in ("one", "two")]
    lengths = (
        used.value("computations_running", store="analyses"),
        used.value("computations_waiting", store="analyses"),
    )
    used.analyse("No room.", 503)
    gate.set()

    async def end() -> None:
        await asyncio.gather(*held)

    portal.call(end)
    assert lengths == (1, 1)
    assert used.value("refused_requests_total", reason="server_busy") == before["server_busy"] + 1
    assert used.value("refused_requests_total", reason="too_many_requests") == before["too_many_requests"]
    assert used.value("computation_wait_seconds_count", store="analyses") == 3
    assert used.value("computations_waiting", store="analyses") == 0


def test_the_process_itself_is_measured(used: Used) -> None:
    samples = used.samples()
    resident = next(value for (name, _), value in samples.items() if name == "process_resident_memory_bytes")
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert resident == pytest.approx(pages * 4096, rel=0.2)
    collected = {
        dict(labels)["generation"]: value
        for (name, labels), value in samples.items()
        if name == "python_gc_collections_total"
    }
    assert set(collected) == {"0", "1", "2"}
    assert collected["2"] <= gc.get_stats()[2]["collections"]


def test_names_follow_the_conventions(used: Used) -> None:
    """Prometheus: base units, ``_total`` for counters alone; every metric is explained."""
    for family in text_string_to_metric_families(used.client.get("/metrics").text):
        assert family.documentation, family.name
        if family.name.startswith("observatory_"):
            assert not re.search(r"_(ms|milliseconds|kb|mb|mib|gib|percent|count)(_|$)", family.name), family.name
            assert (family.type == "counter") == any(sample.name.endswith("_total") for sample in family.samples)
            assert family.type != "histogram" or family.name.endswith("_seconds")


def test_the_dashboard_asks_only_for_what_there_is(used: Used, root: Path) -> None:
    board = json.loads((root / "deploy/grafana/observatory.json").read_text(encoding="utf-8"))
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    there = {name for name, _ in used.samples()}
    labels = {name: {label for label, _ in pairs} for name, pairs in used.samples()}
    asked: set[str] = set()
    for panel in panels:
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
        for target in panel["targets"]:
            query = target["expr"]
            names = set(re.findall(r"\b(?:observatory|process|python)_\w+", query))
            assert names, query
            on_gpus = {name for name in names if name.startswith("observatory_gpu_")}
            assert names - there == on_gpus, f"{panel['title']}: {names - there}"
            grouped = {each for part in re.findall(r"by \(([^)]*)\)", query) for each in part.split(", ")}
            for name in names - on_gpus:
                known = labels[name] | {
                    "le",
                    "instance",
                    "job",
                    "deployment",
                    "replica",
                }  # the last two on Ray Serve alone
                assert grouped <= known, f"{panel['title']}: {grouped - known}"
                assert set(re.findall(r"(\w+)!?=~?\"", query)) <= known
            assert "_total" not in query or "rate(" in query or "increase(" in query
            assert query.count("(") == query.count(")")
            asked |= names
    stems = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked}
    ours = {re.sub(r"_(bucket|sum|count)$", "", name) for name in there if name.startswith("observatory_")}
    assert ours - stems == set(), "metrics that no panel shows"


def test_computations_that_share_a_run_are_counted() -> None:
    monitoring = Monitoring()
    monitoring.computations("analyses").shared(3)
    monitoring.computations("analyses").shared(2)
    assert monitoring.registry.get_sample_value("observatory_computations_shared_total", {"store": "analyses"}) == 5


def test_counting_costs_next_to_nothing() -> None:
    """The counters of one request and one computation, together: far below a thousandth of a request's time."""
    monitoring = Monitoring()
    measures = monitoring.computations("analyses")
    rounds = 2_000
    start = time.perf_counter()
    for _ in range(rounds):
        monitoring.requests.labels("GET", "/", 200).inc()
        monitoring.seconds.labels("/").observe(0.1)
        measures.waited(0.0)
        measures.computed(0.1, "done")
    assert (time.perf_counter() - start) / rounds < 0.001
