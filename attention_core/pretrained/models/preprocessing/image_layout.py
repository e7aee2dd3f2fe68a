"""Which tokens of a vision transformer are patches, found by painting single patches.

Names prove little, so the model is asked: of a noise image and some copies in each of which one patch was painted over,
the embeddings differ in one token each. Tokens before and after the patches are named by the model's own parameters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules

NAMES = {
    "cls_token": "CLS",
    "class_embedding": "CLS",
    "class_token": "CLS",
    "distillation_token": "DIST",
    "register_tokens": "REG",
    "detection_tokens": "DET",
}
"""What is learned in place of a patch, by the name of the parameter."""


@dataclass(frozen=True)
class ImageLayout:
    """The tokens beside the patches, which stand row by row."""

    before: tuple[str, ...] = ("[CLS]",)
    after: tuple[str, ...] = ()
    read: tuple[int, ...] = ()
    """Indices of the tokens here that a classifier reads; none if it reads patches, or is none."""


def image_layout(model: PreTrainedModel, rules: ImageRules, inputs: Mapping[str, Tensor]) -> ImageLayout:
    """The layout of this model's tokens. Raises ModelUnavailableError unless each patch is one token, row by row."""
    down, across = rules.grid
    probed = sorted({0, across - 1, down * across // 2, down * across - 1})
    pixels = inputs["pixel_values"].repeat(1 + len(probed), 1, 1, 1)
    for copy, patch in enumerate(probed, start=1):
        top, left = patch // across * rules.patch_height, patch % across * rules.patch_width
        pixels[copy, :, top : top + rules.patch_height, left : left + rules.patch_width] += 1.0
    with torch.no_grad():
        embedded = model(pixel_values=pixels, output_hidden_states=True).hidden_states[0]
    if embedded.ndim != 3 or embedded.shape[0] != len(pixels):
        raise _other_tokens()
    changed = [(copy != embedded[0]).any(dim=-1).nonzero().flatten().tolist() for copy in embedded[1:]]
    first = changed[0][0] if changed[0] else 0
    count = embedded.shape[1] - down * across
    if changed != [[first + patch] for patch in probed] or first > count:
        raise _other_tokens()
    names = list(_names(model))
    if len(names) != count:
        names = [f"[{number}]" for number in range(count)]
    return ImageLayout(tuple(names[:first]), tuple(names[first:]))


def _names(model: PreTrainedModel) -> Iterator[str]:
    """The names of learned tokens, in the order of their parameters."""
    for path, parameter in model.named_parameters():
        name = NAMES.get(path.rpartition(".")[2])
        if name is not None:
            count = 1 if parameter.ndim < 2 else parameter.shape[-2]
            yield from (f"[{name}]" if count == 1 else f"[{name} {number}]" for number in range(count))


def _other_tokens() -> ModelUnavailableError:
    return ModelUnavailableError("Its tokens are not the patches of the image one by one, so they have no place in it.")
