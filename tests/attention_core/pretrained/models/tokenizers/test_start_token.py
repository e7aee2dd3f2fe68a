"""Decoder start tokens against transformers' generation."""

from pathlib import Path

import pytest
import torch
import transformers
from odd_models import T5, write_odd_model
from tiny_models import byte_pairs

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.tokenizers.start_token import start_token


@pytest.mark.parametrize(
    "options",
    [{}, {"decoder_start_token_id": 7}, {"bos_token_id": 5}, {"bos_token_id": 5, "decoder_start_token_id": 9}],
)
def test_as_the_library_generates(options: dict[str, int]) -> None:
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**{**T5, **options}))
    written = model.generate(torch.tensor([[4, 5, 6]]), max_new_tokens=1, do_sample=False, use_cache=False)
    assert start_token(model, byte_pairs(specials=True)) == int(written[0, 0])


def test_as_a_bare_body_shifts_to_the_right() -> None:
    """BartModel makes its decoder's input itself when none is given."""
    model = transformers.BartModel(
        transformers.BartConfig(vocab_size=50, d_model=16, encoder_layers=1, decoder_layers=1, decoder_start_token_id=3)
    ).eval()
    ids = torch.tensor([[4, 5, 6]])
    first = start_token(model, byte_pairs(specials=True))
    with torch.inference_mode():
        own = model(ids).last_hidden_state[:, 0]
        ours = model(ids, decoder_input_ids=torch.tensor([[first]])).last_hidden_state[:, 0]
    torch.testing.assert_close(own, ours)


def test_padding_where_nothing_else_is_named_and_a_reason_where_not_even_that_is(tmp_path: Path) -> None:
    folder = write_odd_model(tmp_path, "starting-t5", bos_token_id=None)
    model = transformers.T5Model.from_pretrained(folder)
    tokenizer = byte_pairs(specials=True)
    tokenizer.bos_token = None
    assert start_token(model, tokenizer) == 1
    model.config.pad_token_id = tokenizer.pad_token = None
    with pytest.raises(ModelUnavailableError, match="decoder_start_token_id"):
        start_token(model, tokenizer)


def test_an_id_that_the_model_does_not_know_is_passed_over(tmp_path: Path) -> None:
    folder = write_odd_model(tmp_path, "starting-t5", decoder_start_token_id=99_999)
    assert start_token(transformers.T5Model.from_pretrained(folder), byte_pairs(specials=True)) == 0
