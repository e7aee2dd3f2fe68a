"""On a real Ray cluster: the same answers as one process gives, more replicas under load, and none lost by a death."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from ray_cluster import PATIENCE_S, RayCluster, serving_on_ray
from starlette.testclient import TestClient

from attention_observatory.arrays import decoded
from server.app import create_app
from server.settings import Settings

MODEL = "observatory-gpt2-mini"

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def cluster(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    """`deploy/ray/laptop.yaml` with two replicas of Pages and of Runs, each with room for one run."""
    with serving_on_ray(
        root,
        tmp_path_factory.mktemp("cluster"),
        {"cpus": 0.1, "pages": 2, "runs": 2, "max_runs": 2},
        OBSERVATORY_TRAINING_RUNS="1",  # of each replica
        OBSERVATORY_TRAINING_IDLE_S="3600",
        OBSERVATORY_TRAINING_TIME_S="3600",
    ) as running:
        yield running


class Readers:
    """Threads that each read one new page after the other."""

    def __init__(self, cluster: RayCluster, number: int) -> None:
        self.given: list[int] = []
        """The status of every answer."""
        self._cluster = cluster
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(number)
        self._readers = [self._pool.submit(self._read, reader) for reader in range(number)]

    def check(self) -> int:
        """How many answers there were. Fails if a reader has given up."""
        assert not any(reader.done() for reader in self._readers), [reader.exception() for reader in self._readers]
        return len(self.given)

    def stop(self) -> None:
        """Let each finish its page."""
        self._stop.set()
        with self._pool:
            for reader in self._readers:
                reader.result()

    def _read(self, number: int) -> None:
        with self._cluster.client() as client:
            turn = 0
            while not self._stop.is_set():
                turn += 1
                text = f"Reader {number} reads page {turn}." + " The cat sat on the mat." * 30
                posted = client.post("/api/analyses", json={"model": MODEL, "text": text})
                self.given.append(posted.status_code)
                looked = client.get(f"/api/analyses/{posted.json()['id']}/weights?layer=0&head=0")
                self.given.append(looked.status_code)
                assert "".join(token["text"] for token in posted.json()["tokens"]) == text


@contextmanager
def reading(cluster: RayCluster, number: int) -> Iterator[Readers]:
    """This many readers, until the end of the block."""
    with ExitStack() as stack:
        readers = Readers(cluster, number)
        stack.callback(readers.stop)
        yield readers


def answers(client: Any, text: str) -> list[Any]:
    """An analysis and two closer looks at it."""
    analysis = client.post("/api/analyses", json={"model": MODEL, "text": text}).json()
    path = f"/api/analyses/{analysis['id']}"
    looks = [client.get(f"{path}/{look}").json() for look in ("weights?layer=1&head=0", "logit_lens?position=2")]
    return [{name: value for name, value in analysis.items() if name != "timings_ms"}, *looks]


def differences(one: Any, other: Any, place: str = "") -> list[tuple[str, Any, Any]]:
    """Where two answers differ, and how. The number of threads decides in which order float32 is added up."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        if {"dtype", "shape", "bdata"} <= one.keys() and one["dtype"] == other["dtype"]:
            return [] if alike(decoded(one), decoded(other)) else [(place, decoded(one), decoded(other))]
        return [found for name in one for found in differences(one[name], other[name], f"{place}.{name}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [found for at, pair in pairs for found in differences(*pair, f"{place}.{at}")]
    if isinstance(one, float) and isinstance(other, float) and one == pytest.approx(other, rel=1e-4, abs=1e-6):
        return []
    return [] if one == other else [(place, one, other)]


def alike(one: Any, other: Any) -> bool:
    """Whether two arrays are those of the same numbers; weights as bytes may be rounded to neighbouring ones."""
    if one.shape != other.shape:
        return False
    if one.dtype == np.uint8:
        return bool(np.abs(one.astype(int) - other.astype(int)).max(initial=0) <= 1)
    return bool(np.allclose(one, other, rtol=1e-4, atol=1e-6))


def test_what_tells_answers_apart_sees_one_number_that_is_off():
    def answer(*numbers: float, dtype: str = "<f4") -> dict[str, Any]:
        data = base64.b64encode(np.array(numbers, dtype).tobytes()).decode()
        return {"matrix": {"dtype": dtype[1:], "shape": str(len(numbers)), "bdata": data}, "loss": numbers[0]}

    assert differences(answer(0.5, 0.25), answer(0.500001, 0.25)) == []
    assert [place for place, *_ in differences(answer(0.5, 0.25), answer(0.5, 0.2502))] == [".matrix"]
    assert [place for place, *_ in differences(answer(0.5), answer(0.5, 0.0))] == [".matrix"]
    assert [place for place, *_ in differences(answer(0.5, 0.25), answer(0.6, 0.25))] == [".matrix", ".loss"]
    assert differences(answer(7, 8, dtype="|u1"), answer(7, 9, dtype="|u1")) == []
    assert [place for place, *_ in differences(answer(7, 8, dtype="|u1"), answer(7, 10, dtype="|u1"))] == [".matrix"]


def test_it_answers_like_one_process(cluster: RayCluster):
    texts = [f"The cat sat on mat {number}." for number in range(6)]
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as alone:
        expected = [answers(alone, text) for text in texts]
    with cluster.client() as client:
        assert "<title>" in client.get("/").text
        assert client.get("/healthz").status_code == 200
        assert differences([answers(client, text) for text in texts], expected) == []
        unknown = client.get(f"/api/analyses/{'0' * 32}")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "analysis_expired")


@pytest.fixture(scope="module")
def scaled(cluster: RayCluster) -> list[set[str]]:
    """The replicas of Analyses, at first and after some load."""
    before = set(cluster.replicas("Analyses"))

    def are_two() -> bool:
        readers.check()
        return len(cluster.replicas("Analyses")) == 2

    with reading(cluster, 8) as readers:
        cluster.until(are_two, "a second replica of Analyses is started")
    after = set(cluster.replicas("Analyses"))
    cluster.until(lambda: reporting(cluster, "Analyses") >= after, "the second replica of Analyses is there")
    assert set(readers.given) == {200}
    return [before, after]


def reporting(cluster: RayCluster, deployment: str) -> set[str]:
    """The replicas of a deployment that have told their metrics."""
    samples = cluster.metrics()["observatory_build_info"].samples
    return {each.labels["replica"] for each in samples if each.labels["deployment"] == deployment}


def test_under_load_a_second_replica_is_started(scaled: list[set[str]]):
    before, after = scaled
    assert len(before) == 1
    assert len(after) == 2
    assert before < after


def asked_again(cluster: RayCluster) -> float:
    """How many requests were asked again because the replica that was answering them had died."""
    samples = (each for family in cluster.metrics().values() for each in family.samples)
    return sum(each.value for each in samples if each.name == "observatory_requests_asked_again_total")


@pytest.mark.usefixtures("scaled")
def test_a_killed_replica_loses_nobody_s_page(cluster: RayCluster):
    killed = 0
    with reading(cluster, 4) as readers:

        def have_read() -> bool:
            return readers.check() >= 20 * (killed + 1)

        while killed < 2 or asked_again(cluster) == 0:  # until a request was under way where the replica was killed
            assert killed < 24
            cluster.until(have_read, "everybody has read on")
            cluster.kill("Analyses")
            killed += 1
        cluster.until(have_read, "everybody has read on")
    assert set(readers.given) == {200}


def events(address: str, run_id: str, *, after: int = -1, until: Callable[[str, dict[str, Any]], bool]) -> list[int]:
    """The steps of a run that a connection of its own is told of, up to the event that is waited for."""
    steps: list[int] = []
    with (
        httpx.Client(base_url=address, timeout=PATIENCE_S) as client,
        client.stream("GET", f"/api/training/{run_id}/events", params={"after": after}) as stream,
    ):
        assert stream.status_code == 200
        kind = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = json.loads(line.removeprefix("data: "))
                steps += [data["step"]] if kind == "update" else []
                if until(kind, data):
                    break
    return steps


def test_of_two_runs_on_two_actors_one_outlives_the_other(cluster: RayCluster):
    wanted = {"task": "copy", "num_layers": 1, "num_heads": 2, "d_model": 8, "steps": 600}
    with cluster.client() as client:

        def begin_and_pause() -> tuple[str, list[int]]:
            run: str = client.post("/api/training", json=wanted).raise_for_status().json()["id"]
            client.post(f"/api/training/{run}/pause").raise_for_status()
            return run, events(cluster.address, run, until=lambda _, data: data.get("state") == "paused")

        lost, _ = begin_and_pause()
        kept, before = begin_and_pause()
        home = lost.split("-")[0]
        assert kept.split("-")[0] != home  # each replica has room for one
        full = client.post("/api/training", json=wanted, headers={"Accept-Language": "ja"})
        assert full.status_code == 503
        error = full.json()["error"]
        assert (error["code"], error["limit"]) == ("server_busy", 2)
        assert "学習の枠 2 個" in error["message"]
        options = client.get("/api/training").raise_for_status().json()
        assert (options["active"], options["limits"]["runs"]) == (2, 2)
        begun = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            following = pool.submit(events, cluster.address, lost, until=lambda *_: bool(begun.set()))
            assert begun.wait(PATIENCE_S)
            cluster.kill("Runs", home)
            with suppress(httpx.RemoteProtocolError):  # it is cut off; what counts is that it does not hang
                following.result(PATIENCE_S)
        for path in ("", "/events", "?as=figure", "/figure"):
            gone = client.get(f"/api/training/{lost}{path}")
            assert (gone.status_code, gone.json()["error"]["code"]) == (404, "run_lost")
        client.post(f"/api/training/{kept}/resume")
        told = [  # each connection has one of the two replicas of Pages
            events(cluster.address, kept, after=before[-1], until=lambda _, data: data.get("state") == "finished")
            for _ in range(6)
        ]
        assert told[0][0] > before[-1]
        assert told[0][-1] == 600
        assert told == [told[0]] * 6

        network = client.post(f"/api/training/{kept}/model").json()
        analysis = client.post("/api/analyses", json=network).json()
        weights = client.get(f"/api/analyses/{analysis['id']}/weights?layer=0&head=1")
        assert weights.status_code == 200
        models = client.get("/api/models").raise_for_status().json()["models"]  # of a replica that trains nothing
        assert [each["id"] for each in models if each["source"] == "training"] == [network["model"]]

        again = client.post("/api/training", json=wanted | {"steps": 5}).raise_for_status()
        events(cluster.address, again.json()["id"], until=lambda _, data: data.get("state") == "finished")


def test_metrics_at_one_address_are_those_of_every_replica(cluster: RayCluster):
    deployments = ("Pages", "Analyses", "Runs", "Scans")
    with cluster.client() as client:
        for number in range(8):
            client.post("/api/analyses", json={"model": MODEL, "text": f"Count analysis {number}."}).raise_for_status()

    def are_all_counted() -> bool:  # each replica reports every few seconds
        waits = cluster.metrics()["observatory_computation_wait_seconds"].samples
        analyses = [
            each.value
            for each in waits
            if each.name.endswith("_count")
            and each.labels["store"] == "analyses"
            and each.labels["deployment"] == "Analyses"
        ]
        return sum(analyses) >= 8 and all(
            reporting(cluster, name) >= set(cluster.replicas(name)) for name in deployments
        )

    cluster.until(are_all_counted, "every replica has told its metrics")
