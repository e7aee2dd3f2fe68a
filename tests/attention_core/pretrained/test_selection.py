"""Choosing parts and indices, and what an error says."""

import pytest

from attention_core.pretrained.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.catalog import Catalog
from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.selection import check_index, chosen_part, self_attending_part


@pytest.fixture(scope="module")
def analysis(catalog: Catalog) -> Analysis:
    return analyse(catalog.load("tiny-bart"), AnalysisRequest("A small text."), max_tokens=64)


def test_the_first_part_unless_one_is_named(analysis: Analysis) -> None:
    assert [chosen_part(analysis, name).name for name in (None, "cross")] == ["encoder", "cross"]
    assert self_attending_part(analysis, "decoder").name == "decoder"
    with pytest.raises(SelectionError, match="part must be one of encoder, decoder, cross, not 'middle'"):
        chosen_part(analysis, "middle")
    with pytest.raises(SelectionError, match="queries and keys are the same tokens; cross is not"):
        self_attending_part(analysis, "cross")


def test_indices() -> None:
    assert check_index("head", 3, 4) == 3
    with pytest.raises(SelectionError, match="head must be from 0 to 3, not 4") as error:
        check_index("head", 4, 4)
    assert (error.value.field, error.value.limit) == ("head", 3)
