"""Effects over prompts: the share of every head in the library's own logit, and gradients by finite differences."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.prompts.answers import expected_tokens
from attention_core.pretrained.studies.prompts.averages import collect_measures, measures_of
from attention_core.pretrained.studies.prompts.effects import collect_effects, effect_of
from attention_core.pretrained.studies.prompts.prompt_set import prompt_set

TEXTS = ["The cat sat on the", "Tom met the"]


@pytest.fixture(scope="module")
def study(decoder):
    prompts = prompt_set(decoder, TEXTS)
    analyses = [analyse(decoder, AnalysisRequest(text), max_tokens=60) for text in TEXTS]
    return expected_tokens(decoder, prompts, ["road"]), analyses


def by_hooks(decoder, text, token):
    """[layers, heads]: each head's output, through its rows of W_O and the final norm with its scale held fixed."""
    outputs, last = [], []
    handles = [
        block.attn.c_proj.register_forward_pre_hook(lambda _module, given: outputs.append(given[0][0, -1]))
        for block in decoder.model.transformer.h
    ]
    norm = decoder.model.transformer.ln_f
    handles.append(norm.register_forward_pre_hook(lambda _module, given: last.append(given[0][0, -1])))
    with torch.inference_mode():
        decoder.model(**tokenise(decoder, text)[0])
    for handle in handles:
        handle.remove()
    scale = (last[0].var(correction=0) + norm.eps).sqrt()
    row = decoder.model.lm_head.weight[token] * norm.weight
    found = []
    for block, output in zip(decoder.model.transformer.h, outputs, strict=True):
        written = torch.einsum(
            "hv,hvm->hm", output.unflatten(-1, (6, -1)), block.attn.c_proj.weight.unflatten(0, (6, -1))
        )
        found.append((written - written.mean(dim=-1, keepdim=True)) / scale @ row)
    return torch.stack(found).detach().numpy()


def test_direct_effects_are_those_that_hooks_find(decoder, study):
    expected, analyses = study
    found = [
        effect_of(decoder, each, "direct_effect", token, "decoder")
        for each, token in zip(analyses, expected, strict=True)
    ]
    for text, token, heads in zip(TEXTS, expected, found, strict=True):
        np.testing.assert_allclose(heads, by_hooks(decoder, text, token.id), atol=2e-4)
    collected = collect_measures([measures_of(each) for each in analyses]).and_also(
        collect_effects("decoder", "direct_effect", found)
    )
    summary = collected.summaries()["direct_effect"]
    np.testing.assert_allclose(summary.mean, np.mean(found, axis=0), atol=1e-6)
    np.testing.assert_allclose(summary.deviation, np.std(found, axis=0), atol=1e-6)
    assert collected.of_head(1, 2)["direct_effect"] == [float(each[1, 2]) for each in found]
    assert "entropy" in collected.values


def test_gradient_times_attention_is_that_of_the_library(decoder, study):
    expected, analyses = study
    model, before = decoder.model, decoder.model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        with torch.enable_grad():
            ids = tokenise(decoder, TEXTS[0])[0]["input_ids"]
            embedded = model.get_input_embeddings()(ids).detach().requires_grad_()
            out = model(inputs_embeds=embedded, output_attentions=True)
            gradients = torch.autograd.grad(out.logits[0, -1, expected[0].id], out.attentions)
    finally:
        model.set_attn_implementation(before)
    wanted = [(one * other)[0].sum(dim=(-1, -2)) for one, other in zip(out.attentions, gradients, strict=True)]
    found = effect_of(decoder, analyses[0], "attribution", expected[0], "decoder")
    np.testing.assert_allclose(found, torch.stack(wanted).detach().numpy(), atol=2e-4)
    best = effect_of(decoder, analyses[0], "attribution", None, "decoder")
    assert not np.allclose(best, found)  # of the most probable token instead
