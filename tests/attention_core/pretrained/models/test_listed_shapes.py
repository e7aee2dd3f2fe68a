"""What a list says of a carried model before it is loaded, against what its trial run records."""

import pytest
import torch
from transformers import AutoConfig, PreTrainedConfig

from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.preprocessing.image_rules import vision_tower
from attention_core.pretrained.models.support import support_from
from attention_core.pretrained.models.text_towers import text_tower
from attention_core.pretrained.models.trial.trial_run import trial_inputs
from model_table import TABLE, first_trial, rows_in
from tiny_architectures import tiny_configs, tiny_tokenizer

CARRIED = sorted(
    row.model_type for row in rows_in(TABLE.read_text(encoding="utf-8")).values() if row.level == "carried"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, about sizes as small as these
SHARES = 24
"""Of all types, a third of which is tried in a short run."""


def shapes(tiny: PreTrainedConfig, facts: ModelFacts) -> list[tuple[object, ...]]:
    """Kind, layers, heads, key/value heads and head size, as listed and as recorded."""
    trial, model, _ = first_trial(tiny, facts)
    if facts.reads == "text":  # as long as is listed, or beyond all windows
        longest = min(facts.max_tokens, 200)
        with torch.no_grad():
            model(**trial_inputs(model, tiny_tokenizer(), facts, None, tokens=longest))
    seen = trial.parts[0]
    return [
        (facts.kind, facts.layers, facts.heads, facts.kv_heads, facts.head_dim),
        (trial.kind, seen.layers, seen.heads, seen.kv_heads, seen.head_dim),
    ]


def first_shapes(model_type: str) -> list[tuple[object, ...]]:
    """Those of the first of the tiny configurations that makes a model, as in the table."""
    shown = text_tower(vision_tower(AutoConfig.for_model(model_type)))
    problems: list[Exception] = []
    for tiny in tiny_configs(shown.model_type):
        tiny.architectures = shown.architectures
        facts = support_from(tiny).facts
        try:
            if facts is not None:
                return shapes(tiny, facts)
        except Exception as error:  # noqa: BLE001 - sizes that this architecture does not accept
            problems.append(error)
    raise ExceptionGroup(model_type, problems)


@pytest.mark.full
@pytest.mark.parametrize(
    "start", [pytest.param(start, marks=[pytest.mark.full] if start >= SHARES // 3 else []) for start in range(SHARES)]
)
def test_a_list_says_what_loading_finds(start: int) -> None:
    found = {model_type: first_shapes(model_type) for model_type in CARRIED[start::SHARES]}
    assert {name: pair for name, pair in found.items() if pair[0] != pair[1]} == {}
