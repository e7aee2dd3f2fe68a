"""Attention modules with code of their own, of which only the middle is replaced by ours.

Some architectures do not ask transformers for an attention function (``AttentionInterface``): they multiply, mask and
take the softmax themselves. ``REPLACED`` says, for each class of such a module, how to call ours there: everything
before (projections, rotation) and after (W_O) stays the library's. A module is replaced by giving it a subclass, so
that its weights and its place in the model stay as they are, and a copy can have the library's own back.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from attention_core.pretrained.recording.recorder import IMPLEMENTATION
from attention_core.pretrained.recording.replaced.calling import Replaced
from attention_core.pretrained.recording.replaced.decoders import Bloom, Falcon, First, Inner, Mpt, Windowed
from attention_core.pretrained.recording.replaced.disentangled import Deberta, DebertaV2, XlNet
from attention_core.pretrained.recording.replaced.encoders import (
    BartLike,
    BertLike,
    ConvBert,
    Fsmt,
    LedDecoder,
    Luke,
    MpNet,
    SqueezeBert,
    Xlm,
)
from attention_core.pretrained.recording.replaced.placed import (
    Data2VecVision,
    LayoutLm3,
    LedEncoder,
    Longformer,
    MgpStr,
    WavLm,
)

REPLACED: Mapping[str, type[Replaced]] = {
    **dict.fromkeys(("GPTJAttention", "CodeGenAttention", "GPTNeoXJapaneseAttention"), Inner),
    "GPTNeoSelfAttention": Windowed,
    "BloomAttention": Bloom,
    "MptAttention": Mpt,
    "FalconAttention": Falcon,
    "MPNetSelfAttention": MpNet,
    **dict.fromkeys(
        (
            "MegatronBertSelfAttention",
            "RemBertSelfAttention",
            "RoFormerSelfAttention",
            "TapasSelfAttention",
            "VisualBertSelfAttention",
        ),
        BertLike,
    ),
    **dict.fromkeys(("MvpAttention", "XGLMAttention"), BartLike),
    "LEDDecoderAttention": LedDecoder,
    "LongformerSelfAttention": Longformer,
    "LEDEncoderSelfAttention": LedEncoder,
    "XLNetRelativeAttention": XlNet,
    "LukeSelfAttention": Luke,
    "ConvBertSelfAttention": ConvBert,
    "SqueezeBertSelfAttention": SqueezeBert,
    "Data2VecVisionSelfAttention": Data2VecVision,
    "LayoutLMv3SelfAttention": LayoutLm3,
    "WavLMAttention": WavLm,
    "MgpstrAttention": MgpStr,
}
"""By the name of the library's class."""
NAMED_ALIKE: Mapping[str, tuple[str, type[Replaced]]] = {
    "transformers.models.openai.modeling_openai": ("Attention", First),
    "transformers.models.deberta.modeling_deberta": ("DisentangledSelfAttention", Deberta),
    "transformers.models.deberta_v2.modeling_deberta_v2": ("DisentangledSelfAttention", DebertaV2),
    "transformers.models.fsmt.modeling_fsmt": ("Attention", Fsmt),
    "transformers.models.xlm.modeling_xlm": ("MultiHeadAttention", Xlm),
    "transformers.models.flaubert.modeling_flaubert": ("MultiHeadAttention", Xlm),
}
"""By the module of the library's class, where its name does not say of which model it is."""

_MADE: dict[type[nn.Module], type[nn.Module]] = {}
"""The subclass of each class that was replaced."""


def is_replaced(source: str, module: str = "") -> bool:
    """Whether the attention of an architecture with this source code, of this module, can be replaced."""
    return module in NAMED_ALIKE or any(f"class {name}(" in source for name in REPLACED)


def replace_modules(model: PreTrainedModel) -> None:
    """Put our attention into the modules of a model that was built with the library's; others are left alone."""
    modules: list[Any] = [module for module in model.modules() if _replacement_of(type(module)) is not None]
    for module in modules:
        library: type[nn.Module] = type(module)
        module.__class__ = _subclass(library)
    if modules and not any(type(module).own_mask for module in modules):
        _name_implementation(model, IMPLEMENTATION)


def restore_modules(model: PreTrainedModel) -> bool:
    """Give each replaced module its own attention back, which then returns its weights. Whether there was one."""
    modules: list[Any] = [module for module in model.modules() if isinstance(module, Replaced)]
    for module in modules:
        correct = type(module).correct
        module.__class__ = type(module).library
        if correct is not None:
            module.register_forward_pre_hook(correct, with_kwargs=True)
        if "output_attentions" in inspect.signature(module.forward).parameters:
            module.register_forward_pre_hook(_ask_for_weights, with_kwargs=True)
    if modules:
        _name_implementation(model, "eager")
    return bool(modules)


def _replacement_of(library: type[nn.Module]) -> type[Replaced] | None:
    name, replacement = NAMED_ALIKE.get(library.__module__, ("", None))
    return replacement if replacement is not None and library.__name__ == name else REPLACED.get(library.__name__)


def _subclass(library: type[nn.Module]) -> type[nn.Module]:
    bases: tuple[Any, ...] = (_replacement_of(library), library)
    return _MADE.setdefault(library, type(library.__name__, bases, {"library": library}))


def _name_implementation(model: PreTrainedModel, name: str) -> None:
    """Have the library make its masks for this implementation."""
    for part in model.modules():
        if isinstance(part, PreTrainedModel):
            part.config._attn_implementation = name


def _ask_for_weights(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    position = list(inspect.signature(module.forward).parameters).index("output_attentions")
    if len(args) > position:
        return (*args[:position], True, *args[position + 1 :]), kwargs
    return args, {**kwargs, "output_attentions": True}
