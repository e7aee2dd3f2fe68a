"""Our attention in modules that do not ask for one: every weight as the library's eager attention returns it."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from odd_models import write_odd_model
from torch import Tensor

from attention_core.pretrained.errors import TextTooLongError, UnsupportedAttentionError
from attention_core.pretrained.inputs.truncation import truncate
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.bias_rules import ContentBias
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.patching.patches import check_replaceable
from attention_core.pretrained.studies.vectors import pair_vectors

TEXT = "The cat sat on the mat because it was tired."
TARGET = "A small model reads."
NAMES = (
    *("gptj", "codegen", "gpt_neo", "openai-gpt", "falcon", "falcon-groups", "mpt", "bloom", "xglm", "mpnet"),
    *("roformer", "rembert", "mvp", "visual_bert", "luke", "convbert", "squeezebert", "longformer", "led"),
    *("layoutlmv3", "xlm", "flaubert", "fsmt", "dpr", "deberta", "deberta-first", "xlnet"),
)
pytestmark = pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")  # in Longformer
WITHOUT_WEIGHTS = ("squeezebert", "longformer", "led")
"""Where the library returns scores, or the window around each token: only states are compared when they are loaded."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replaced")
    for name in (*NAMES, "falcon-alibi"):
        write_odd_model(folder, name)
    return folder


@pytest.fixture(scope="module")
def catalog(folders: Path) -> Catalog:
    return Catalog(models_dir=folders, hub_models=(), device="cpu")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_every_weight_is_that_of_the_library(catalog: Catalog, folders: Path, name: str) -> None:
    loaded = catalog.load(name)
    assert (loaded.weights_only, loaded.entry.support) == (False, "carried")
    assert loaded.entry.self_check is not None
    has_weights = name not in WITHOUT_WEIGHTS
    assert (loaded.entry.self_check.weights is not None) == has_weights
    assert max(loaded.entry.self_check.weights or 0.0, loaded.entry.self_check.last_hidden_state) <= 1e-5
    analysis = analyse(loaded, AnalysisRequest(TEXT, target_text=TARGET, parity=has_weights), max_tokens=64)
    assert (analysis.parity is not None and analysis.parity.within_bound) == has_weights
    library = getattr(transformers, str(loaded.entry.architecture))
    model = library.from_pretrained(folders / name, attn_implementation="eager").eval()
    inputs = {"input_ids": torch.tensor([[token.id for token in analysis.tokens]])}
    if analysis.target_tokens is not None:
        inputs["decoder_input_ids"] = torch.tensor([[token.id for token in analysis.target_tokens]])
    with torch.inference_mode():
        # With a cache, FSMT leaves its causal mask away.
        options = {"use_cache": False} if name == "fsmt" else {}
        theirs = model(**inputs, **options, output_attentions=True)
        with record() as recording:
            ours = loaded.model(**inputs, **options)
    for part in analysis.parts:
        found = theirs.get(f"{part.name}_attentions", theirs.get("attentions"))
        if part.name == "cross":
            found = theirs.cross_attentions
        for layer, given in enumerate(found):
            weights = dense(name, part.name, given)
            for head in range(4):
                window = analysis.window(part.name, layer, head)
                np.testing.assert_allclose(window, weights[0, head].numpy(), rtol=0, atol=1e-5)
    assert len(recording.layers) == sum(part.layers for part in analysis.parts)
    result = next(each for each in ("logits", "last_hidden_state", "pooler_output") if each in theirs)
    bound = 1e-5 * float(theirs[result].abs().max())
    torch.testing.assert_close(ours[result], theirs[result], rtol=0, atol=bound)


def test_each_side_of_led_has_its_own_table_of_positions(catalog: Catalog) -> None:
    loaded = catalog.load("led")
    for text, target, field, limit in (("." * 70, ".", "text", 64), (".", "." * 40, "target_text", 32)):
        with pytest.raises(TextTooLongError, match="led accepts at most") as caught:
            analyse(loaded, AnalysisRequest(text, target_text=target), max_tokens=512)
        assert (caught.value.field, caught.value.limit) == (field, limit)
    cut = truncate(loaded, "." * 70, None, "." * 70, max_tokens=512)
    found = analyse(loaded, AnalysisRequest(cut.text, target_text=cut.target_text), max_tokens=512)
    assert [part.overview.shape[2:] for part in found.parts] == [(64, 64), (32, 32), (32, 64)]


