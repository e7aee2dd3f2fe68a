"""Find weights that are stored as codes: numbers of another kind, which only a scale makes weights again."""

from collections.abc import Iterable, Iterator

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.safetensors_header import BITS, Header
from attention_core.refusal import Sentence

SMALL_FLOATS = frozenset(name for name in BITS if name.startswith(("F4", "F6", "F8")))
INTEGERS = frozenset(name for name in BITS if name[0] in "IU")
FEWEST = 2
"""Dimensions of a weight; biases, scales and counters have fewer."""


def check_numbers(headers: Iterable[Header]) -> tuple[Sentence, ...]:
    """What is to be said of a model whose config.json says nothing of quantization.

    Raises ModelUnavailableError if its weights are integers, or small floats beside scales: read as they are, they
    would be other numbers than those of the model.
    """
    headers = list(headers)
    integers = [*_weights(headers, INTEGERS)]
    small = [*_weights(headers, SMALL_FLOATS)]
    scaled = small if any("scale" in name for header in headers for name in header.shapes) else []
    if codes := integers or scaled:
        raise ModelUnavailableError(
            "Its weights are quantized ({count} tensors, the first being {first} in {type}), but config.json has no "
            "quantization_config, so they would be read as wrong numbers. Store them as float32, float16 or bfloat16.",
            len(codes),
            codes[0][0],
            codes[0][1],
        )
    if not small:
        return ()
    return (
        Sentence(
            "{count} of its weights are stored in 8 bits or fewer and without scales, the first being {first} "
            "({type}); they are read as they are.",
            len(small),
            small[0][0],
            small[0][1],
        ),
    )


def _weights(headers: Iterable[Header], types: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Name and type of every weight of these types; of integers only what is named a weight, since some are indices."""
    for header in headers:
        for name, kind in header.types.items():
            is_weight = kind == "I8" or kind in SMALL_FLOATS or name.endswith("weight")
            if kind in types and is_weight and len(header.shapes[name]) >= FEWEST and all(header.shapes[name]):
                yield name, kind
