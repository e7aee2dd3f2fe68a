"""One sentence through every stage of a model, page by page, with the same head and the same numbers.

The numbers are those of MiniLM, layer 5, head 11, where “it” attends to “cat” the most of all 72 heads, as
most other tokens do. Each page of the way has a preset that shows them in its own picture: pages that load a model compute them there, the others are given
the scores or lengths and angles as written here. A test computes each of them with transformers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"
LAYER, HEAD, IT, CAT = 5, 11, 8, 2

RAW_SCORES = (
    *(15.2454, 1.8255, 27.1948, 8.2134, -8.0656, 2.1144, 16.0397),
    *(-4.7258, 3.0193, -4.1181, 8.4242, 2.63, 3.085),
)
"""Of the query “it” with the keys of all 13 tokens."""
SCALED_SCORES = (
    *(2.69503, 0.32271, 4.80741, 1.45193, -1.42581, 0.37377, 2.83545),
    *(-0.83541, 0.53375, -0.72799, 1.4892, 0.46491, 0.54536),
)
"""The same ÷ √32."""
ROOT = 5.65685
"""√32"""
QUERY_ANGLE, QUERY_LENGTH = 45, 3.54597
"""The angle is the one with which the page begins."""
KEY_ANGLES = (
    *(94.16, -36.911, 76.067, -18.162, 161.001, -32.54, 91.057),
    *(-66.115, 119.767, -60.164, 104.279, -29.327, 116.707),
)
"""In degrees, so that each key is at its true angle to the query; alternately on its two sides."""
KEY_LENGTHS = (
    *(6.57449, 3.65871, 8.95343, 5.1305, 5.18848, 2.76353, 6.51834),
    *(3.6996, 3.24081, 4.43966, 4.65036, 2.74545, 2.77178),
)


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


@dataclass(frozen=True)
class Station:
    """One stage of the way, on the page that explains it."""

    stem: str
    name: str
    brief: str
    """The number of this stage, beside its name in the head of the page."""
    says: str
    """What happens to the sentence here, with its numbers."""
    address: str
    """Where the same numbers are seen in the model."""
    preset: Mapping[str, str] = field(default_factory=dict)
    """The parameters with which the page's own picture shows them; none where only a model can."""
    step: int = 1
    """Of the page's calculation, which makes these numbers."""
    shows: str = ""
    """What else is to know about that picture."""


def _list(numbers: Sequence[float]) -> str:
    return "_".join(map(str, numbers))


def _explorer(**more: str) -> str:
    selection = {
        "model": MINILM,
        "text": SENTENCE,
        "layer": str(LAYER),
        "head": str(HEAD),
        "query": str(IT),
        "key": str(CAT),
    }
    return "/?" + urlencode(selection | more)


NUMBERS = N_("The numbers 0 to 12 are the tokens from [CLS] to [SEP]: 2 is “cat”, 6 is “mat”.")

