"""Where a page of the course stands on the way of one sentence through a model, with that page's numbers.

A page that is a stage of the running example says what happens there; every other page belongs to one of the stages and
has a sentence of its own. Its numbers follow from those of the running example, or from the shape of the model; a test
computes each of them with the modules of the core.
"""

from dataclasses import dataclass

from .running_example import STATIONS, Station, station_of


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


BESIDE: dict[str, tuple[str, str, str]] = {
    "linear": (
        "Query and key",
        N_("32 × 384 numbers make the query"),
        N_(
            "The query of “it” is a linear layer's output: a matrix of 32 × 384 numbers, of this head alone, makes 32 numbers from 384."
        ),
    ),
    "scoring": (
        "Score",
        "3.55 · 8.95 · cos 31.1° = 27.19",
        N_("Lengths and angle give the score of “it” with “cat”: 3.55 · 8.95 · cos 31.1° = 27.19."),
    ),
    "reach": (
        "Mask",
        N_("through a window of 3: after 3 layers"),
        N_(
            "“cat” is 6 places before “it”. Without a mask it reaches “it” in the first layer; through a causal window of 3, 2 places a layer, only in the third."
        ),
    ),
    "qk_norm": (
        "Score",
        N_("cosines: “cat” 0.857, “mat” 0.694"),
        N_(
            "Without lengths only the angle counts: the cosine of “it” is 0.857 with “cat” and 0.694 with “mat”. The scores are 27.19 and 16.04, so lengths add to the lead of “cat”."
        ),
    ),
    "sinusoidal": (
        "Position",
        "sin 8 = 0.989, cos 8 = −0.146",
        N_(
            "“it” stands at position 8: the fastest pair of a sinusoidal position would be sin 8 = 0.989 and cos 8 = −0.146. MiniLM has learned its rows instead."
        ),
    ),
    "rope": (
        "Position",
        N_("6 places would be 343.8°"),
        N_(
            "From “it” back to “cat” it is 6 places: RoPE would turn the fastest pair of this head by 6 radians, 343.8°. MiniLM adds positions at the start instead."
        ),
    ),
    "alibi": (
        "Position",
        N_("4.81 would become 1.81"),
        N_(
            "With a slope of 1/2, ALiBi would take 3.00 from the scaled score of “cat”, 6 places away: 4.81 becomes 1.81, and “mat”, 2 places away, draws level at 1.84."
        ),
    ),
    "kernel": (
        "Weight",
        N_("e^(4.807) = 122.4 for “cat”"),
        N_(
            "Seen as a kernel: e^(4.807) = 122.4 for “cat” and e^(2.835) = 17.0 for “mat”, each divided by the sum over all 13."
        ),
    ),
    "training": (
        "Weight",
        N_("0.712 is learned; evenly it is 0.077"),
        N_(
            "Nobody wrote the 0.712 for “cat” down: it was learned. A head that attends to everything equally gives each of the 13 tokens 1/13 = 0.077."
        ),
    ),
    "parity": (
        "Weight",
        N_("0.712 in both"),
        N_(
            "Of the 13 weights of “it”, 0.712 is for “cat”: our own attention and the library's must agree on each of them."
        ),
    ),
    "claims": (
        "Heads",
        N_("“cat” 0.712, in one sentence"),
        N_(
            "That this head gives “cat” 0.712 and “mat” 0.099 is one sentence; whether a head does what is said of it, many must show."
        ),
    ),
    "head_roles": (
        "Heads",
        N_("“cat” 0.712, in one sentence"),
        N_(
            "In this sentence the head has found what “it” stands for, at 0.712; what it does in others makes its role."
        ),
    ),
    "context": (
        "Block",
        N_("6 blocks change row 2009"),
        N_(
            "“it” begins as row 2009, the same in every sentence; each of the 6 blocks adds what its 12 heads have found here."
        ),
    ),
    "kv_cache": (
        "Prediction",
        N_("2 · 6 · 192 = 2,304 numbers a token"),
        N_(
            "To go on writing, the small decoder keeps the key and the value of each token in each of its 6 layers: 2 · 6 · 192 = 2,304 numbers a token."
        ),
    ),
}
"""Page → the stage it belongs to, its number in brief, and what that page adds, with its numbers."""


@dataclass(frozen=True)
class Thread:
    """A page's place on the way."""

    station: Station
    """Where the sentence is."""
    brief: str
    """The number that stands beside the stage, in English."""
    says: str
    """What this page says of it, in English."""


def thread_of(stem: str) -> Thread | None:
    """A page's place on the way of the running example; None for pages outside the course."""
    if (station := station_of(stem)) is not None:
        return Thread(station, station.brief, station.says)
    if stem not in BESIDE:
        return None
    name, brief, says = BESIDE[stem]
    return Thread(next(station for station in STATIONS if station.name == name), brief, says)
