"""Models with an encoder for texts and one for sounds: the whole model's own weights and logits, of a text."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from tiny_models import FORWARD, LAYERS, byte_pairs

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse

SIZES = {
    "vocab_size": 384,
    "hidden_size": 32,
    **LAYERS,
    **FORWARD,
    "max_position_embeddings": 64,
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "speech_encoder_layers": 1,
    "speech_encoder_attention_heads": 4,
    "speech_encoder_intermediate_size": 48,
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
    "t2u_vocab_size": 16,
    "t2u_encoder_layers": 1,
    "t2u_decoder_layers": 1,
    "t2u_encoder_ffn_dim": 16,
    "t2u_decoder_ffn_dim": 16,
    "t2u_encoder_attention_heads": 2,
    "t2u_decoder_attention_heads": 2,
    "upsample_initial_channel": 32,
    "unit_hifi_gan_vocab_size": 16,
    "unit_embed_dim": 8,
    "lang_embed_dim": 8,
    "spkr_embed_dim": 8,
}
SECOND = {"char_vocab_size": 16, "t2u_variance_predictor_embed_dim": 32, "t2u_variance_predictor_hidden_dim": 8}


def write(directory: Path, kind: str, architecture: str) -> Path:
    """The model with heads that are far from uniform, and a tokenizer."""
    second = SECOND if kind == "SeamlessM4Tv2" else {}
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model = getattr(transformers, architecture)(getattr(transformers, f"{kind}Config")(**SIZES, **second))
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.data.normal_(std=0.2)
    model.save_pretrained(directory / kind)
    byte_pairs(specials=True).save_pretrained(directory / kind)
    return directory / kind


def catalog(directory: Path) -> Catalog:
    return Catalog(models_dir=directory, hub_models=(), device="cpu")


@pytest.mark.full
@pytest.mark.parametrize("kind", ["SeamlessM4T", "SeamlessM4Tv2"])
def test_the_whole_model_is_loaded_with_its_encoder_of_texts(tmp_path: Path, kind: str) -> None:
    folder = write(tmp_path, kind, f"{kind}Model")
    loaded = catalog(tmp_path).load(kind)
    entry = loaded.entry
    assert (entry.architecture, entry.support) == (f"{kind}ForTextToText", "carried")
    assert (entry.reads, entry.kind, entry.positions) == ("text", "encoder_decoder", "sinusoidal")
    analysis = analyse(loaded, AnalysisRequest("The cat sat on the mat", target_text="It was warm"), max_tokens=50)
    assert analysis.target_tokens is not None
    whole = getattr(transformers, f"{kind}Model").from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        output = whole(
            input_ids=torch.tensor([[token.id for token in analysis.tokens]]),
            decoder_input_ids=torch.tensor([[token.id for token in analysis.target_tokens]]),
            output_attentions=True,
        )
    for part, theirs in (
        ("encoder", output.encoder_attentions),
        ("decoder", output.decoder_attentions),
        ("cross", output.cross_attentions),
    ):
        assert analysis.part(part).layers == len(theirs) == (2 if part == "encoder" else 3)
        for layer, weights in enumerate(theirs):
            assert float(weights.std()) > 0.05
            for head in range(4):
                found = analysis.window(part, layer, head)
                np.testing.assert_allclose(found, weights[0, head].numpy(), rtol=0, atol=1e-5)
    best = analysis.predictions[0].candidates[0]
    assert best.id == int(output.logits[0, -1].argmax())
    assert best.logit == pytest.approx(float(output.logits[0, -1].max()), abs=1e-5)


def test_without_an_encoder_of_texts_its_weights_are_missing(tmp_path: Path) -> None:
    write(tmp_path, "SeamlessM4T", "SeamlessM4TForSpeechToText")
    with pytest.raises(ModelUnavailableError, match=r"of its weights are missing, the first being text_encoder\."):
        catalog(tmp_path).load("SeamlessM4T")
