"""Reruns have the inputs and the record of their analysis."""

from dataclasses import replace

import pytest
import torch

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.parts import split_into_parts
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff, Temperature
from attention_core.pretrained.running.rerun import prepare

TEXT = "A small model reads a small text."


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-llama", "tiny-bart"])
def test_a_rerun_records_the_same(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    changes = (Temperature(layer=0, heads=(1,), temperature=0.5), HeadOff(layer=0, heads=(2,)))
    request = AnalysisRequest(
        TEXT,
        text_pair="What comes next." if name == "tiny-bert" else None,
        target_text="A text." if name == "tiny-bart" else None,
        interventions=changes,
    )
    analysis = analyse(loaded, request, max_tokens=64)
    rerun = prepare(loaded, analysis)
    assert rerun.tokens == (analysis.target_tokens or analysis.tokens)
    with torch.inference_mode(), record(change=rerun.change) as recording:
        loaded.model(**rerun.inputs)
    again = split_into_parts(loaded.model, loaded.entry.kind, recording.layers)
    assert [part.name for part in again] == [part.name for part in analysis.parts]
    for ours, theirs in zip(again, analysis.parts, strict=True):
        assert [layer.log_sum_exp.tolist() for layer in ours.layers] == [
            layer.log_sum_exp.tolist() for layer in theirs.record.layers
        ]


def test_tensors_without_a_model(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    analysis = replace(analyse(loaded, AnalysisRequest(TEXT), max_tokens=64), request=None)
    with pytest.raises(
        SelectionError, match="analysis_id must refer to a text, image or sound analysed with a model"
    ) as error:
        prepare(loaded, analysis)
    assert error.value.field == "analysis_id"
