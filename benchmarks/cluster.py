"""What the application costs on Ray Serve: throughput with one and two replicas, and what each request costs.

Run: ``python -m benchmarks.cluster [SECONDS]``. In one run, for SECONDS (15 unless given) each: one process without
Ray, a cluster with one replica of Analyses, the same with two. Eight readers each post texts that nobody has posted and
look at four matrices of each. Printed are pages a second as ratios of one replica's, processor seconds per page, and
memory per replica. Linux only. On a machine of 2 cores, a second replica gains what the first and the pages leave.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx

from tools.browsing import serving

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
READERS, LOOKS = 8, 4
PORT = 8765
CLUSTER = """
import sys
import ray
from ray import serve
from server.cluster.deployments import ClusterArguments, build

ray.init(num_cpus=16, include_dashboard=False, log_to_driver=False)
serve.start(http_options={"port": int(sys.argv[1])}, logging_config={"log_level": "ERROR"})
for line in sys.stdin:
    count = int(line)
    serve.run(build(ClusterArguments(min_replicas=count, max_replicas=count)))
    print("ready", flush=True)
serve.shutdown()
"""


def pages_a_second(address: str, seconds: float, name: str) -> float:
    """How many texts were analysed and looked at by all readers together."""
    stop, counts = threading.Event(), [0] * READERS

    def read(reader: int) -> None:
        with httpx.Client(base_url=address, timeout=120) as client:
            while not stop.is_set():
                text = f"Reader {reader} of {name} reads text number {counts[reader]}, and the cat sat on the mat."
                analysis = client.post("/api/analyses", json={"model": MODEL, "text": text}).raise_for_status().json()
                for head in range(LOOKS):
                    path = f"/api/analyses/{analysis['id']}/weights?layer=2&head={head}"
                    client.get(path).raise_for_status()
                counts[reader] += 1

    with ThreadPoolExecutor(READERS) as pool:
        waiting = [pool.submit(read, reader) for reader in range(READERS)]
        time.sleep(2)  # models load, replicas warm up
        before, began = sum(counts), time.perf_counter()
        time.sleep(seconds)
        rate = (sum(counts) - before) / (time.perf_counter() - began)
        stop.set()
        for each in waiting:
            each.result()
    return rate


def processes(marker: str) -> list[Path]:
    """The /proc folders of all processes with this text in their environment: Ray's are no children of ours."""
    folders = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker.encode() in (folder / "environ").read_bytes():
                folders.append(folder)
    return folders


def processor_seconds(marker: str) -> float:
    """Of all these processes."""
    total = 0
    for folder in processes(marker):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def replica_bytes(marker: str) -> int:
    """Memory of the largest replica of Analyses."""
    sizes = [0]
    for folder in processes(marker):
        with suppress(OSError):
            if b"ServeReplica:default:Analyses" in (folder / "cmdline").read_bytes():
                sizes.append(int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    return max(sizes)


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 15.0
    speeds: dict[str, float] = {}
    with serving() as server:
        speeds["one process"] = pages_a_second(server.address, seconds, "one process")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "OBSERVATORY_SHARED_DIR": folder,
            "OBSERVATORY_ATLASES_DIR": str(Path(folder, "atlases")),
            "OBSERVATORY_PREPARE_ATLASES": "false",
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        command = [sys.executable, "-c", CLUSTER, str(PORT)]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as cluster:
            assert cluster.stdin
            assert cluster.stdout
            for replicas in (1, 2):
                cluster.stdin.write(f"{replicas}\n")
                cluster.stdin.flush()
                while (line := cluster.stdout.readline()).strip() != "ready":
                    if not line:
                        raise RuntimeError("the cluster has ended; Ray is installed as deploy/ray/README.md says")
                name = f"{replicas} replica{'s' if replicas > 1 else ''}"
                before = processor_seconds(folder)
                began = time.perf_counter()
                speeds[name] = pages_a_second(f"http://127.0.0.1:{PORT}", seconds, name)
                spent = processor_seconds(folder) - before
                pages = speeds[name] * (time.perf_counter() - began)
                sys.stdout.write(
                    f"{name}: {spent / max(pages, 1):.3f} processor seconds a page, "
                    f"{replica_bytes(folder) / 2**20:.0f} MiB a replica\n"
                )
            cluster.stdin.close()
    for name, rate in speeds.items():
        sys.stdout.write(f"{name}: {rate:.1f} pages a second, {rate / speeds['1 replica']:.2f} of one replica\n")
    sys.stdout.write(json.dumps({name: round(rate, 2) for name, rate in speeds.items()}) + "\n")


if __name__ == "__main__":
    main()
