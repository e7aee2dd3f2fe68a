"""What an effect of patching means, and what it does not show, in words."""

from attention_core.pretrained.studies.patching.contrast import Direction
from attention_core.pretrained.studies.patching.patches import What
from attention_core.refusal import Sentence

DENOISING = Sentence(
    "Denoising: one activation of the clean run is put into the corrupt run. An effect of 0 leaves the corrupt run as "
    "it was, 1 restores the clean run's logit difference. It finds activations that are enough by themselves."
)
NOISING = Sentence(
    "Noising: one activation of the corrupt run is put into the clean run. An effect of 0 leaves the clean run as it "
    "was, 1 brings it to the corrupt run's logit difference. It finds activations that are needed."
)
BOTH_WAYS = Sentence(
    "Denoising and noising answer different questions: of two heads that do the same, each is enough and neither is "
    "needed."
)
REPAIR = Sentence(
    "Later layers react to a patch. Where they make up for it (self-repair, the hydra effect), a head that matters has "
    "a small effect."
)
MIXED = Sentence(
    "A patched run mixes two inputs, a state that the model never meets by itself; the effect may be due to that."
)
PAIR_ONLY = Sentence(
    "Whatever both inputs share has no effect, however important: the result is about what these two inputs differ "
    "in, and about these two answers."
)
WEAK = Sentence(
    "The two runs differ by less than 0.5 logits, and effects are shares of that: small changes look large here."
)
OF_WHAT: dict[What, Sentence] = {
    "output": Sentence("Patched: a head's output, its weighted mean of values, before the output projection."),
    "queries": Sentence("Patched: a head's queries, after any rotation by position."),
    "keys": Sentence("Patched: keys, after any rotation by position."),
    "values": Sentence("Patched: values. The weights stay those of the run that is patched."),
    "pattern": Sentence("Patched: a head's weights. They are applied to the values of the run that is patched."),
    "residual": Sentence("Patched: the residual stream at one position, before the layer: all that came before it."),
}
SHARED = Sentence("Keys and values belong to KV heads: a patch reaches the {count} query heads that share one.")
PATHS = Sentence(
    "Path patching (Wang et al. 2022): only the sender's output is from the other run, all other heads are held at the "
    "run that is patched, feed-forward layers and norms are computed anew. What then reaches the receiver is patched "
    "into it, and everything behind it is computed anew."
)
PATHS_HELD = Sentence(
    "Paths along the residual stream alone (Goldowsky-Dill et al. 2023): only the sender's output is from the other "
    "run, all other heads and all feed-forward layers are held at the run that is patched, norms are computed anew. "
    "What then reaches the receiver is patched into it, and everything behind it is computed anew."
)
TO_LOGITS = Sentence(
    "To the logits: the sender's output is from the other run, all other heads are held, feed-forward layers and norms "
    "are computed anew."
)
TO_LOGITS_HELD = Sentence(
    "Along the residual stream to the logits: the sender's output is from the other run, all other heads and all "
    "feed-forward layers are held, norms are computed anew."
)


def path_caveats(direction: Direction, *, to_logits: bool, held: bool, weak: bool, shared: int) -> list[Sentence]:
    """For a grid of paths."""
    return [
        DENOISING if direction == "denoising" else NOISING,
        (TO_LOGITS_HELD if held else TO_LOGITS) if to_logits else PATHS_HELD if held else PATHS,
        *([Sentence(SHARED.template, count=shared)] if shared > 1 else []),
        *([WEAK] if weak else []),
        MIXED,
        PAIR_ONLY,
    ]


def caveats(what: What, direction: Direction, *, weak: bool, shared: int) -> list[Sentence]:
    """For a grid of patches; ``shared`` query heads use one column of it."""
    return [
        DENOISING if direction == "denoising" else NOISING,
        OF_WHAT[what],
        *([Sentence(SHARED.template, count=shared)] if shared > 1 else []),
        *([WEAK] if weak else []),
        BOTH_WAYS,
        REPAIR,
        MIXED,
        PAIR_ONLY,
    ]
