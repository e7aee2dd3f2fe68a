"""On a real local Ray cluster: the same answers as one process gives, also while a replica is killed."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

MODEL = "observatory-gpt2-mini"
CLUSTER = """
import sys
import ray
from ray import serve
from server.cluster.deployments import ClusterArguments, build

ray.init(num_cpus=8, include_dashboard=False, log_to_driver=False)
serve.start(http_options={"port": int(sys.argv[1])}, logging_config={"log_level": "ERROR"})
serve.run(build(ClusterArguments(min_replicas=2, max_replicas=2)))
print("ready", flush=True)
for _ in sys.stdin:
    running = [each for each in ray.util.list_named_actors(all_namespaces=True) if "#Analyses#" in each["name"]]
    ray.kill(ray.get_actor(**running[0]), no_restart=True)
    print("killed", len(running), flush=True)
serve.shutdown()
"""

pytestmark = pytest.mark.slow


class Cluster:
    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self.address = address
        self._process = process

    def kill_a_replica(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("kill\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline().split()[0] == "killed"


@pytest.fixture(scope="module")
def cluster(root: Path, tmp_path_factory: pytest.TempPathFactory, unused_port: int) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    environment = os.environ | {
        "PYTHONPATH": str(root),
        "OBSERVATORY_ATLASES_DIR": str(folder / "atlases"),
        "OBSERVATORY_SHARED_DIR": str(folder / "shared"),
        "OBSERVATORY_PREPARE_ATLASES": "false",
        "OBSERVATORY_HUB_MODELS": "",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    command = [sys.executable, "-c", CLUSTER, str(unused_port)]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdin
        lines = iter(process.stdout.readline, "")
        assert any(line.strip() == "ready" for line in lines), "the cluster did not start"
        yield Cluster(process, f"http://127.0.0.1:{unused_port}")
        process.stdin.close()
        process.wait(60)


@pytest.fixture(scope="module")
def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def answers(client: Any, text: str) -> list[Any]:
    """An analysis and two closer looks at it."""
    analysis = client.post("/api/analyses", json={"model": MODEL, "text": text}).json()
    path = f"/api/analyses/{analysis['id']}"
    looks = [client.get(f"{path}/{look}").json() for look in ("weights?layer=1&head=0", "logit_lens?position=2")]
    return [{name: value for name, value in analysis.items() if name != "timings_ms"}, *looks]


def test_it_answers_like_one_process(cluster):
    texts = [f"The cat sat on mat {number}." for number in range(6)]
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as alone:
        expected = [answers(alone, text) for text in texts]
    with httpx.Client(base_url=cluster.address, timeout=120) as client:
        assert "<title>" in client.get("/").text
        assert client.get("/healthz").status_code == 200
        assert [answers(client, text) for text in texts] == expected
        run = client.post("/api/training", json={"task": "copy", "steps": 5}).json()
        assert client.get(f"/api/training/{run['id']}").status_code == 200
        unknown = client.get(f"/api/analyses/{'0' * 32}")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "analysis_expired")


def test_a_killed_replica_loses_nobody_s_page(cluster):
    stop = threading.Event()
    given: list[int] = []

    def reader(number: int) -> None:
        with httpx.Client(base_url=cluster.address, timeout=120) as client:
            turn = 0
            while not stop.is_set():
                turn += 1
                text = f"Reader {number} reads page {turn}."
                posted = client.post("/api/analyses", json={"model": MODEL, "text": text})
                given.append(posted.status_code)
                looked = client.get(f"/api/analyses/{posted.json()['id']}/weights?layer=0&head=0")
                given.append(looked.status_code)

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(reader, number) for number in range(4)]
        for _ in range(2):
            time.sleep(1.5)
            before = len(given)
            cluster.kill_a_replica()
            while len(given) < before + 20:
                time.sleep(0.05)
                assert not any(each.done() for each in readers)
        stop.set()
        for each in readers:
            each.result()
    assert set(given) == {200}


def test_metrics_at_one_address_are_those_of_every_replica(cluster):
    with httpx.Client(base_url=cluster.address, timeout=120) as client:
        for number in range(8):
            client.post("/api/analyses", json={"model": MODEL, "text": f"Count analysis {number}."})
        deadline = time.monotonic() + 120
        while True:  # each replica reports every few seconds
            text = client.get("/metrics").text
            families = {family.name: family for family in text_string_to_metric_families(text)}
            seen = {
                (sample.labels["deployment"], sample.labels["replica"])
                for sample in families["observatory_build_info"].samples
            }
            deployments = {name for name, _ in seen}
            counted = sum(
                sample.value
                for sample in families["observatory_computation_wait_seconds"].samples
                if sample.name.endswith("_count")
                and sample.labels["store"] == "analyses"
                and sample.labels.get("deployment") == "Analyses"
            )
            replicas = [replica for name, replica in seen if name == "Analyses"]
            if deployments == {"Pages", "Analyses", "Runs"} and len(replicas) >= 2 and counted >= 8:
                break
            assert time.monotonic() < deadline, (seen, counted)
            time.sleep(0.5)