def dense(name: str, part: str, given: Tensor) -> Tensor:
    """The library's weights of every query for every key."""
    if name == "squeezebert":
        return given.softmax(dim=-1)
    if name != "longformer" and (name, part) != ("led", "encoder"):
        return given
    count, size = given.shape[2], given.shape[3] // 2
    weights = torch.zeros(1, given.shape[1], count, count)
    for query in range(count):
        for key in range(max(0, query - size), min(count, query + size + 1)):
            weights[0, :, query, key] = given[0, :, query, key - query + size]
    return weights


def test_a_window_holds_in_local_layers_alone(catalog: Catalog) -> None:
    loaded = catalog.load("gpt_neo")
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    query, key = np.indices(analysis.window(None, 0, 0).shape)
    for layer, beyond in ((0, len(query)), (1, 3)):
        weights = analysis.window(None, layer, 2)
        np.testing.assert_array_equal(weights > 0, (key <= query) & (query - key < beyond))


@pytest.mark.parametrize("name", ["deberta", "deberta-first", "xlnet"])
def test_terms_of_content_and_position_are_a_bias(catalog: Catalog, name: str) -> None:
    """Scores are products and bias; queries alone are not patched, as the bias would stay that of the old ones."""
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    attention = analysis.parts[0].record.layers[1].attention
    assert isinstance(attention.bias, ContentBias)
    pair = pair_vectors(analysis, None, 1, 2, 5, 3)
    assert abs(pair.bias) > 1e-3
    assert pair.masked_score == pytest.approx(pair.scaled_score + pair.bias, abs=1e-5)
    for what in ("queries", "keys"):
        with pytest.raises(UnsupportedAttentionError, match="make a bias by distance"):
            check_replaceable(loaded, attention, what)
    for what in ("values", "pattern", "output", "residual"):
        check_replaceable(loaded, attention, what)


def test_a_head_switched_off_adds_nothing(catalog: Catalog) -> None:
    """Against the library's model with the head's rows of W_O set to 0."""
    loaded = catalog.load("gptj")
    request = AnalysisRequest(TEXT, interventions=(HeadOff(layer=0, heads=(1,)),))
    changed = analyse(loaded, request, max_tokens=64)
    model = transformers.GPTJForCausalLM.from_pretrained(str(catalog.load("gptj").model.name_or_path)).eval()
    with torch.inference_mode():
        model.transformer.h[0].attn.out_proj.weight[:, 8:16] = 0
        logits = model(torch.tensor([[token.id for token in changed.tokens]])).logits[0, -1]
    found = changed.predictions[0].candidates
    expected = logits.log_softmax(0).exp()
    for one in found:
        assert abs(one.probability - float(expected[one.id])) < 1e-6


def test_alibi_is_added_once(catalog: Catalog, folders: Path) -> None:
    """Falcon-RW against the library's default attention and naive code; the library's eager adds it twice."""
    loaded = catalog.load("falcon-alibi")
    checked = loaded.entry.self_check
    assert (loaded.entry.support, loaded.entry.positions) == ("carried", "alibi")
    assert checked is not None
    assert checked.weights is not None
    assert max(checked.weights, checked.last_hidden_state) <= 1e-5
    analysis = analyse(loaded, AnalysisRequest(TEXT, parity=True), max_tokens=64)
    assert analysis.parity is not None
    assert analysis.parity.within_bound
    model = transformers.FalconForCausalLM.from_pretrained(folders / "falcon-alibi", attn_implementation="sdpa").eval()
    mixed: list[Tensor] = []
    for block in model.transformer.h:
        block.self_attention.query_key_value.register_forward_hook(lambda _, __, output: mixed.append(output[0]))
    ids = torch.tensor([[token.id for token in analysis.tokens]])
    with torch.inference_mode():
        theirs = model(ids).logits
        with record():
            torch.testing.assert_close(loaded.model(ids).logits, theirs, rtol=0, atol=1e-5 * float(theirs.abs().max()))
    count = len(analysis.tokens)
    for layer, each in enumerate(mixed):
        for head in range(4):
            query, key, _ = each.view(count, 4, 3, 8)[:, head].unbind(dim=1)
            slope = float(torch.tensor(2.0 ** (-8 * (head + 1) / 4)))
            scores = (query @ key.T + slope * torch.arange(count)) / 8**0.5
            weights = scores.masked_fill(torch.ones(count, count).triu(1).bool(), -torch.inf).softmax(dim=-1)
            np.testing.assert_allclose(analysis.window(None, layer, head), weights.numpy(), rtol=0, atol=1e-5)
    eager = transformers.FalconForCausalLM.from_pretrained(folders / "falcon-alibi", attn_implementation="eager").eval()
    with torch.inference_mode():
        assert float((eager(ids).logits - theirs).abs().max()) > 1e-2
