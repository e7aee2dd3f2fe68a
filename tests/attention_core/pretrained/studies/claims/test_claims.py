"""Claims: measured here against the library's own eager attention, and on models that are not what they are about."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.circuits.induction import HEAD_SCORES, head_scores
from attention_core.pretrained.studies.claims.claim_measures import SeparatorShare
from attention_core.pretrained.studies.claims.claims import (
    BERT,
    CAT,
    CLAIMS,
    DECODER,
    GPT2,
    MINILM,
    Claim,
    claims_about,
    measure,
)
from attention_core.refusal import Sentence

NOTHING = Sentence("")


def attentions(loaded: LoadedModel, *texts: str) -> tuple[list[Any], list[str]]:
    inputs, tokens = tokenise(loaded, *texts)
    with torch.no_grad():
        out: Any = body(eager_copy(loaded.model))(**inputs, output_attentions=True)
    return [weights[0].numpy() for weights in out.attentions], [token.text for token in tokens]


@pytest.mark.full
def test_minilm_bears_out_what_was_measured_on_it_and_one_of_two_claims_about_bert(minilm: LoadedModel) -> None:
    found = measure(minilm, claims_about(MINILM)).values
    weights, words = attentions(minilm, CAT)
    it, cat, because = (words.index(word) for word in ("it", "cat", "because"))
    expected = {
        "minilm-it-cat": weights[5][11, it, cat],
        "minilm-it-cat-3-1": weights[3][1, it, cat],
        "minilm-previous": weights[0][2, it, because],
    }
    own = {claim.id: found[claim.id] for claim in claims_about(MINILM) if claim.origin == "measured_here"}
    assert own == pytest.approx(expected, abs=1e-5)
    best = {"minilm-direct-object": 10 / 12, "minilm-pronoun": 10 / 12}
    assert {name: found[name] for name in best} == pytest.approx(best)
    held = {claim.id: claim.holds(found[claim.id]) for claim in claims_about(MINILM)}
    assert held == dict.fromkeys([*expected, *best], True) | {"minilm-previous-random": True, "minilm-separator": False}
    assert f"{found['minilm-separator']:.2f}" == "0.04"


def test_the_decoder_bears_its_claims_out(catalog: Catalog) -> None:
    found = measure(catalog.load(DECODER), claims_about(DECODER)).values
    assert set(found) == {"decoder-induction", "decoder-previous"}
    assert min(found.values()) > 0.95


def test_only_what_a_source_says_is_called_published() -> None:
    for claim in CLAIMS:
        start = {
            "published": "published",
            "limit_set_here": "limit set here",
            "measured_here": "measured here, first on",
        }
        assert str(claim.label).startswith(start[claim.origin]), claim.id
        assert (claim.origin == "measured_here") == ("this project" in str(claim.source)), claim.id


def test_scores_and_shares_on_other_models(catalog: Catalog, minilm: LoadedModel) -> None:
    """What the claims about GPT-2 and BERT ask is measured on smaller models, which need not bear them out."""
    tiny = catalog.load("tiny-gpt2")
    scores = head_scores(tiny).parts[0].scores
    claim = next(each for each in CLAIMS if each.id == "gpt2-induction-5-5")
    small = replace(claim, id="small", measure=replace(claim.measure, layer=1, head=2))  # type: ignore[arg-type]
    share = Claim(
        "share",
        GPT2,
        SeparatorShare("The cat sat.", "It was tired.", 1, 3),
        0.5,
        None,
        "published",
        NOTHING,
        NOTHING,
        NOTHING,
    )
    assert measure(tiny, [small]).values == {"small": pytest.approx(float(scores["induction"][1, 2]))}
    weights, words = attentions(minilm, "The cat sat.", "It was tired.")
    separators = [index for index, word in enumerate(words) if word == "[SEP]"]
    assert len(separators) == 2
    expected = np.mean([weights[layer][:, :, separators].sum(axis=-1).mean() for layer in (1, 2, 3)])
    assert measure(minilm, [share]).values == {"share": pytest.approx(expected, abs=1e-5)}


def test_a_claim_holds_within_its_tolerance_or_from_its_number_on() -> None:
    near = Claim("a", MINILM, SeparatorShare("a", "b", 0, 0), 0.7, 0.01, "published", NOTHING, NOTHING, NOTHING)
    assert near.holds(0.6951)
    assert not near.holds(0.6899)
    assert not near.holds(0.7101)
    least = replace(near, tolerance=None)
    assert least.holds(0.9)
    assert least.holds(0.7)
    assert not least.holds(0.69)


def test_every_claim_can_be_asked() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.model for claim in CLAIMS} == {MINILM, GPT2, BERT, DECODER}
    scores = {claim.measure.score for claim in CLAIMS if hasattr(claim.measure, "score")}
    assert scores <= set(HEAD_SCORES)
    assert all(claim.source and claim.convention and 0 < claim.reference <= 1 for claim in CLAIMS)


def test_what_is_refused(catalog: Catalog, minilm: LoadedModel) -> None:
    with pytest.raises(SelectionError, match="model has no head 5 in layer 5") as error:
        measure(catalog.load("tiny-gpt2"), claims_about(GPT2))
    assert error.value.field == "model"
    with pytest.raises(SelectionError, match="model has no head 11 in layer 5"):
        measure(catalog.load("tiny-bert"), claims_about(MINILM))
    with pytest.raises(Cancelled, match="the measurement was cancelled"):
        measure(minilm, claims_about(MINILM), cancelled=lambda: True)
    assert claims_about("nobody/nothing") == []
    assert measure(minilm, []).values == {}
