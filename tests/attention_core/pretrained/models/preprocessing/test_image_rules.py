"""Preprocessing of images, against the library's AutoImageProcessor on the same folder."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import AutoConfig, AutoImageProcessor, CLIPVisionConfig, PreTrainedConfig, ViTConfig

from attention_core.pretrained.errors import ImageTooLargeError, ModelUnavailableError, ReadsImagesError
from attention_core.pretrained.inputs.images import decode_image, prepare, prepared_again
from attention_core.pretrained.models.files.folders import read_shape
from attention_core.pretrained.models.preprocessing.image_rules import (
    ImageRules,
    NoTokenizer,
    image_rules,
    patch_grid,
    vision_tower,
)
from attention_core.pretrained.models.support import support_from

TABLE = Path(__file__).parents[5] / "docs" / "models.md"
OF_LIBRARY = {
    # type: the class that the library names; None where it needs torchvision or names none
    **dict.fromkeys(("aimv2_vision_model", "clip", "mlcd", "mlcd_vision_model"), "CLIPImageProcessorPil"),
    **dict.fromkeys(("dinov2", "pixio"), "BitImageProcessorPil"),
    **dict.fromkeys(("beit", "data2vec-vision"), "BeitImageProcessorPil"),
    **dict.fromkeys(("ijepa", "vit", "vit_msn"), "ViTImageProcessorPil"),
    "chinese_clip": "ChineseCLIPImageProcessorPil",
    "deit": "DeiTImageProcessorPil",
    "dpt": "DPTImageProcessorPil",
    "siglip": "SiglipImageProcessorPil",
}
OURS = {
    # type: class, means, size and filter that published models of the type have where the library names none
    "chinese_clip_vision_model": ("ChineseCLIPImageProcessorPil", 0.48145466, 224, 3),
    "clip_vision_model": ("CLIPImageProcessorPil", 0.48145466, 224, 3),
    "dinov2_with_registers": ("BitImageProcessorPil", 0.48145466, 224, 3),
    "dinov3_vit": ("DINOv3ViTImageProcessorPil", 0.485, 224, 2),
    "internvl_vision": ("GotOcr2ImageProcessorPil", 0.48145466, 448, 3),
    "mgp-str": ("ViTImageProcessorPil", 0.5, (32, 128), 2),
    "qianfan_ocr_vision": ("GotOcr2ImageProcessorPil", 0.48145466, 448, 3),
    "radio": ("CLIPImageProcessorPil", 0.48145466, 224, 3),
    "sapiens2": ("Sapiens2ImageProcessorPil", 0.485, 224, 2),
    "siglip_vision_model": ("SiglipImageProcessorPil", 0.5, 224, 3),
    "tipsv2": ("Tipsv2ImageProcessorPil", None, 448, 2),
    "tipsv2_vision_model": ("Tipsv2ImageProcessorPil", None, 448, 2),
}
VARYING = {"yolos"}
NOISE = np.random.default_rng(4)
SHAPES = {"wide": (13, 41), "tall": (37, 9), "tiny": (1, 2), "huge": (301, 450), "square": (16, 16)}
IMAGES = {name: Image.fromarray(NOISE.integers(0, 256, (*shape, 3), dtype=np.uint8)) for name, shape in SHAPES.items()}
CLIP = {"image_processor_type": "CLIPImageProcessor"}
CROP = {"do_center_crop": True, "crop_size": {"height": 16, "width": 16}}
FILES: dict[str, tuple[type[PreTrainedConfig], dict[str, Any]]] = {
    "clip-as-openai-has-it": (
        CLIPVisionConfig,
        {"feature_extractor_type": "CLIPFeatureExtractor", "size": 20, "crop_size": 16, "do_center_crop": True},
    ),
    "clip-whole-number": (CLIPVisionConfig, {**CLIP, "size": 16, "crop_size": 16}),
    "clip-edge-below-crop": (CLIPVisionConfig, {**CLIP, "size": 10, "crop_size": 16}),
    "clip-square": (CLIPVisionConfig, {**CLIP, "size": {"height": 16, "width": 16}, "do_center_crop": False}),
    "clip-only-cropped": (CLIPVisionConfig, {**CLIP, **CROP, "do_resize": False}),
    "clip-not-normalised": (CLIPVisionConfig, {**CLIP, **CROP, "size": 16, "do_normalize": False}),
    "bit": (ViTConfig, {"image_processor_type": "BitImageProcessor", "size": 19, "crop_size": 16}),
    "siglip": (ViTConfig, {"image_processor_type": "SiglipImageProcessor", "size": {"height": 16, "width": 16}}),
    "deit": (ViTConfig, {"feature_extractor_type": "DeiTFeatureExtractor", "size": 18, "crop_size": 16}),
    "deit-whole": (ViTConfig, {"image_processor_type": "DeiTImageProcessor", "size": 16, "do_center_crop": False}),
    "convnext": (
        ViTConfig,
        {"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": 16}, "crop_pct": 0.875},
    ),
    "vit-fast": (ViTConfig, {"image_processor_type": "ViTImageProcessorFast", "size": 16, "resample": 0}),
    "vit-old": (ViTConfig, {"feature_extractor_type": "ViTFeatureExtractor", "size": 16, "image_mean": [0.1] * 3}),
    "vit-pair": (ViTConfig, {"size": [16, 16], "rescale_factor": 1 / 127.5, "image_mean": 1.0, "image_std": 1.0}),
    "vit-not-rescaled": (ViTConfig, {"size": 16, "do_rescale": False, "do_normalize": False}),
    "beit-cropped": (ViTConfig, {"image_processor_type": "BeitImageProcessor", "size": 20, **CROP}),
}


def write_folder(folder: Path, config: PreTrainedConfig, preprocessor: dict[str, Any] | None) -> Path:
    config.save_pretrained(folder)
    if preprocessor is not None:
        (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))
    return folder


def check_as_library(folder: Path, rules: ImageRules, image: Image.Image) -> None:
    """The same numbers, and the image that is shown is what they were made of."""
    theirs = AutoImageProcessor.from_pretrained(folder)
    expected = torch.as_tensor(theirs(image, return_tensors="pt")["pixel_values"]).float()
    pixels, picture = prepare(image, rules)
    torch.testing.assert_close(pixels, expected, rtol=1e-6, atol=1e-6)
    assert (picture.height, picture.width) == pixels.shape[2:]
    assert picture.original_size == image.size
    shown = np.asarray(decode_image(picture.png, picture.width * picture.height)).transpose(2, 0, 1)
    levels = theirs(image, do_rescale=False, do_normalize=False, return_tensors="np")["pixel_values"]
    np.testing.assert_array_equal(shown[None], levels)
    torch.testing.assert_close(prepared_again(decode_image(picture.png, 2**20), rules), pixels, rtol=0, atol=0)


@pytest.mark.parametrize("model_type", OF_LIBRARY)
def test_what_a_file_leaves_out_is_the_default_of_its_class(tmp_path: Path, model_type: str) -> None:
    whole = AutoConfig.for_model(model_type)
    folder = write_folder(tmp_path, whole, {"do_resize": True})
    rules = read_shape(folder).images
    assert rules is not None
    assert type(rules.processor).__name__ == OF_LIBRARY[model_type]
    check_as_library(folder, rules, IMAGES["wide"])


@pytest.mark.parametrize("model_type", OURS)
def test_types_of_which_the_library_makes_no_processor_here(model_type: str) -> None:
    name, mean, size, resample = OURS[model_type]
    rules = image_rules(vision_tower(AutoConfig.for_model(model_type)), {})
    assert type(rules.processor).__name__ == name
    assert (rules.height, rules.width) == (size if isinstance(size, tuple) else (size, size))
    assert (rules.processor.image_mean or [None])[0] == mean
    assert rules.processor.resample == resample


@pytest.mark.full
def test_every_carried_type_that_reads_images_is_tried_here() -> None:
    carried = re.findall(r"^\| `([^`]+)` \| ", TABLE.read_text(encoding="utf-8").split("## Refused")[0], re.MULTILINE)
    supports = {name: support_from(vision_tower(AutoConfig.for_model(name))) for name in carried}
    reading = {name for name, support in supports.items() if support.facts and support.facts.reads == "image"}
    assert reading == OF_LIBRARY.keys() | OURS.keys() | VARYING


@pytest.mark.parametrize("name", FILES)
def test_a_file_means_what_it_means_to_the_library(tmp_path: Path, name: str) -> None:
    made, preprocessor = FILES[name]
    folder = write_folder(tmp_path, made(image_size=16, patch_size=4), preprocessor)
    rules = read_shape(folder).images
    assert rules is not None
    assert (rules.height, rules.width, rules.grid) == (16, 16, (4, 4))
    for image in IMAGES.values():
        check_as_library(folder, rules, image)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "L", "P", "1"])
def test_other_modes_become_rgb_as_in_the_library(tmp_path: Path, mode: str) -> None:
    """Transparent pixels lie on white."""
    folder = write_folder(tmp_path, CLIPVisionConfig(image_size=16, patch_size=4), {**CLIP, "size": 16, **CROP})
    colours = Image.fromarray(NOISE.integers(0, 256, (20, 30, 4), dtype=np.uint8), mode="RGBA")
    image = colours.convert("RGB").quantize(8) if mode == "P" else colours.convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", **({"transparency": 3} if mode == "P" else {}))
    theirs = AutoImageProcessor.from_pretrained(folder)(Image.open(buffer), return_tensors="pt")["pixel_values"]
    rules = read_shape(folder).images
    assert rules is not None
    torch.testing.assert_close(prepare(decode_image(buffer.getvalue(), 600), rules)[0], theirs)


def test_settings_inside_processor_config_come_first(tmp_path: Path) -> None:
    """As save_pretrained of a processor of texts and images writes them."""
    folder = write_folder(tmp_path, CLIPVisionConfig(image_size=16, patch_size=4), {**CLIP, "size": 20, "crop_size": 8})
    inside = {"image_processor": {**CLIP, "size": {"shortest_edge": 18}, **CROP, "image_mean": [0.1, 0.2, 0.3]}}
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": "CLIPProcessor", **inside}))
    rules = read_shape(folder).images
    assert rules is not None
    check_as_library(folder, rules, IMAGES["wide"])
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": "CLIPProcessor"}))
    with pytest.raises(ModelUnavailableError, match="give different sizes"):
        read_shape(folder)


@pytest.mark.parametrize(
    ("model_type", "size", "sizes"),
    [
        ("clip_vision_model", 336, {"size": {"shortest_edge": 336}, "crop_size": {"height": 336, "width": 336}}),
        ("deit", 384, {"size": {"height": 438, "width": 438}, "crop_size": {"height": 384, "width": 384}}),
        ("vit", (8, 12), {"size": {"height": 8, "width": 12}}),
        ("yolos", (32, 48), {"size": {"height": 32, "width": 48}}),
    ],
)
def test_without_a_size_images_get_that_of_the_model(model_type: str, size: Any, sizes: dict[str, Any]) -> None:
    """In the steps of the class: DeiT's published 384 is cropped from 438 too."""
    config = AutoConfig.for_model(model_type, image_size=size, patch_size=4 if size == (8, 12) else 16)
    rules = image_rules(config, None)
    assert rules.grid == patch_grid(config)
    assert (rules.height, rules.width) == (size if isinstance(size, tuple) else (size, size))
    assert {name: dict(getattr(rules.processor, name)) for name in sizes} == sizes


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"num_channels": 1}, {}, "does not describe an RGB image"),
    ({"patch_size": 3}, {}, "that divides evenly into its patches"),
    ({}, {**CLIP, "size": 8}, "give different sizes"),
    ({}, {"size": {"height": 16, "width": 16}}, "give different sizes"),
    ({}, {"do_center_crop": True, "crop_size": {"height": 12, "width": 12}}, "give different sizes"),
    ({}, {"size": {"shortest_edge": 8}}, "makes images of different sizes"),
    ({}, {"size": 8, "do_resize": False}, "makes images of different sizes"),
    ({}, {"image_processor_type": "YolosImageProcessor"}, "makes images of different sizes"),
    ({}, {"size": 6, "do_pad": True, "pad_size": {"height": 8, "width": 8}}, "more than resize, crop and normalise"),
    ({}, {"image_processor_type": "GotOcr2ImageProcessor", "size": 8, "crop_to_patches": True}, "more than resize"),
    ({}, {"image_processor_type": "Idefics3ImageProcessor"}, "does not describe valid|more than resize"),
    ({}, {"image_processor_type": "Sam2ImageProcessor"}, "Sam2ImageProcessor is not in transformers, or needs torchvi"),
    ({}, {"image_processor_type": "MadeUpImageProcessor"}, "MadeUpImageProcessor is not in transformers"),
    ({}, {"image_processor_type": "BertTokenizer"}, "BertTokenizer is not in transformers"),
    ({}, {"size": 8, "image_mean": [0.5]}, "does not describe valid image preprocessing"),
    ({}, {"size": 10**9}, "does not describe valid image preprocessing"),
    ({}, {**CLIP, "size": {"shortest_edge": 10**6}, "crop_size": 8}, "does not describe valid image preprocessing"),
    ({}, {"image_processor_type": "DPTImageProcessor", "do_pad": True, "size_divisor": 10**7}, "not describe valid"),
    ({}, {"size": "large"}, "does not describe valid image preprocessing"),
    ({}, {"size": 8, "resample": 17}, "does not describe valid image preprocessing"),
]


