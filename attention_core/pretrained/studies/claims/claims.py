"""Findings about heads of known models, measured on the model itself or on a carried model of the same kind.

A claim holds if the measured value is within its tolerance of the reference, or at least as large. A reference is
what a source published, a limit set here where the source gives no number, or what this project measured first;
each claim says which. Conventions differ between papers (which texts, with or without special tokens), so each claim
states its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.circuits.induction import head_scores
from attention_core.pretrained.studies.claims.claim_measures import (
    HeadRelation,
    HeadScore,
    Measure,
    SeparatorShare,
    TokenWeight,
    of_head,
    separator_share,
    token_weight,
)
from attention_core.pretrained.studies.claims.relations import MEASURED_ON, found_by_heads
from attention_core.refusal import Sentence

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
GPT2 = "openai-community/gpt2"
BERT = "google-bert/bert-base-uncased"
DECODER = "observatory-gpt2-mini"
CAT = "The cat sat on the mat because it was tired."
PAIR = "It had walked all day."

Origin = Literal["published", "limit_set_here", "measured_here"]
"""Whose number a reference is."""


@dataclass(frozen=True)
class Claim:
    """A finding, whose number it is, and how it is measured."""

    id: str
    model: str
    measure: Measure
    reference: float
    tolerance: float | None
    """None: at least the reference."""
    origin: Origin
    label: Sentence
    """Whose number the reference is, in words."""
    convention: Sentence
    source: Sentence

    def holds(self, measured: float) -> bool:
        """Whether this measurement supports the claim."""
        if self.tolerance is None:
            return measured >= self.reference
        return abs(measured - self.reference) <= self.tolerance


EAGER = Sentence("One weight of the library's own eager attention, special tokens included.")
REPEATED = Sentence("Random tokens, repeated once, after the model's first token; not the texts of the source.")
OWN_SOURCE = Sentence("Measured by this project on the published weights with transformers 5.23; no paper states it.")
OWN_LABEL = Sentence("measured here, first on {day}", "2026-11-21")
INDUCTION_SOURCE = Sentence("A public notebook on GPT-2 small's induction scores (second-hand)")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "minilm-it-cat",
        MINILM,
        TokenWeight(CAT, 5, 11, "it", "cat"),
        0.71,
        0.01,
        "measured_here",
        OWN_LABEL,
        EAGER,
        OWN_SOURCE,
    ),
    Claim(
        "minilm-it-cat-3-1",
        MINILM,
        TokenWeight(CAT, 3, 1, "it", "cat"),
        0.49,
        0.01,
        "measured_here",
        OWN_LABEL,
        EAGER,
        OWN_SOURCE,
    ),
    Claim(
        "minilm-previous",
        MINILM,
        TokenWeight(CAT, 0, 2, "it", "because"),
        1.0,
        0.01,
        "measured_here",
        OWN_LABEL,
        EAGER,
        OWN_SOURCE,
    ),
    *(
        Claim(
            f"gpt2-induction-{layer}-{head}",
            GPT2,
            HeadScore("induction", layer, head),
            published,
            0.1,
            "published",
            Sentence("published (a public notebook, second-hand)"),
            REPEATED,
            INDUCTION_SOURCE,
        )
        for layer, head, published in ((5, 5, 0.932), (6, 9, 0.913), (7, 10, 0.910), (5, 1, 0.908), (7, 2, 0.833))
    ),
    *(
        Claim(
            f"gpt2-previous-{layer}-{head}",
            GPT2,
            HeadScore("previous_token_random", layer, head),
            0.5,
            None,
            "limit_set_here",
            Sentence("limit set here (the head: Wang et al. 2022)"),
            Sentence(
                "{repeated} The source lists the head without a number; here it must put half of its weight there.",
                REPEATED,
            ),
            Sentence("Wang et al. (2022), previous-token heads of the IOI circuit"),
        )
        for layer, head in ((2, 2), (4, 11))
    ),
    Claim(
        "bert-separator",
        BERT,
        SeparatorShare(CAT, PAIR, 5, 9),
        0.5,
        None,
        "published",
        Sentence("published (Clark et al. 2019, second-hand)"),
        Sentence(
            "Mean over all heads and tokens of layers 5 to 9, counted from 0; a pair of sentences instead of Wikipedia."
        ),
        Sentence("Clark et al. (2019), section 3.2: over half of the attention of layers 6–10 (second-hand)"),
    ),
    # What papers say about BERT and GPT-2, on the carried models of the same architecture. Appended, since addresses
    # hold a claim by its place in this list.
    Claim(
        "minilm-previous-random",
        MINILM,
        HeadScore("previous_token_random", 0, 2),
        0.5,
        None,
        "published",
        Sentence("published for BERT-base (Clark et al. 2019, second-hand)"),
        REPEATED,
        Sentence(
            "Clark et al. (2019), section 3.1 (second-hand): four heads of BERT-base put over half of their attention "
            "on the previous token. MiniLM is another model of BERT's architecture."
        ),
    ),
    Claim(
        "minilm-separator",
        MINILM,
        SeparatorShare(CAT, PAIR, 2, 4),
        0.5,
        None,
        "published",
        Sentence("published for BERT-base (Clark et al. 2019, second-hand)"),
        Sentence(
            "Mean over all heads and tokens of layers 2 to 4 of 6, counted from 0, where BERT-base has layers 5 to 9 "
            "of 12; a pair of sentences instead of Wikipedia."
        ),
        Sentence(
            "Clark et al. (2019), section 3.2, about BERT-base (second-hand). MiniLM is another model of BERT's "
            "architecture, trained for another purpose."
        ),
    ),
    *(
        Claim(
            name,
            DECODER,
            HeadScore(score, layer, head),
            0.5,
            None,
            "limit_set_here",
            Sentence("limit set here (the finding: Olsson et al. 2022)"),
            Sentence("Random tokens, repeated once, after the model's first token."),
            Sentence(
                "Olsson et al. (2022): models with two layers or more form induction heads, which need previous-token "
                "heads below. This model's training was arranged for them (its card says how), so it shows the "
                "mechanism and discovers nothing."
            ),
        )
        for name, score, layer, head in (
            ("decoder-induction", "induction", 1, 1),
            ("decoder-previous", "previous_token_random", 0, 1),
        )
    ),
    Claim(
        "minilm-direct-object",
        MINILM,
        HeadRelation("direct_object", 2, 0),
        5 / 12,
        None,
        "limit_set_here",
        Sentence("limit set here (what the best fixed distance finds)"),
        Sentence(
            "Share of 12 sentences of our own in which the direct object attends most to its verb. Tokens of a word "
            "are merged; [CLS], [SEP] and the word itself do not count. Head and distance were chosen on 12 other "
            "sentences."
        ),
        Sentence(
            "The question and the way to count: Clark et al. (2019), section 4.2. In BERT-base head 7-9, counted from "
            "0, finds 86.8 % of newspaper sentences, the best fixed distance 40.0 %. The sentences here and MiniLM "
            "are others, so neither percentage is expected."
        ),
    ),
    Claim(
        "minilm-pronoun",
        MINILM,
        HeadRelation("pronoun", 3, 1),
        7 / 12,
        None,
        "limit_set_here",
        Sentence("limit set here (what the best fixed distance finds)"),
        Sentence(
            "Share of 12 sentences of our own in which the pronoun attends most to the noun that it stands for, among "
            "all words. Tokens of a word are merged; [CLS], [SEP] and the word itself do not count. Head and distance "
            "were chosen on 12 other sentences."
        ),
        Sentence(
            "The question: Clark et al. (2019), section 4.3 (second-hand). In BERT-base head 4-3, counted from 0, "
            "finds what 65 % of all mentions refer to, also beyond the sentence. Here there are simple sentences, "
            "only pronouns and another model: that percentage is not expected."
        ),
    ),
)


def claims_about(model_id: str) -> list[Claim]:
    """The claims measured on this model."""
    return [claim for claim in CLAIMS if claim.model == model_id]


@dataclass(frozen=True)
class Measurements:
    """Measured values on one model, by claim id."""

    values: dict[str, float]
    others: dict[str, float]
    """Of each weight, what the other queries give the same key on average."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 64 * max(len(self.values) + len(self.others), 1)


def measure(loaded: LoadedModel, claims: Sequence[Claim], cancelled: Callable[[], bool] | None = None) -> Measurements:
    """Measure these claims on this model. Raises SelectionError for a missing head."""
    check = stopping(cancelled, "measurement")
    check()
    scores: dict[str, np.ndarray] = {}
    if any(isinstance(claim.measure, HeadScore) for claim in claims):
        scores = head_scores(loaded, cancelled=cancelled).parts[0].scores
    values: dict[str, float] = {}
    others: dict[str, float] = {}
    for claim in claims:
        asked = claim.measure
        match asked:
            case HeadScore():
                values[claim.id] = of_head(scores[asked.score], asked)
            case TokenWeight():
                values[claim.id], others[claim.id] = token_weight(loaded, asked, check)
            case HeadRelation():
                values[claim.id] = of_head(found_by_heads(loaded, MEASURED_ON[asked.relation], check), asked)
            case SeparatorShare():
                values[claim.id] = separator_share(loaded, asked, check)
    return Measurements(values, others)
