"""Measures of one text beyond its metrics, against naive loops over the library's own eager weights."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.prompts.averages import collect_measures, measures_of
from attention_core.pretrained.studies.prompts.text_measures import PROMPT_MEASURES, text_measures

REPEATED = "The cat saw the dog, the cat saw the bird. The the end"
LONG = "a cat and a dog saw the cat and the bird " * 8
"""More rows than one block has."""


def eager(loaded, text):
    """[layers, heads, N, N] by transformers' own attention, and the ids."""
    model, before = loaded.model, loaded.model.config._attn_implementation
    model.set_attn_implementation("eager")
    inputs = tokenise(loaded, text)[0]
    try:
        with torch.inference_mode():
            found = model(**inputs, output_attentions=True).attentions
    finally:
        model.set_attn_implementation(before)
    return torch.stack(found)[:, 0].double().numpy(), inputs["input_ids"][0].tolist()


def naive(weights, ids, special, after):
    """Query by query: the weight on the key ``after`` places behind the token's last occurrence."""
    found = []
    for query in range(len(ids)):
        earlier = [key for key in range(query) if ids[key] == ids[query]]
        if earlier and not special[query] and (after == 0 or earlier[-1] + 1 < query - 1):
            found.append(weights[:, :, query, earlier[-1] + after])
    return np.mean(found, axis=0)


@pytest.mark.parametrize("text", [REPEATED, LONG])
@pytest.mark.parametrize("name", ["minilm", "decoder"])
def test_repeated_tokens_and_strongest_weights_are_those_of_a_naive_loop(request, name, text):
    loaded = request.getfixturevalue(name)
    analysis = analyse(loaded, AnalysisRequest(text), max_tokens=120)
    weights, ids = eager(loaded, text)
    special = [token.special for token in analysis.tokens]
    found = text_measures(analysis.parts[0].record, analysis.tokens)
    np.testing.assert_allclose(found["duplicate_token"], naive(weights, ids, special, 0), atol=2e-6)
    np.testing.assert_allclose(found["induction"], naive(weights, ids, special, 1), atol=2e-6)
    np.testing.assert_allclose(found["strongest_weight"], weights.max(axis=-1).mean(axis=-1), atol=2e-6)
    # What a head writes is Σ w ‖v W_O‖: here from the model's own value and output projections.
    size = len(ids)
    drawn = [analysis.window(None, 2, head, "norm_weighted", max_cells=size**2) for head in (0, 3)]
    assert found["norm_weighted"][2, [0, 3]] == pytest.approx([each.sum(axis=1).mean() for each in drawn], rel=1e-4)


def test_what_a_head_writes_by_the_model_s_own_projections(decoder):
    analysis = analyse(decoder, AnalysisRequest(REPEATED), max_tokens=120)
    weights, _ = eager(decoder, REPEATED)
    block, seen = decoder.model.transformer.h[1], []
    handle = block.attn.c_attn.register_forward_hook(lambda _module, _given, out: seen.append(out[0].detach()))
    with torch.inference_mode():
        decoder.model(**tokenise(decoder, REPEATED)[0])
    handle.remove()
    width = seen[0].shape[-1] // 3
    values = seen[0][:, 2 * width :].unflatten(-1, (6, -1))
    output = block.attn.c_proj.weight.unflatten(0, (6, -1))
    lengths = torch.einsum("khv,hvm->hkm", values, output).norm(dim=-1).numpy()
    wanted = [(weights[1, head] @ lengths[head]).mean() for head in range(6)]
    found = text_measures(analysis.parts[0].record, analysis.tokens)["norm_weighted"][1]
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.full
def test_what_a_text_does_not_define_is_left_out_and_said(models_dir, decoder):
    plain = [analyse(decoder, AnalysisRequest(text), max_tokens=60) for text in ("The cat", "A dog sat")]
    found = collect_measures([measures_of(each) for each in plain])
    assert {name: str(why) for name, why in found.undefined.items()} == {
        "induction": "no prompt repeats a token with two others or more in between",
        "duplicate_token": "no prompt repeats a token",
    }
    assert list(found.values) == [name for name in PROMPT_MEASURES if name not in found.undefined]
    twice = analyse(decoder, AnalysisRequest(" the the"), max_tokens=60)  # nothing stands between
    assert measures_of(twice).values.keys() - PROMPT_MEASURES.keys() == set()
    again = analyse(decoder, AnalysisRequest(" the, the, the cat"), max_tokens=60)  # what followed precedes
    assert measures_of(again).values.keys() - PROMPT_MEASURES.keys() == set()
    assert "induction" not in measures_of(again).values
    some = collect_measures([measures_of(each) for each in (plain[0], twice)])
    assert (some.defined["duplicate_token"], list(some.undefined)) == ([1], ["induction"])
    loaded = Catalog(models_dir=models_dir, device="cpu").load("tiny-bart")
    both = analyse(loaded, AnalysisRequest("The cat the cat sat.", None, "the cat sat the cat sat"), max_tokens=60)
    cross = collect_measures([measures_of(both, "cross")])
    assert all("cross-attention" in str(why) for why in cross.undefined.values())
    assert set(cross.undefined) == {name for name, info in PROMPT_MEASURES.items() if info.self_attention_only}
    own = collect_measures([measures_of(both, "decoder")])
    ids = tokenise_target(loaded, "the cat sat the cat sat")[0]["decoder_input_ids"][0].tolist()
    window = both.window("decoder", 1, 2)[None, None]
    special = [token.special for token in both.target_tokens]
    assert own.values["induction"][0, 1, 2] == pytest.approx(naive(window, ids, special, 1).item(), abs=1e-6)
