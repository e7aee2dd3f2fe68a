"""The documented command, run for real: a Ray cluster on this machine that serves the application.

Beside other tests Ray gives up too early: the processes of a cluster import for a quarter of a minute of a processor
each, and Serve kills a proxy that is not ready in 5 seconds. So it is given time, and nothing else is changed.
"""

import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import yaml
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

PATIENCE_S = 600.0
START_S = 300.0
"""Seconds for Ray itself, which starts in ten on a quiet machine, or is begun again."""
STARTS = 3
PATIENT = {
    "RAY_worker_register_timeout_seconds": "600",
    "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": "120",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "120",
}
SUBMITTED = "Submitted deploy config"
"""Written by ``serve run`` once Ray and Serve are there."""
HELPER = """
import sys
import ray

ray.init(address="auto", log_to_driver=False, logging_level="error")
print("ready", flush=True)
for line in sys.stdin:
    order, wanted = line.split()
    found = [each for each in ray.util.list_named_actors(all_namespaces=True) if wanted in each["name"]]
    if order == "kill":
        ray.kill(ray.get_actor(**found[0]), no_restart=True)
    print(*(each["name"].rpartition("#")[2] for each in found), flush=True)
"""
"""Takes orders about replicas, such as ``kill #Analyses#``: the first with this in its name. Says the ids of all."""


class RayCluster:
    """A cluster that is running."""

    def __init__(
        self, address: str, process: "subprocess.Popen[str]", helper: "subprocess.Popen[str]", log: Path
    ) -> None:
        self.address = address
        self._process = process
        self._helper = helper
        self._log = log

    def client(self) -> httpx.Client:
        """A connection with patience."""
        return httpx.Client(base_url=self.address, timeout=PATIENCE_S)

    def replicas(self, deployment: str) -> list[str]:
        """The ids of the replicas of a deployment, those that are still starting included."""
        return self._order("list", f"#{deployment}#")

    def kill(self, deployment: str, replica: str = "") -> None:
        """Kill this replica of a deployment, or any."""
        assert self._order("kill", f"#{deployment}#{replica}")

    def metrics(self) -> dict[str, Metric]:
        """What the application says at ``/metrics``, by the name of the family."""
        with self.client() as client:
            families = text_string_to_metric_families(client.get("/metrics").raise_for_status().text)
            return {family.name: family for family in families}

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Look again and again, while the cluster is running."""
        until(happened, self._process, what, self._log)

    def _order(self, order: str, replicas: str) -> list[str]:
        assert self._helper.stdin
        assert self._helper.stdout
        self._helper.stdin.write(f"{order} {replicas}\n")
        self._helper.stdin.flush()
        return self._helper.stdout.readline().split()


def until(
    happened: Callable[[], bool], process: "subprocess.Popen[str]", what: str, log: Path, patience_s: float = PATIENCE_S
) -> None:
    """Look again and again, while a process is running."""
    deadline = time.monotonic() + patience_s
    while not happened():
        with suppress(subprocess.TimeoutExpired):
            ended = process.wait(0.2)
            raise AssertionError(f"Ray ended with {ended} before {what}:\n{log.read_text()[-10_000:]}")
        assert time.monotonic() < deadline, f"not within {patience_s:.0f} s: {what}\n{log.read_text()[-10_000:]}"


@contextmanager
def serving_on_ray(root: Path, folder: Path, arguments: dict[str, Any], **settings: str) -> Iterator[RayCluster]:
    """A cluster started as ``deploy/ray/README.md`` says, but on another port and with these arguments."""
    command, configuration = documented(root)
    (application,) = configuration["applications"]
    application["args"] |= arguments
    port = configuration["http_options"]["port"] = unused_port()
    own = folder / "laptop.yaml"
    own.write_text(yaml.safe_dump(configuration), encoding="utf-8")
    log = folder / "serve.log"
    environment = os.environ | PATIENT | settings
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OBSERVATORY_ATLASES_DIR": str(folder / "atlases"),
        "OBSERVATORY_SHARED_DIR": str(folder / "shared"),
        "OBSERVATORY_HUB_MODELS": "",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONUNBUFFERED": "1",  # what it says into a file is waited for
    }
    environment.pop("RAY_ADDRESS", None)
    with _started([*command, str(own)], root, environment, log) as (process, place):
        address = f"http://127.0.0.1:{port}"
        until(lambda: _is_healthy(address), process, "the application answers", log)
        with subprocess.Popen(
            [sys.executable, "-c", HELPER],
            env=environment | {"RAY_TMPDIR": place},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as helper:
            assert helper.stdout
            assert helper.stdout.readline() == "ready\n"
            yield RayCluster(address, process, helper, log)


@contextmanager
def _started(
    command: list[str], root: Path, environment: dict[str, str], log: Path
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Ray and Serve, and Ray's folder. On a busy machine a start may hang or fail; it is then begun again."""
    for last in (False,) * (STARTS - 1) + (True,):
        place = tempfile.mkdtemp(prefix="ray-")  # with a short path: it holds sockets
        try:
            with _serve(command, root, environment | {"RAY_TMPDIR": place}, log) as process:
                try:
                    until(lambda: SUBMITTED in log.read_text(), process, "Serve runs", log, START_S)
                except AssertionError:
                    if last:
                        raise
                else:
                    yield process, place
                    return
        finally:
            shutil.rmtree(place, ignore_errors=True)


def documented(root: Path) -> tuple[list[str], dict[str, Any]]:
    """The documented command without its last word, and the configuration that this names."""
    text = (root / "deploy" / "ray" / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^\.venv/bin/(serve run) (\S+)", text, flags=re.MULTILINE)
    assert found
    configuration: dict[str, Any] = yaml.safe_load((root / found[2]).read_text(encoding="utf-8"))
    return shlex.split(found[1]), configuration


def unused_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def _serve(command: list[str], root: Path, environment: dict[str, str], log: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that is interrupted in the end, as by Control-C, or more firmly if that does not help."""
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN  # as it is then in the process, too
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, cwd=root, env=environment, stdout=output, stderr=output, text=True, start_new_session=True
        ) as process,
    ):
        try:
            yield process
        finally:
            for stop in (signal.SIGTERM,) if ignored else (signal.SIGINT, signal.SIGTERM):
                process.send_signal(stop)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(120)
                    break
            process.kill()


def _is_healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/healthz", timeout=PATIENCE_S).status_code == 200
    except httpx.TransportError:
        return False
