"""Audio models: the library's eager weights for the same sound, and positions at their seconds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from sound_models import SOUND_MODELS, tones, wav, write_sound_model

from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.running.sound_analysis import SoundRequest, analyse_sound
from attention_core.pretrained.studies.outputs.attribution import attribution

SOUND = wav(tones(0.7))


def load(tmp_path: Path, name: str) -> LoadedModel:
    write_sound_model(tmp_path, name)
    return Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load(name)


def heard(loaded: LoadedModel, **asked: object) -> Analysis:
    return analyse_sound(loaded, SoundRequest(SOUND, **asked), max_tokens=500, max_seconds=10)  # type: ignore[arg-type]


def eager(tmp_path: Path, name: str) -> tuple[transformers.PreTrainedModel, dict[str, torch.Tensor]]:
    """The library's own model, and its own input of the same samples."""
    made = getattr(transformers, SOUND_MODELS[name][0]).from_pretrained(tmp_path / name, attn_implementation="eager")
    extractor = transformers.AutoFeatureExtractor.from_pretrained(tmp_path / name)
    samples = np.frombuffer(SOUND[44:], "<i2") / np.float32(2**15)
    return made.eval(), extractor(samples, sampling_rate=16_000, return_tensors="pt")


def compare(analysis: Analysis, part: str, found: tuple[torch.Tensor, ...]) -> None:
    assert len(found) == analysis.part(part).layers
    for layer, theirs in enumerate(found):
        for head in range(4):
            np.testing.assert_allclose(analysis.window(part, layer, head), theirs[0, head].numpy(), rtol=0, atol=1e-5)


@pytest.mark.full
def test_whisper(tmp_path: Path) -> None:
    loaded = load(tmp_path, "whisper")
    assert (loaded.entry.reads, loaded.entry.kind, loaded.entry.support) == ("sound", "encoder_decoder", "carried")
    analysis = heard(loaded, target_text="The cat sat")
    assert [part.name for part in analysis.parts] == ["encoder", "decoder", "cross"]
    model, inputs = eager(tmp_path, "whisper")
    assert analysis.target_tokens is not None
    ids = torch.tensor([[token.id for token in analysis.target_tokens]])
    assert ids[0].tolist() == [0, *loaded.tokenizer("The cat sat").input_ids[1:-1]]  # the start once, the end never
    with torch.inference_mode():
        output = model(input_features=inputs["input_features"], decoder_input_ids=ids, output_attentions=True)
    compare(analysis, "encoder", output.encoder_attentions)
    compare(analysis, "decoder", output.decoder_attentions)
    compare(analysis, "cross", output.cross_attentions)
    best = analysis.predictions[0].candidates[0]
    assert best.id == int(output.logits[0, -1].argmax())
    # Two seconds are heard, of which the sound fills 0.7: what is beyond is special.
    assert analysis.sound is not None
    assert (analysis.sound.seconds, analysis.sound.hop, analysis.sound.heard_seconds) == pytest.approx((0.7, 0.02, 2.0))
    assert [token.text for token in analysis.tokens[:3]] == ["0.00s", "0.02s", "0.04s"]
    assert [token.special for token in analysis.tokens] == [False] * 35 + [True] * 65
    shares = attribution(loaded, analysis).parts
    assert [part.shares.shape for part in shares] == [
        (2, 4, 100, 100),
        (3, 4, *[len(ids[0])] * 2),
        (3, 4, len(ids[0]), 100),
    ]
    changed = heard(loaded, target_text="The cat sat", interventions=(HeadOff(layer=0, heads=(1,), part="cross"),))
    assert changed.predictions[0].candidates[0].logit != pytest.approx(best.logit, abs=1e-6)


@pytest.mark.full
@pytest.mark.parametrize("name", ["whisper", "cohere"])
def test_it_writes_what_it_hears(tmp_path: Path, name: str) -> None:
    loaded = load(tmp_path, name)
    analysis = heard(loaded, transcribe=True)
    model, inputs = eager(tmp_path, name)
    ids = [0]
    while len(ids) < 20:
        with torch.inference_mode():
            output = model(input_features=inputs["input_features"], decoder_input_ids=torch.tensor([ids]))
        ids.append(int(output.logits[0, -1].argmax()))
        if ids[-1] == 2:
            break
    assert analysis.sound is not None
    written = analysis.sound.target_text
    assert written
    assert loaded.tokenizer.decode(ids, skip_special_tokens=True).strip().startswith(written)
    again = heard(loaded, target_text=written)
    np.testing.assert_array_equal(again.window("cross", 1, 2), analysis.window("cross", 1, 2))


