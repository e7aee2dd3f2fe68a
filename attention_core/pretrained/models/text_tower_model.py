"""Take the text part out of a loaded model of images or sounds and texts.

The whole model is loaded by its own class, so its weights are where the library puts them. Its language model then
becomes a model of its own: the library's class of that type with the whole model's output matrix or, where that would
compute something else (a type without such a class, or whose class scales its logits), ``TextPart``. Both are compared
with the whole model on a text; what differs is not shown.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.recording.parity import BOUND, relative_difference


class TextPart(PreTrainedModel, GenerationMixin):  # type: ignore[misc]  # transformers has no types
    """A language model with the output matrix of the model that it is part of."""

    base_model_prefix = "model"

    def __init__(self, model: PreTrainedModel, lm_head: nn.Module) -> None:
        super().__init__(model.config)
        self.model = model
        self.lm_head = lm_head

    @classmethod
    def _can_set_experts_implementation(cls) -> bool:
        return True  # the model inside has decided

    def forward(self, input_ids: Tensor, **kwargs: Any) -> CausalLMOutput:
        """The logits after each token."""
        output = self.model(input_ids=input_ids, **kwargs)
        return CausalLMOutput(
            logits=self.lm_head(output.last_hidden_state),
            hidden_states=output.hidden_states,
            attentions=output.attentions,
        )


def language_model(whole: PreTrainedModel) -> PreTrainedModel:
    """The outermost module of the whole that is a model of its text configuration. Raises ModelUnavailableError."""
    kind = type(whole.config.text_config)
    for module in whole.modules():
        if isinstance(module, PreTrainedModel) and module is not whole and type(module.config) is kind:
            return module
    raise ModelUnavailableError("Its text part is no model of its own in transformers' code.")


def text_part(whole: PreTrainedModel, architecture: str, inputs: Mapping[str, Tensor]) -> PreTrainedModel:
    """The text part, of this class if it can be. ``inputs`` are a text, on which it is compared with the whole.

    Raises ModelUnavailableError if neither class computes what the whole model does.
    """
    inner, head = language_model(whole), whole.get_output_embeddings()
    if head is None or inner.get_output_embeddings() is not None:
        return inner
    with as_unavailable("The whole model does not run on a text alone: {cause}."), torch.inference_mode():
        # Qwen2.5-Omni counts positions by the mask of padding, of which there is none.
        theirs = whole.eval()(**inputs, attention_mask=torch.ones_like(next(iter(inputs.values())))).logits
    with as_unavailable("Its text part does not run by itself: {cause}."):
        for part in _candidates(inner, head, architecture):
            with torch.inference_mode():
                ours = part.eval()(**inputs).logits
            if relative_difference(ours, theirs) <= BOUND:
                return part
    raise ModelUnavailableError("Its text part alone does not compute what the whole model computes of a text.")


def _candidates(inner: PreTrainedModel, head: nn.Module, architecture: str) -> Iterator[PreTrainedModel]:
    made = getattr(transformers, architecture, type(inner))
    if made is not type(inner):
        with torch.device("meta"):
            part: PreTrainedModel = made(inner.config)
        device = next(head.parameters()).device
        setattr(part, part.base_model_prefix, inner)
        part.set_output_embeddings(head)
        if not any(parameter.is_meta for parameter in part.parameters()):
            for module in part.modules():
                for name, buffer in module.named_buffers(recurse=False):
                    if buffer.is_meta:  # BART's bias of logits, which is 0 unless it is trained
                        setattr(module, name, torch.zeros_like(buffer, device=device))
            yield part
    yield TextPart(inner, head)
