"""From which tokens a classifier of images reads, found by changing single tokens behind the last attention.

Names and configurations prove little: BEiT has a token [CLS] and reads the mean of the patches. Behind the last
attention, tokens stay apart until the classifier reads some of them; so the model is asked with one of them changed.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.pretrained.models.preprocessing.image_layout import ImageLayout

MOST = 8
"""Learned tokens that are tried one by one; models with more have no classifier."""


def class_tokens(
    model: PreTrainedModel, last: nn.Module | None, layout: ImageLayout, inputs: Mapping[str, Tensor]
) -> tuple[int, ...]:
    """Indices of the learned tokens that the classes are read from; none if patches are read, or nothing is known.

    ``last``: the module of the last attention, whose output is changed.
    """
    before, after = len(layout.before), len(layout.after)
    if last is None or before + after > MOST:
        return ()
    chosen: int | None = None
    groups: list[slice] = []

    def change(_: nn.Module, __: Any, output: Any) -> Any:
        written = (output[0] if isinstance(output, tuple) else output).clone()
        count = written.shape[1]
        learned = [*range(before), *range(count - after, count)]
        groups[:] = [slice(before, count - after), *(slice(each, each + 1) for each in learned)]
        if chosen is not None:
            noise = torch.randn(written.shape[1:], generator=torch.Generator().manual_seed(0)).to(written)
            written[0, groups[chosen]] += noise[groups[chosen]]
        return (written, *output[1:]) if isinstance(output, tuple) else written

    def classes() -> Tensor | None:
        with torch.no_grad():
            logits = getattr(model(inputs["pixel_values"]), "logits", None)
        return logits if isinstance(logits, Tensor) and logits.ndim == 2 else None

    # One run for each group: in one batch, copies that are alike may differ in their last bits.
    handle = last.register_forward_hook(change)
    try:
        unchanged = classes()
        if unchanged is None:
            return ()
        is_read = []
        for group in range(len(groups)):
            chosen = group
            found = classes()
            is_read.append(found is not None and bool((found != unchanged).any()))
    finally:
        handle.remove()
    patches, *learned = is_read
    return () if patches else tuple(where.start for where, used in zip(groups[1:], learned, strict=True) if used)
