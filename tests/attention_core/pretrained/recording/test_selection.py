"""Validation of parts, indices, names and windows, and its messages."""

import pytest

from attention_core.pretrained.errors import SelectionError, WindowTooLargeError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.selection import cell_of_window, check_index, check_name, span
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse


@pytest.fixture(scope="module")
def analysis(catalog: Catalog) -> Analysis:
    return analyse(catalog.load("tiny-bart"), AnalysisRequest("A small text."), max_tokens=64)


def test_the_first_part_unless_one_is_named(analysis: Analysis) -> None:
    assert [analysis.part(name).name for name in (None, "cross")] == ["encoder", "cross"]
    assert analysis.self_attending_part("decoder").name == "decoder"
    with pytest.raises(SelectionError, match="part must be one of encoder, decoder, cross, not 'middle'"):
        analysis.part("middle")
    with pytest.raises(SelectionError, match="queries and keys are the same tokens; cross is not"):
        analysis.self_attending_part("cross")


def test_indices() -> None:
    assert check_index("head", 3, 4) == 3
    with pytest.raises(SelectionError, match="head must be from 0 to 3, not 4") as error:
        check_index("head", 4, 4)
    assert (error.value.field, error.value.limit) == ("head", 3)


def test_names() -> None:
    assert check_name("stage", "weights", ("raw_scores", "weights")) == "weights"
    with pytest.raises(SelectionError, match="stage must be one of raw_scores, weights, not 'sums'") as error:
        check_name("stage", "sums", ("raw_scores", "weights"))
    assert error.value.field == "stage"


def test_spans() -> None:
    assert span("rows", None, 7) == slice(0, 7)
    assert span("rows", (2, 7), 7) == slice(2, 7)


@pytest.mark.parametrize("given", [(-1, 3), (3, 3), (5, 2), (0, 8)])
def test_a_span_is_not_empty_and_lies_within(given: tuple[int, int]) -> None:
    message = f"rows must be a:b with 0 ≤ a < b ≤ 7, not {given[0]}:{given[1]}"
    with pytest.raises(SelectionError, match=message) as error:
        span("rows", given, 7)
    assert (error.value.field, error.value.limit) == ("rows", 7)


@pytest.mark.parametrize(
    ("max_size", "cell"), [(None, (1, 1)), (11, (1, 1)), (5, (1, 3)), (3, (2, 4))]
)  # of 5 × 11 cells
def test_a_cell_of_a_pooled_window_is_as_small_as_fits(max_size: int | None, cell: tuple[int, int]) -> None:
    assert cell_of_window(slice(2, 7), slice(0, 11), max_size, max_cells=55) == cell


def test_the_pooled_window_counts_not_the_whole() -> None:
    with pytest.raises(WindowTooLargeError, match="a window of 5 × 11 cells is larger than 19") as error:
        cell_of_window(slice(2, 7), slice(0, 11), 5, max_cells=19)
    assert (error.value.field, error.value.limit) == ("rows", 19)
    assert cell_of_window(slice(2, 7), slice(0, 11), 5, max_cells=20) == (1, 3)
