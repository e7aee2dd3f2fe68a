"""docs/models.md against the installed library and the code: complete, and of the classes that loading would find."""

import re
from pathlib import Path

import pytest
from transformers import AutoConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from attention_core.pretrained.models.preprocessing.image_rules import vision_tower
from attention_core.pretrained.models.support import support_from, support_from_json
from tiny_architectures import as_published

TABLE = Path(__file__).parents[1] / "docs" / "models.md"
LEVELS = {"Carried": "carried", "Weights only": "weights_only", "Refused": "refused"}
NO_ATTENTION = "Some of its layers do not compute attention that can be shown"
NEVER_MADE = {"gemma4_assistant", "nougat"}
"""Types whose default configuration the library itself cannot make here."""


def rows() -> dict[str, tuple[str, str]]:
    """By type, the level and the class that was tried, or the reason."""
    found: dict[str, tuple[str, str]] = {}
    level = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            level = LEVELS[line[3:]]
        elif (row := re.match(r"\| `([^`]+)` \| (.+?) \|", line)) is not None:
            assert row[1] not in found
            found[row[1]] = level, row[2]
    return found


def test_every_type_of_the_library_has_a_row() -> None:
    assert set(rows()) == set(CONFIG_MAPPING_NAMES)


def test_the_readme_counts_as_the_table_does() -> None:
    found = [level for level, _ in rows().values()]
    readme = " ".join((TABLE.parents[1] / "README.md").read_text(encoding="utf-8").split())
    carried, weights_only = found.count("carried"), found.count("weights_only")
    assert f"inside {carried} of the architectures of transformers, {weights_only} more show the weights" in readme


@pytest.mark.full("0", "6")
@pytest.mark.parametrize("start", range(8))
def test_classes_are_those_that_the_code_finds(start: int) -> None:
    """A third of all types, by the same function that a list of models asks; and so are the reasons."""
    table = rows()
    wrong = {}
    for model_type in sorted(set(table) - NEVER_MADE)[start::24]:
        support = support_from(as_published(vision_tower(AutoConfig.for_model(model_type))))
        said = (
            str(support.reason) if support.facts is None or support.level == "refused" else support.facts.architecture
        )
        if (support.level, said) != table[model_type]:
            wrong[model_type] = (table[model_type], (support.level, said))
    assert wrong == {}


def test_a_released_layout_is_what_the_row_is_about() -> None:
    """LFM2-1.2B: 10 of its 16 layers are convolutions, while the library's default has none."""
    released = {"model_type": "lfm2", "num_hidden_layers": 16, "full_attn_idxs": [2, 5, 8, 10, 12, 14]}
    support = support_from_json(released)
    assert rows()["lfm2"] == (support.level, str(support.reason)) == ("refused", f"{NO_ATTENTION}: conv.")


def test_every_architecture_was_tried() -> None:
    """What is said of none follows from the library's code alone."""
    assert "not tried" not in TABLE.read_text(encoding="utf-8")


def test_measured_differences_are_small() -> None:
    """Every carried architecture that was measured agrees with the library's eager attention."""
    rows = re.findall(r"\| `([^`]+)` \| \w+ \| ([^|]+) \| ([^|]+) \|", TABLE.read_text(encoding="utf-8"))
    assert len(rows) > 150
    for model_type, *measured in rows:
        for number in measured:
            assert number.strip() == "–" or float(number) <= 2e-5, model_type