STATIONS = (
    Station(
        "why",
        N_("Tokens"),
        N_("13 tokens: “cat” is 2, “it” 8"),
        N_("The sentence is 13 tokens, from [CLS] to [SEP]. “cat” is number 2 and “it” number 8, counted from 0."),
        _explorer(),
    ),
    Station(
        "embedding",
        N_("Embedding"),
        N_("“it” is row 2009: 384 numbers"),
        N_(
            "“it” is token 2009 of MiniLM's vocabulary; row 2009 of its table, a vector of 384 numbers, is the starting point."
        ),
        "/embedding?" + urlencode({"text": SENTENCE, "token": str(IT)}),
        {"text": SENTENCE, "token": str(IT), "other": str(CAT)},
        2,
    ),
    Station(
        "order",
        N_("Position"),
        N_("row 8 for “it”, row 2 for “cat”"),
        N_(
            "MiniLM adds row 8 of a table of 512 positions to the vector of “it”, and row 2 to that of “cat”. Without them any order of the 13 tokens would be the same to it."
        ),
        _explorer(view="vectors"),
    ),
    Station(
        "projections",
        N_("Query and key"),
        N_("a query and a key of 32 numbers each"),
        N_(
            "In layer 5, head 11 makes a query of 32 numbers from the vector of “it”, and a key of 32 numbers from that of “cat”."
        ),
        _explorer(view="vectors"),
        {"view": "model", "query": str(IT)},
        2,
    ),
    Station(
        "circle",
        N_("Score"),
        N_("“it” with “cat”: 27.19"),
        N_(
            "The dot product of this query and this key is 27.19, the largest of the 13 scores of “it”; with “mat” it is 16.04."
        ),
        _explorer(stage="raw_scores"),
        {
            "n": "13",
            "q_lengths": str(QUERY_LENGTH),
            "k": _list(KEY_ANGLES),
            "lengths": _list(KEY_LENGTHS),
            "t": str(ROOT),
            "key": str(CAT),
        },
        1,
        N_(
            "Two dimensions suffice for that: every key has its true length and its true angle to the query, so every dot product is the model's. The temperature √32 scales them. Key 2 is “cat”, key 6 “mat”."
        ),
    ),
    Station(
        "scaling",
        N_("Scaled score"),
        "27.19 / √32 = 4.81",
        N_("27.19 / √32 = 4.81, and 16.04 / √32 = 2.84 for “mat”."),
        _explorer(stage="scaled_scores"),
        {"view": "saturation", "scores": _list(RAW_SCORES), "divisor": str(ROOT)},
        2,
        NUMBERS,
    ),
    Station(
        "masks",
        N_("Mask"),
        N_("“cat” 0.712, with a causal mask 0.748"),
        N_(
            "MiniLM has no causal mask: “it” attends to all 13 tokens, and gives “cat” 0.712. A decoder would leave only the 9 up to “it”, and “cat” would get 0.748 of the same scores."
        ),
        _explorer(stage="weights"),
    ),
    Station(
        "softmax",
        N_("Weight"),
        N_("“cat” 0.712, “mat” 0.099"),
        N_(
            "Softmax of the 13 scaled scores gives “cat” 0.712 and “mat” 0.099: e^(4.81 − 2.84) is about 7.2, the ratio of the two."
        ),
        _explorer(stage="weights"),
        {"scores": _list(SCALED_SCORES), "chosen": str(CAT)},
        4,
        NUMBERS,
    ),
    Station(
        "projections",
        N_("Sum of values"),
        N_("“cat”, “mat” and [CLS]: 0.897"),
        N_(
            "The head's output for “it” is the sum of all 13 values times their weights: “cat”, “mat” and [CLS] make 0.897 of it."
        ),
        _explorer(view="vectors"),
        {"view": "model", "query": str(IT)},
        6,
    ),
    Station(
        "multi_head",
        N_("Heads"),
        N_("head 4 gives “cat” 0.421, head 9 0.006"),
        N_(
            "“it” is not alone in this: the other tokens give “cat” 0.61 on average. Head 11 is one of 12; in the same layer head 4 gives “cat” 0.421 and head 9 only 0.006: they look for other things."
        ),
        _explorer(view="token"),
        {"sentence": SENTENCE, "layer": str(LAYER), "head": str(HEAD), "query": str(IT)},
        4,
    ),
    Station(
        "block",
        N_("Block"),
        N_("12 × 32 = 384 numbers"),
        N_(
            "The outputs of the 12 heads, 12 × 32 = 384 numbers, go through W_O and are added to the vector of “it”; a feed-forward layer follows."
        ),
        "/block?" + urlencode({"model": MINILM, "text": SENTENCE, "layer": str(LAYER), "token": str(IT)}),
        {"model": MINILM, "text": SENTENCE, "layer": str(LAYER), "token": str(IT)},
        9,
    ),
    Station(
        "decoder",
        N_("Prediction"),
        N_("“ a” at 0.088"),
        N_(
            "A decoder goes one step further and predicts the next token. After “The cat sat on the mat because it was”, the small one that comes with this site finds “ a” most likely, at 0.088."
        ),
        "/?" + urlencode({"model": DECODER, "text": "The cat sat on the mat because it was", "view": "output"}),
    ),
)


def station_of(stem: str) -> Station | None:
    """The stage that a page explains, the first if it explains several; None for pages beside the way."""
    return next((station for station in STATIONS if station.stem == stem), None)
