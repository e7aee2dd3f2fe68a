"""Text parts of models of images and texts: the whole model's own logits and weights, of a text."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from odd_models import write_odd_model
from safetensors.torch import load_file, save_file

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models import text_tower_model
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.text_tower_model import TextPart
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs.attribution import attribution

TEXT = "the cat sat on the mat"
KINDS = {
    # name: class of the text part, class that is named
    "seeing-llava": ("LlamaForCausalLM", "LlamaForCausalLM", "llava"),
    "seeing-gemma": ("Gemma3ForCausalLM", "Gemma3ForCausalLM", "gemma3"),
    "seeing-qwen": ("TextPart", "Qwen2_5_VLTextModel", "qwen2_5_vl"),
    "seeing-aya": ("TextPart", "Cohere2Model", "aya_vision"),
}


def load(folder: Path) -> LoadedModel:
    return Catalog(models_dir=folder.parent, hub_models=(), device="cpu").load(folder.name)


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
def test_a_text_part_computes_what_the_whole_model_does(tmp_path: Path, name: str) -> None:
    made, named, whole_type = KINDS[name]
    folder = write_odd_model(tmp_path, name)
    loaded = load(folder)
    entry = loaded.entry
    assert (type(loaded.model).__name__, entry.architecture, entry.text_part_of) == (made, named, whole_type)
    assert (entry.kind, entry.reads, entry.layers, entry.heads) == ("decoder", "text", 2, 4)
    assert entry.self_check is not None
    assert entry.self_check.weights is not None
    assert max(entry.self_check.weights, entry.self_check.last_hidden_state) < 1e-5
    whole = transformers.AutoModelForImageTextToText.from_pretrained(folder, attn_implementation="eager").eval()
    assert loaded.nbytes < sum(each.nbytes for each in whole.parameters())
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=50)
    ids = torch.tensor([[token.id for token in analysis.tokens]])
    with torch.inference_mode():
        theirs = whole(input_ids=ids, output_attentions=True)
        ours = loaded.model(input_ids=ids).logits
    torch.testing.assert_close(ours, theirs.logits, rtol=0, atol=1e-5)
    for layer, weights in enumerate(theirs.attentions):
        for head in range(4):
            found = analysis.window(None, layer, head)
            np.testing.assert_allclose(found, weights[0, head].numpy(), rtol=0, atol=1e-5)
    best = analysis.predictions[-1].candidates[0]
    assert best.id == int(theirs.logits[0, -1].argmax())
    assert best.logit == pytest.approx(float(theirs.logits[0, -1].max()), abs=1e-5)
    assert attribution(loaded, analysis).output == pytest.approx(best.logit, abs=1e-5)


@pytest.mark.full
def test_weights_under_the_names_of_older_files(tmp_path: Path) -> None:
    """Files written before the library moved the language model are read as the library reads them."""
    folder = write_odd_model(tmp_path, "seeing-llava")
    before = load(folder).model
    weights = load_file(folder / "model.safetensors")
    inner = "language_model.model."
    assert any(name.startswith(inner) for name in weights)  # the library still writes these names
    newer = {
        name.replace("language_model.lm_head.", "lm_head.").replace(inner, "model.language_model."): each
        for name, each in weights.items()
    }
    assert newer.keys() != weights.keys()
    save_file(newer, folder / "model.safetensors", metadata={"format": "pt"})
    after = load(folder).model
    for (name, one), (_, other) in zip(before.named_parameters(), after.named_parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, msg=name)


def test_a_part_that_computes_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Aya Vision only the class that scales logits is left to try, which the whole model does not."""
    folder = write_odd_model(tmp_path, "seeing-aya")
    scaled = transformers.Cohere2ForCausalLM
    monkeypatch.setattr(text_tower_model, "_candidates", lambda inner, *_: [scaled(inner.config)])
    with pytest.raises(ModelUnavailableError, match="does not compute what the whole model computes"):
        load(folder)


def test_without_an_output_matrix_it_is_the_text_model_itself(tmp_path: Path) -> None:
    folder = write_odd_model(tmp_path, "seeing-llava")
    whole = transformers.LlavaModel.from_pretrained(folder)
    whole.save_pretrained(folder)
    loaded = load(folder)
    assert type(loaded.model).__name__ == "LlamaModel"
    assert not isinstance(loaded.model, TextPart)
    assert analyse(loaded, AnalysisRequest(TEXT), max_tokens=50).predictions == []