@pytest.mark.parametrize(("config", "preprocessor", "reason"), BAD)
def test_rules_that_are_not_followed_here(config: dict[str, Any], preprocessor: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelUnavailableError, match=reason):
        image_rules(ViTConfig(**{"image_size": 8, "patch_size": 4, **config}), preprocessor)


def test_an_endless_strip_is_not_resized() -> None:
    """Of 1 × 4,000 pixels with the shorter side resized to 224, 200 million would be made."""
    rules = image_rules(AutoConfig.for_model("clip_vision_model"), {})
    assert rules.resized_pixels(30, 60) == 224 * 448
    with pytest.raises(ImageTooLargeError, match=r"would make 200704000 pixels of it; at most 67108864") as caught:
        prepare(Image.new("RGB", (4_000, 1)), rules)
    assert (caught.value.field, caught.value.limit) == ("image", 2**26)
    assert image_rules(ViTConfig(), {}).resized_pixels(4_000, 1) == 224**2


def test_oblong_pictures() -> None:
    rules = image_rules(ViTConfig(image_size=(8, 12), patch_size=(4, 2)), None)
    assert (rules.height, rules.width, rules.patch_height, rules.patch_width, rules.grid) == (8, 12, 4, 2, (2, 6))


def test_no_tokenizer_knows_classes_and_refuses_texts() -> None:
    tokenizer = NoTokenizer({0: "cat"})
    assert (tokenizer.decode([0]), tokenizer.decode([7]), tokenizer.sep_token_id) == ("cat", "7", None)
    with pytest.raises(ReadsImagesError, match="takes images, not texts"):
        tokenizer.get_vocab()
