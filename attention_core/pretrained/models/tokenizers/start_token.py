"""The start token of an encoder–decoder model's decoder."""

from collections.abc import Iterator
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.errors import ModelUnavailableError


def start_token(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int:
    """The first id of transformers' ``generate``: ``decoder_start_token_id``, else ``bos_token_id``.

    A model without either begins with padding, as in training (``shift_tokens_right``, ``_shift_right``). A bare body
    has no ``generation_config``; then its configuration and its tokenizer are used. Raises ModelUnavailableError if
    none of them gives a token of the model's vocabulary.
    """
    rows = model.get_input_embeddings().num_embeddings
    for token_id in _candidates(model, tokenizer):
        first = token_id[0] if isinstance(token_id, list) and token_id else token_id
        if isinstance(first, int) and 0 <= first < rows:
            return first
    raise ModelUnavailableError("It does not give the token with which its decoder begins (decoder_start_token_id).")


def _candidates(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Iterator[Any]:
    holders = (getattr(model, "generation_config", None), model.config, getattr(model.config, "decoder", None))
    for name in ("decoder_start_token_id", "bos_token_id"):
        for holder in holders:
            yield getattr(holder, name, None)
    yield tokenizer.bos_token_id
    yield getattr(model.config, "pad_token_id", None)
    yield tokenizer.pad_token_id
