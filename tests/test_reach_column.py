"""The column *reach* of docs/models.md against what its tool measures, and the check on loading over all types."""

import re
from pathlib import Path

import pytest
import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

import reach_column
from attention_core.pretrained.models.support import support_from
from attention_core.pretrained.models.trial.reach_check import reach_check
from model_table import Row, first_trial, rows_in, table_of, with_reach
from tiny_architectures import tiny_configs

TABLE = Path(__file__).parents[1] / "docs" / "models.md"
CROSSES = "as declared: causal, padded, cached; packed: crosses from layer 0 on"
KNOWN = {
    "bert": "as declared: all, padded",
    "biogpt": CROSSES,
    "convbert": "as declared: all; padded: padding reaches from layer 0 on, not through attention",
    "vit": "as declared: all",
}
"""BioGPT's mask is made without position ids; ConvBERT's convolutions read padding, whatever the mask says."""
PARTS = 24


def rows() -> dict[str, Row]:
    return rows_in(TABLE.read_text(encoding="utf-8"))


def carried() -> list[str]:
    return [each.model_type for each in rows().values() if each.level == "carried"]


@pytest.mark.parametrize("model_type", KNOWN)
def test_types_whose_code_is_known(model_type: str) -> None:
    row = rows()[model_type]
    assert with_reach(row).reach == row.reach == KNOWN[model_type]


@pytest.mark.full
@pytest.mark.parametrize(
    ("model_type", "said"), [("llama", "as declared: causal, packed, padded, cached"), ("opt", CROSSES)]
)
def test_decoders_with_caches(model_type: str, said: str) -> None:
    assert with_reach(rows()[model_type]).reach == rows()[model_type].reach == said


@pytest.mark.full
@pytest.mark.parametrize("start", range(8))
def test_the_column_is_what_the_tool_measures(start: int) -> None:
    """A third of all carried types."""
    table = rows()
    found = {each: with_reach(table[each]).reach for each in carried()[start::PARTS]}
    assert found == {each: table[each].reach for each in found}


@pytest.mark.full("0", "7")
@pytest.mark.parametrize("start", range(8))
def test_loading_raises_no_false_alarm(start: int) -> None:
    """What is asked of a model on loading says nothing of a third of all types, whose windows are 5 tokens."""
    said = {}
    for model_type in carried()[start::PARTS]:
        for config in tiny_configs(model_type):
            facts = support_from(config).facts
            if facts is None or facts.reads != "text" or facts.text_part_of:
                continue
            try:
                _, model, inputs = first_trial(config, facts)
            except Exception:  # noqa: BLE001, S112 - sizes that this architecture does not accept
                continue
            said[model_type] = reach_check(model, inputs, facts, 10_000)
            break
    assert len(said) > 3
    assert {name: found for name, found in said.items() if found} == {}


def test_every_carried_type_is_measured_and_none_sees_the_future() -> None:
    cells = {name: rows()[name].reach for name in carried()}
    assert len(cells) > 300
    assert [name for name, said in cells.items() if not said] == []
    assert [name for name, said in cells.items() if "future" in said or "our attention" in said] == []


def test_the_document_is_what_the_tool_writes_of_its_rows() -> None:
    """So its head counts what stands in the column."""
    known = rows()
    assert set(known) == set(CONFIG_MAPPING_NAMES)
    text = TABLE.read_text(encoding="utf-8")
    assert table_of([known[name] for name in sorted(known)]) == text
    declared = sum(bool(re.fullmatch(r"as declared: [^;]+", known[name].reach)) for name in carried())
    assert f"Of {len(carried())} types {declared} are as declared in every case" in " ".join(text.split())


def test_parts_are_put_together_again() -> None:
    image = torch.arange(2 * 3 * 4 * 6.0).view(2, 3, 4, 6)
    for each in image:
        parts, join = reach_column.patches(each[None], (2, 3))
        assert parts.shape == (4, 18)
        assert torch.equal(parts[1].view(3, 2, 3), each[:, :2, 3:])
        assert torch.equal(join(parts[None]), each[None])
    for shape, count in {(1, 32): 16, (1, 5, 30): 15, (1, 30, 5): 15, (1, 37): 16}.items():
        sound = torch.randn(shape)
        parts, join = reach_column.stretches(sound)
        assert len(parts) == count
        assert torch.equal(join(parts[None]), sound)
