"""The forward pass of a model: one call, with the same options, wherever its attention is recorded, tried or checked.

Every layer runs for every token. The head, where there is one, runs for the wanted positions alone: logits of every
position would take more memory than all else.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel


def body(model: PreTrainedModel) -> nn.Module:
    """The model without its task head; T5's head sits inside its body."""
    if model.main_input_name not in inspect.signature(model.base_model.forward).parameters:
        return model  # a bare model that calls a part of itself by the name of a body (DINOv3)
    if model.base_model is not model or not model.can_generate() or model.config.is_encoder_decoder:
        return model.base_model
    # Some classes store their body under a name other than base_model_prefix (Llama4ForCausalLM).
    inner = [child for child in model.children() if isinstance(child, PreTrainedModel)]
    return inner[0] if len(inner) == 1 else model


def run_model(model: PreTrainedModel, inputs: Mapping[str, Tensor], positions: Sequence[int]) -> Any:
    """The library's output of one pass, with logits at these positions at least; without any, of the body alone.

    A model that predicts no tokens (a classifier, a bare model) runs whole.
    """
    if not positions and _predicts_tokens(model):
        inner = body(model)
        return inner(**inputs, **_options(inner, []))
    return model(**inputs, **_options(model, positions))


def logits_at(model: PreTrainedModel, inputs: Mapping[str, Tensor], positions: Sequence[int]) -> Tensor | None:
    """Run once. (texts, positions, V) logits of tokens, (texts, classes) of a classifier, or None without any."""
    output = run_model(model, inputs, positions)
    logits: Tensor | None = getattr(output, "logits", None)
    if not _predicts_tokens(model):
        return logits
    if logits is None or not positions:
        return None
    return logits if keeps_logits(model) else logits[:, list(positions)]


def keeps_logits(model: Any) -> bool:
    """Whether its head can run for some positions alone."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters


@contextmanager
def watching_state(model: PreTrainedModel) -> Iterator[list[Tensor]]:
    """Collect what the head of this model reads, the last hidden state, in each pass inside; in this model alone."""
    inner: Any = body(model)
    if model.can_generate() and (inner is model or not model.config.is_encoder_decoder):
        decoder = model.get_decoder()
        # T5, and decoders taken out of such models; OPT's head calls the stack in its body; Llama 4's has a head.
        inner = decoder if inner is model or not decoder.can_generate() else inner
    captured: list[Tensor] = []
    handle = inner.register_forward_hook(lambda _module, _args, output: captured.append(hidden_state(output)))
    try:
        yield captured
    finally:
        handle.remove()


def hidden_state(output: Any) -> Tensor:
    """The last hidden state in a body's output, which of some models is a tuple (DPR)."""
    states: Tensor = output[0] if isinstance(output, tuple) else output.last_hidden_state
    return states


def _predicts_tokens(model: PreTrainedModel) -> bool:
    return model.can_generate() or model.get_output_embeddings() is not None


def _options(module: Any, positions: Sequence[int]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "use_cache" in inspect.signature(module.forward).parameters:
        options["use_cache"] = False
    if positions and keeps_logits(module):
        # Indices, never their number: for "the last one" Gemma 4 runs its last layers for that token alone.
        options["logits_to_keep"] = torch.tensor(list(positions), device=next(module.parameters()).device)
    return options
