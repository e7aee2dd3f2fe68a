"""Metrics of several replicas as one answer."""

import asyncio

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient

from server.cluster.replica_metrics import FORGET_S, AnswerMetrics, CollectedMetrics, keep_reporting


def counted(analyses: int, seconds: list[float]) -> bytes:
    registry = CollectorRegistry()
    Counter("observatory_things", "Things.", ["store"], registry=registry).labels("analyses").inc(analyses)
    times = Histogram("observatory_seconds", "Times.", registry=registry, buckets=(1, 5))
    for each in seconds:
        times.observe(each)
    return generate_latest(registry)


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_each_sample_says_where_it_is_from_and_each_family_is_there_once() -> None:
    collected = CollectedMetrics()
    collected.report("Analyses", "a", counted(3, [0.5, 7]))
    collected.report("Analyses", "b", counted(5, [2]))
    collected.report("Runs", "c", counted(1, []))
    text = collected.text()
    found = samples(text)
    assert found["observatory_things_total", "deployment=Analyses", "replica=a", "store=analyses"] == 3
    assert found["observatory_things_total", "deployment=Analyses", "replica=b", "store=analyses"] == 5
    assert found["observatory_things_total", "deployment=Runs", "replica=c", "store=analyses"] == 1
    assert found["observatory_seconds_bucket", "deployment=Analyses", "le=1.0", "replica=a"] == 1
    assert found["observatory_seconds_bucket", "deployment=Analyses", "le=+Inf", "replica=a"] == 2
    assert found["observatory_seconds_sum", "deployment=Analyses", "replica=b"] == 2
    assert text.count(b"# TYPE observatory_things_total counter") == 1
    assert text.count(b"# TYPE observatory_seconds histogram") == 1


def test_the_newest_report_counts_and_who_is_silent_is_left_out() -> None:
    now = [100.0]
    collected = CollectedMetrics(lambda: now[0])
    collected.report("Analyses", "a", counted(3, []))
    collected.report("Analyses", "b", counted(4, []))
    now[0] += FORGET_S - 1
    collected.report("Analyses", "b", counted(6, []))
    assert {name[2]: value for name, value in samples(collected.text()).items() if "things" in name[0]} == {
        "replica=a": 3,
        "replica=b": 6,
    }
    now[0] += 2
    assert [name[2] for name in samples(collected.text()) if "things" in name[0]] == ["replica=b"]


def test_a_report_that_fails_is_followed_by_the_next() -> None:
    sent: list[bytes] = []

    async def test() -> None:
        done = asyncio.Event()

        async def read() -> bytes:
            return b"text %d" % len(sent)

        async def send(text: bytes) -> None:
            sent.append(text)
            if len(sent) == 1:
                raise ConnectionError("not there yet")
            done.set()

        task = asyncio.create_task(keep_reporting(read, send, 0.001))
        await asyncio.wait_for(done.wait(), 20)
        task.cancel()

    asyncio.run(test())
    assert sent[:2] == [b"text 0", b"text 1"]


def test_metrics_are_those_of_all_and_of_this_process_as_they_are_now() -> None:
    collected = CollectedMetrics()
    collected.report("Analyses", "a", counted(3, []))

    async def read() -> bytes:
        return counted(9, [])

    async def send(text: bytes) -> None:
        collected.report("Pages", "p", text)

    async def everything() -> bytes:
        return collected.text()

    app = AnswerMetrics(Starlette(), read=read, send=send, collected=everything)
    with TestClient(app) as client:
        answer = client.get("/metrics")
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        found = samples(answer.content)
        assert found["observatory_things_total", "deployment=Pages", "replica=p", "store=analyses"] == 9
        assert found["observatory_things_total", "deployment=Analyses", "replica=a", "store=analyses"] == 3
        assert client.get("/other").status_code == 404
