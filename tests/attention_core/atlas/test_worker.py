"""The speed of a scan and its time left. (tests/server/stores/test_scans.py runs the process.)"""

from multiprocessing import Pipe

import pytest

from attention_core.atlas.worker import Pace, ScanReport
from attention_core.pretrained.errors import ReadsImagesError


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_speed_and_time_left_are_those_of_the_tokens_scanned_here() -> None:
    clock = Clock()
    pace = Pace(clock)
    clock.time += 5  # the plan
    assert pace.report(2, 6, 800, 2_400) == ScanReport("running", 6, 2, 800)  # two shards were there already
    clock.time += 2
    assert pace.report(2, 6, 1_000, 2_400) == ScanReport("running", 6, 2, 1_000, 100.0, 14.0)
    clock.time += 4
    last = pace.report(3, 6, 1_400, 2_400)
    assert last is not None
    assert last.tokens_per_second == pytest.approx(600 / 6)
    assert last.seconds_left == pytest.approx(1_000 / 100)


def test_reports_within_a_shard_are_few_and_each_finished_shard_has_one() -> None:
    clock = Clock()
    pace = Pace(clock)
    told = [pace.report(0, 2, 0, 4_000)]
    for tokens in range(100, 2_000, 100):
        clock.time += 0.125
        told.append(pace.report(0, 2, tokens, 4_000))
    told.append(pace.report(1, 2, 2_000, 4_000))
    found = [report for report in told if report is not None]
    assert [report.tokens for report in found] == [0, 400, 800, 1_200, 1_600, 2_000]
    assert pace.last == found[-1]


def test_a_report_goes_through_a_pipe_with_its_reason() -> None:
    report = ScanReport("failed", error=ReadsImagesError("{model} takes images.", "vit"))
    ours, theirs = Pipe()
    with ours, theirs:
        theirs.send(report)
        received = ours.recv()
    assert (str(received.error), received.error.code, received.error.field) == (
        "vit takes images.",
        "reads_images",
        "model",
    )
