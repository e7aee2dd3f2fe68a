"""Answers made of the core's dataclasses."""

from dataclasses import dataclass

import numpy as np

from server.answers.from_core import FromCore


@dataclass(frozen=True, eq=False)
class Inner:
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class Outer:
    count: np.int64
    size: tuple[int, int]
    box: tuple[int, int] | None
    names: tuple[str, ...]
    inner: Inner
    several: tuple[Inner, ...]
    by_name: dict[str, Inner]
    nothing: Inner | None = None

    @property
    def total(self) -> int:
        return 7


class InnerAnswer(FromCore):
    numbers: list[float | str]


class OuterAnswer(FromCore):
    count: int
    size: tuple[int, int]
    box: tuple[int, int] | None
    names: list[str]
    inner: InnerAnswer
    several: list[InnerAnswer]
    by_name: dict[str, InnerAnswer]
    nothing: InnerAnswer | None
    total: int
    given: str
    left_out: int | None = None


def test_an_answer_takes_over_what_has_the_same_name() -> None:
    inner = Inner(np.array([1.5, -np.inf]))
    found = Outer(np.int64(3), (2, 4), (0, 4), ("a", "b"), inner, (inner,), {"x": inner})
    said = {"numbers": [1.5, "-Infinity"]}
    assert OuterAnswer.of(found, given="by the route").model_dump(mode="json") == {
        "count": 3,
        "size": [2, 4],
        "box": [0, 4],
        "names": ["a", "b"],
        "inner": said,
        "several": [said],
        "by_name": {"x": said},
        "nothing": None,
        "total": 7,
        "given": "by the route",
        "left_out": None,
    }
