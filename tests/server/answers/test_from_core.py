"""Answers made of the core's dataclasses."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest
from jaxtyping import Bool, Float, Int

from server.answers.from_core import AnswerOf, FromCore
from server.web.matrices import JsonNumber, Matrix


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


@dataclass(frozen=True, eq=False)
class Head:
    """One head of a layer."""

    weights: Float[np.ndarray, "queries keys"]
    """Each row
    adds up to 1, see ``attend``."""
    rank: Int[np.ndarray, "queries"] | None
    mask: Bool[np.ndarray, "queries keys"] | None
    """True where allowed."""


@dataclass(frozen=True, eq=False)
class Layer:
    kind: Literal["encoder", "decoder"]
    scale: float
    heads: tuple[Head, ...]
    others: list[Head] | None
    """Of the other layers."""
    sizes: dict[str, int]


class LayerAnswer(AnswerOf[Layer]):
    """A layer, and its number."""

    scale: str = "1"
    layer: int


def test_an_answer_has_the_fields_of_its_dataclass_with_shapes_and_docstrings() -> None:
    fields = {name: (field.annotation, field.description) for name, field in AnswerOf[Head].model_fields.items()}
    assert fields == {
        "weights": (list[list[float]], "[queries][keys] Each row adds up to 1, see `attend`."),
        "rank": (list[int] | None, "[queries]"),
        "mask": (list[list[bool]] | None, "[queries][keys] True where allowed."),
    }
    assert AnswerOf[Head].__doc__ == "One head of a layer."


def test_an_answer_says_what_differs_from_its_dataclass() -> None:
    head = Head(np.eye(2), np.array([1, 0]), None)
    layer = Layer("encoder", 0.5, (head,), None, {"a": 1})
    answer = LayerAnswer.of(layer, scale="2", layer=3)
    said = {"weights": [[1.0, 0.0], [0.0, 1.0]], "rank": [1, 0], "mask": None}
    assert answer.model_dump(mode="json") == {
        "kind": "encoder",
        "scale": "2",
        "heads": [said],
        "others": None,
        "sizes": {"a": 1},
        "layer": 3,
    }
    assert LayerAnswer.model_validate(answer.model_dump()) == answer
    assert LayerAnswer.model_fields["others"].description == "Of the other layers."


def test_what_has_no_shape_or_is_no_dataclass_is_no_answer() -> None:
    with pytest.raises(TypeError, match="the shape of an array must be declared"):
        AnswerOf[Inner]
    with pytest.raises(TypeError, match="<class 'int'> is not a dataclass"):
        AnswerOf[int]


@dataclass(frozen=True, eq=False)
class Masked:
    scores: Float[np.ndarray, "*batch queries keys"]
    """With the mask."""
    corners: Float[np.ndarray, "queries 2"]
    lowest: float

    @property
    def rows(self) -> Float[np.ndarray, "queries"]:
        """The sum of each."""
        return self.scores.sum(-1)


class MaskedAnswer(AnswerOf[Masked]):
    """Scores that may be infinite."""

    scores: Matrix
    lowest: JsonNumber
    rows: list[float]


class TwoAnswer(FromCore):
    """Of several sources, one of them a mapping inside a mapping."""

    first: MaskedAnswer
    count: int
    lowest: JsonNumber
    other: str = "none"


def test_a_field_declared_again_keeps_its_description_and_a_property_brings_its_own() -> None:
    described = {name: field.description for name, field in MaskedAnswer.model_fields.items()}
    assert described == {
        "scores": "[queries][keys] With the mask.",
        "corners": "[queries][2]",
        "lowest": None,
        "rows": "[queries] The sum of each.",
    }
    assert AnswerOf[Masked].model_fields["scores"].annotation == list[Any]
    schema = MaskedAnswer.model_json_schema()["properties"]["scores"]
    assert schema["description"] == "[queries][keys] With the mask."
    assert "-Infinity" in str(schema)


def test_an_answer_has_several_sources_the_first_of_which_wins() -> None:
    inner = {"scores": np.zeros((1, 1)), "corners": np.zeros((1, 2)), "lowest": -np.inf, "rows": np.ones(1)}
    other = Masked(np.ones((1, 1)), np.ones((1, 2)), -2.5)
    answer = TwoAnswer.of({"first": inner}, other, count=3)
    assert answer.model_dump(mode="json") == {
        "first": {"scores": [[0.0]], "corners": [[0.0, 0.0]], "lowest": "-Infinity", "rows": [1.0]},
        "count": 3,
        "lowest": -2.5,
        "other": "none",
    }
    with pytest.raises(AttributeError, match="nothing has count for TwoAnswer"):
        TwoAnswer.of({"first": inner}, other)
