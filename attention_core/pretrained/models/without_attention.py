"""Architectures without attention over tokens at fixed places, with what they have instead."""

from collections.abc import Mapping

from attention_core.refusal import Sentence

CONVOLUTION = Sentence("It has no attention: it is a convolutional network.")
RECURRENCE = Sentence("It has no attention weights: its layers are recurrent.")
WINDOWS = Sentence("It attends only within windows of the image, which is not supported here.")
STAGES = Sentence("The tokens of its image change from stage to stage, which is not supported here.")
BLOCKS = Sentence("It attends only within blocks of the sound, which is not supported here.")
WITHOUT_ATTENTION: Mapping[str, Sentence] = {
    "fnet": Sentence("It has no attention: it mixes tokens by Fourier transforms."),
    "focalnet": Sentence("It has no attention: it mixes positions by focal modulation."),
    "poolformer": Sentence("It has no attention: it mixes positions by pooling."),
    **dict.fromkeys(("falcon_mamba", "mamba", "mamba2", "rwkv", "xlstm"), RECURRENCE),
    **dict.fromkeys(
        ("bit", "convnext", "convnextv2", "dinov3_convnext", "efficientnet", "hgnet_v2", "mobilenet_v1"), CONVOLUTION
    ),
    **dict.fromkeys(("mobilenet_v2", "pp_lcnet", "pp_lcnet_v3", "pp_lcnet_v4", "regnet", "resnet"), CONVOLUTION),
    **dict.fromkeys(("rt_detr_resnet", "superpoint", "textnet", "univnet", "uvdoc", "uvdoc_backbone"), CONVOLUTION),
    **dict.fromkeys(("dac", "fastspeech2_conformer_hifigan", "speecht5_hifigan"), CONVOLUTION),
    **dict.fromkeys(("donut-swin", "maskformer-swin", "swin", "swin2sr", "swinv2"), WINDOWS),
    "granite_speech5_encoder": BLOCKS,
    **dict.fromkeys(
        ("cvt", "glpn", "hiera", "levit", "mobilevit", "mobilevitv2", "pvt", "pvt_v2", "segformer", "swiftformer"),
        STAGES,
    ),
}
"""By transformers' model type."""
