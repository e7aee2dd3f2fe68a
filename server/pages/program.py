"""The program that grows through the course: a decoder in PyTorch to which most lessons add a piece.

The pieces are one file that runs as it is; lines such as ``# --- masks ---`` say where a lesson's piece begins.
"""

import re

from ..web.assets import Assets

FILE = "course/decoder.py"
"""Among the static files."""
MARK = re.compile(r"^# --- (\w+) ---\n", re.MULTILINE)


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


ADDS = {
    "why": N_("a text, and the simplest way for words to take in one another"),
    "vectors": N_("a vocabulary, and a row of numbers for each word"),
    "linear": N_("a linear layer"),
    "roles": N_("queries, keys and values"),
    "dot_product": N_("scores"),
    "softmax": N_("weights"),
    "scaling": N_("the division by √d_k"),
    "masks": N_("the causal mask"),
    "heads": N_("attention itself, with several heads"),
    "training": N_("a loss, and a first network that learns the text by heart"),
    "order": N_("the proof that attention does not see the order"),
    "positions": N_("RoPE"),
    "norms": N_("QK-norm"),
    "block": N_("a block: attention and a feed-forward layer"),
    "decoder": N_("a decoder that learns, and writes with a cache"),
    "models": N_("a comparison with PyTorch's own attention"),
}
"""What a lesson's piece is, by the lesson's id; the others add nothing."""


def whole(assets: Assets) -> str:
    """The program, to be kept and run."""
    return MARK.sub("", assets.own(FILE))


def pieces(assets: Assets) -> dict[str, str]:
    """The code that each lesson adds, in the order of the program. One after the other they are the whole file."""
    _, *parts = MARK.split(assets.own(FILE))
    return dict(zip(parts[::2], parts[1::2], strict=True))
