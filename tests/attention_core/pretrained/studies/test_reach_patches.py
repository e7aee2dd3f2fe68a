"""Reach in an image: every patch reaches everything, a cut one by another way, and only the pixels of one change."""

from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.running.interventions import CutEdges
from attention_core.pretrained.studies.reach_patches import image_of, patch_boxes, patches_of
from attention_core.pretrained.studies.text_reach import text_reach

LIMITS = {"max_pixels": 100_000, "max_tokens": 512}


def analysed(catalog: Catalog, **asked: object) -> Analysis:
    rng = np.random.default_rng(3)
    stream = BytesIO()
    Image.fromarray(rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)).save(stream, "PNG")
    return analyse_image(catalog.load("tiny-vit"), stream.getvalue(), **LIMITS, **asked)


def test_images_are_made_of_their_patches(catalog: Catalog) -> None:
    boxes = list(patch_boxes(analysed(catalog).tokens).values())
    side = max(left + wide for left, _, wide, _ in boxes)
    pixels = torch.randn(1, 3, max(top + high for _, top, _, high in boxes), side)
    patches = patches_of(pixels, boxes)
    torch.testing.assert_close(image_of(patches[None], pixels, boxes), pixels, rtol=0, atol=0)
    changed = patches.clone()
    changed[1] = 0
    left, top, wide, high = boxes[1]
    expected = pixels.clone()
    expected[:, :, top : top + high, left : left + wide] = 0
    torch.testing.assert_close(image_of(changed[None], pixels, boxes), expected, rtol=0, atol=0)


def test_every_patch_reaches_every_token(catalog: Catalog) -> None:
    analysis = analysed(catalog)
    found = text_reach(catalog.load("tiny-vit"), analysis)
    is_patch = np.array([token.box is not None for token in analysis.tokens])
    assert 0 < is_patch.sum() < len(is_patch)
    expected = np.broadcast_to(is_patch, found.change.shape)
    np.testing.assert_array_equal(found.change > 0, expected)
    assert found.may.all()
    assert found.unknown == np.flatnonzero(~is_patch).tolist()
    assert (found.weights > 0).all()
    assert (found.leaks, found.unused, found.exact) == ([], [], True)


def test_a_patch_that_is_cut_off_arrives_a_layer_later(catalog: Catalog) -> None:
    cut = CutEdges(layer="all", heads="all", edges=((0, 2),))
    found = text_reach(catalog.load("tiny-vit"), analysed(catalog, interventions=(cut,)))
    assert [bool(each[0, 2]) for each in found.change][:2] == [False, True]


def test_other_cases_are_of_texts(catalog: Catalog) -> None:
    with pytest.raises(SelectionError, match="of a model of one part"):
        text_reach(catalog.load("tiny-vit"), analysed(catalog), case="padded")
