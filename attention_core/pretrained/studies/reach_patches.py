"""Reach in an image: the pixels of one patch are replaced, and every other token's state is compared.

Each patch is one token, row by row, which is checked when a model is loaded (``image_layout``). Tokens that no patch
stands for ([CLS]) are learned, so there is nothing to replace them by.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.inputs.tokens import Token
from attention_core.reach.measure import Reach, reach

MAX_PATCHES = 256
"""Tokens of the largest image that is measured, which runs once for each patch: 16 × 16."""

Box = tuple[int, int, int, int]
States = Callable[[Tensor], list[Tensor]]


def patch_boxes(tokens: Sequence[Token]) -> dict[int, Box]:
    """(left, top, width, height) of the patch that each token stands for, by the token's index."""
    return {index: token.box for index, token in enumerate(tokens) if token.box is not None}


def patches_of(pixels: Float[Tensor, "1 channels height width"], boxes: Sequence[Box]) -> Float[Tensor, "patches d"]:
    """The numbers of each patch, one after the other."""
    return torch.stack(
        [pixels[0, :, top : top + high, left : left + wide].reshape(-1) for left, top, wide, high in boxes]
    )


def image_of(
    patches: Float[Tensor, "rows patches d"], pixels: Float[Tensor, "1 channels height width"], boxes: Sequence[Box]
) -> Float[Tensor, "rows channels height width"]:
    """Images with these patches; what no patch covers is as in ``pixels``."""
    images = pixels.repeat(len(patches), 1, 1, 1)
    for place, (left, top, wide, high) in enumerate(boxes):
        images[:, :, top : top + high, left : left + wide] = patches[:, place].reshape(len(patches), -1, high, wide)
    return images


def reach_of_patches(
    states: States, pixels: Float[Tensor, "1 channels height width"], tokens: Sequence[Token], **options: Any
) -> Reach:
    """Replace each patch in turn; ``states`` come from images. A column for each token; 0 for what is no patch."""
    boxes = patch_boxes(tokens)
    count = len(tokens)
    measured = reach(
        lambda patches: states(image_of(patches, pixels, list(boxes.values()))),
        patches_of(pixels, list(boxes.values())),
        positions=count,
        replacements=1,
        **options,
    )
    change = torch.zeros(len(measured.names), count, count)
    change[:, :, list(boxes)] = measured.change
    return replace(measured, change=change, keys=tuple(range(count)))