@pytest.mark.full
def test_cohere(tmp_path: Path) -> None:
    """The encoder has a configuration of its own, with other numbers of layers and sizes than the decoder's."""
    loaded = load(tmp_path, "cohere")
    entry = loaded.entry
    assert (entry.reads, entry.kind, entry.support) == ("sound", "encoder_decoder", "carried")
    assert (entry.layers, entry.heads, entry.head_dim) == (3, 4, 6)
    analysis = heard(loaded, target_text="The cat sat")
    model, inputs = eager(tmp_path, "cohere")
    assert analysis.target_tokens is not None
    ids = torch.tensor([[token.id for token in analysis.target_tokens]])
    with torch.inference_mode():
        output = model(input_features=inputs["input_features"], decoder_input_ids=ids, output_attentions=True)
        encoded = model.model.encoder(inputs["input_features"], output_attentions=True)
    compare(analysis, "encoder", encoded.attentions)
    compare(analysis, "decoder", output.decoder_attentions)
    compare(analysis, "cross", output.cross_attentions)
    assert [part.layers for part in analysis.parts] == [3, 2, 2]
    assert analysis.predictions[0].candidates[0].id == int(output.logits[0, -1].argmax())
    # Frames of 10 ms, eight of them in each position; the sound is not filled up.
    assert analysis.sound is not None
    assert (analysis.sound.hop, len(analysis.tokens)) == (pytest.approx(0.08), 9)
    assert analysis.sound.heard_seconds == pytest.approx(0.72)


@pytest.mark.full
def test_a_sound_that_the_model_reads_in_pieces_is_refused(tmp_path: Path) -> None:
    """The extractor of Cohere's model cuts what is longer than 30 seconds, here 3, and none is left out silently."""
    loaded = load(tmp_path, "cohere")
    with pytest.raises(AnalysisError, match="as 2 pieces") as caught:
        analyse_sound(loaded, SoundRequest(wav(tones(5))), max_tokens=500, max_seconds=10)
    assert (caught.value.code, caught.value.field) == ("sound_too_long", "sound")
    whole = analyse_sound(loaded, SoundRequest(wav(tones(3))), max_tokens=500, max_seconds=10)
    assert len(whole.tokens) == 38


def test_wavlm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library returns one mean over all heads; each head's weights are those that torch computes inside."""
    loaded = load(tmp_path, "wavlm")
    assert (loaded.entry.support, loaded.weights_only) == ("carried", False)
    assert loaded.entry.self_check is not None
    assert loaded.entry.self_check.weights is not None
    assert max(loaded.entry.self_check.weights, loaded.entry.self_check.last_hidden_state) <= 1e-5
    analysis = heard(loaded)
    kept: list[torch.Tensor] = []
    torchs = torch.nn.functional.multi_head_attention_forward

    def keeping(*args: Any, **kwargs: Any) -> tuple[torch.Tensor, torch.Tensor]:
        output, weights = torchs(*args, **kwargs, average_attn_weights=False)
        assert weights is not None
        kept.append(weights)
        return output, weights.mean(dim=1)

    monkeypatch.setattr(torch.nn.functional, "multi_head_attention_forward", keeping)
    model, inputs = eager(tmp_path, "wavlm")
    with torch.inference_mode():
        model(inputs["input_values"])
    compare(analysis, "encoder", tuple(kept))
    assert float((kept[0] - kept[0].mean(dim=1, keepdim=True)).abs().max()) > 1e-2


@pytest.mark.full("hubert")
@pytest.mark.parametrize("name", ["wav2vec2", "hubert", "sew-d", "w2v-bert", "ast"])
def test_audio_encoder(tmp_path: Path, name: str) -> None:
    loaded = load(tmp_path, name)
    assert loaded.entry.support == ("weights_only" if name == "sew-d" else "carried")
    analysis = heard(loaded)
    model, inputs = eager(tmp_path, name)
    with torch.inference_mode():
        found = model(inputs[model.main_input_name], output_attentions=True).attentions
    compare(analysis, "encoder", found)
    assert (analysis.target_tokens, analysis.predictions) == (None, [])
    assert analysis.sound is not None
    if name == "ast":  # 80 frames of 10 ms in 10 patches, in three bands, behind two learned tokens
        assert (analysis.sound.hop, analysis.sound.bands, analysis.sound.first) == (pytest.approx(0.08), 3, 2)
        assert [token.text for token in analysis.tokens[:4]] == ["[CLS]", "[DIST]", "0.00s · 1", "0.08s · 1"]
        assert len(analysis.tokens) == 2 + 3 * 10
    else:  # a position for 10 · 8 · 4 samples, or for twice as many
        assert analysis.sound.hop == pytest.approx(0.04 if name == "sew-d" else 0.02, rel=0.02)
        assert len(analysis.tokens) == len(found[0][0, 0])
        assert not any(token.special for token in analysis.tokens)


@pytest.mark.full
@pytest.mark.parametrize(
    ("data", "asked", "code", "field"),
    [
        (wav(tones(2.5)), {}, "sound_too_long", "sound"),  # the model reads two seconds
        (SOUND[:-9], {}, "sound_invalid", "sound"),
        (SOUND, {"transcribe": True, "target_text": "a"}, "out_of_range", "transcribe"),
    ],
)
def test_refused(tmp_path: Path, data: bytes, asked: dict[str, object], code: str, field: str) -> None:
    loaded = load(tmp_path, "whisper")
    with pytest.raises(AnalysisError) as error:
        analyse_sound(loaded, SoundRequest(data, **asked), max_tokens=500, max_seconds=10)  # type: ignore[arg-type]
    assert (error.value.code, error.value.field) == (code, field)
    with pytest.raises(AnalysisError, match="at most 99"):
        analyse_sound(loaded, SoundRequest(SOUND), max_tokens=99, max_seconds=10)
