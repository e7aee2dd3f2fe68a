"""Analyse a sound with an audio model: positions in time are tokens, each with its seconds."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import (
    InterventionError,
    ReadsTextError,
    SelectionError,
    SoundTooLongError,
    TextTooLongError,
)
from attention_core.pretrained.inputs.sounds import Heard, Sound, decode_sound, encode_sound, resampled
from attention_core.pretrained.inputs.tokens import Token, tokenise_target
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.sound_layout import SoundLayout
from attention_core.pretrained.models.tokenizers.start_token import start_token
from attention_core.pretrained.recording.parity import parity as compare
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import sweep_parts
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.caveats import caveats_of
from attention_core.pretrained.running.forward_pass import check_weights_only, run_sound
from attention_core.pretrained.running.intervention_plan import planned_change
from attention_core.pretrained.running.interventions import Intervention
from attention_core.pretrained.running.predictions import log_probabilities, predictions
from attention_core.pretrained.running.stopwatch import Stopwatch

MOST_TRANSCRIBED = 64
"""Tokens of a transcript that the model writes itself."""
OUTLINE = 600
"""Columns of the drawn waveform."""


@dataclass(frozen=True)
class SoundRequest:
    """Which sound to analyse, and how."""

    data: bytes = field(repr=False)
    """A WAV file."""
    target_text: str | None = None
    """The decoder's text so far, for encoder–decoder models; other models ignore it."""
    transcribe: bool = False
    """Have the model write the target text itself, token by token, the most probable each time."""
    parity: bool = False
    interventions: tuple[Intervention, ...] = ()


def analyse_sound(
    loaded: LoadedModel,
    request: SoundRequest,
    *,
    max_tokens: int,
    max_seconds: int | float,
    cancelled: Callable[[], bool] | None = None,
) -> Analysis:
    """Run an audio model on a WAV file, and sweep the weights of every head.

    The file is reduced to one channel at the model's rate. A model that reads a fixed length (Whisper: 30 seconds) has
    it filled up with silence; those positions are there too, marked as special. Raises InvalidSoundError,
    SoundTooLongError, ReadsTextError for another model, TextTooLongError for more positions than ``max_tokens``,
    SelectionError or InterventionError for interventions that this model cannot have, and Cancelled.
    """
    check = stopping(cancelled, "analysis")
    if loaded.sounds is None or loaded.sound_layout is None:
        raise ReadsTextError("This model takes no sounds.")
    if request.parity and request.interventions:
        raise InterventionError(
            "parity must be false with interventions: the library's own attention does not support them", field="parity"
        )
    if request.transcribe and (request.target_text is not None or loaded.entry.kind != "encoder_decoder"):
        raise SelectionError("transcribe needs an encoder–decoder model, and no target_text", field="transcribe")
    watch = Stopwatch(loaded.device)
    with watch("tokenize"):
        sound = resampled(
            decode_sound(request.data, min(max_seconds, loaded.sounds.longest or max_seconds)),
            loaded.sounds.sampling_rate,
        )
        heard = model_input(loaded, sound)
    target, target_tokens, inputs = request.target_text, None, heard
    with torch.inference_mode():
        if request.transcribe:
            target = transcript(loaded, heard, check)
        if loaded.entry.kind == "encoder_decoder":
            target_inputs, target_tokens = tokenise_target(loaded, target or None, max_tokens)
            inputs = {**heard, **target_inputs}
        count = _count_positions(loaded, heard)
    if count > max_tokens:
        raise TextTooLongError(
            "The model hears this sound as {count} positions; this server accepts at most {limit}.",
            count,
            field="sound",
            limit=max_tokens,
        )
    tokens = moments(loaded.sound_layout, count, sound.seconds)
    if loaded.weights_only:
        check_weights_only(loaded, changes=bool(request.interventions), parity=request.parity, tokens=count)
    check()
    change = planned_change(loaded, request.interventions, len(tokens), len(target_tokens or tokens))
    with torch.inference_mode():
        with watch("forward"):
            logits, records = run_sound(loaded, inputs, check, change)
        parts, overview_ms, metrics_ms = sweep_parts(records, tokens, loaded, check)
    last = None if target_tokens is None else target_tokens[-1]
    return Analysis(
        model=loaded.entry,
        tokens=tokens,
        target_tokens=target_tokens,
        parts=parts,
        predictions=[] if last is None else predictions(logits, [last.index], "next_token", loaded.tokenizer, last.id),
        device=str(loaded.device),
        dtype=str(loaded.dtype).removeprefix("torch."),
        timings_ms={**watch.milliseconds, "overview": overview_ms, "metrics": metrics_ms},
        parity=compare(loaded.model, inputs, loaded.agreement_bound) if request.parity else None,
        interventions=request.interventions,
        warnings=caveats_of(loaded, parts, target_tokens),
        log_probabilities=None if logits is None else log_probabilities(logits).cpu().numpy(),
        sound=_heard(sound, loaded.sound_layout, tokens, target or None),
        wav=encode_sound(sound),
    )


def model_input(loaded: LoadedModel, sound: Sound) -> dict[str, Tensor]:
    """What the model's encoder reads of a sound at its rate. Raises SoundTooLongError if that is not all at once."""
    if loaded.sounds is None:
        raise ReadsTextError("This model takes no sounds.")
    made = loaded.sounds.features(sound.samples)
    if (pieces := max(len(each) for each in made.values())) > 1:  # Cohere's, after 30 seconds
        raise SoundTooLongError("The model reads this sound as {count} pieces; send one of them at a time.", pieces)
    return {name: each.to(device=loaded.device, dtype=loaded.dtype) for name, each in made.items()}


def moments(layout: SoundLayout, count: int, seconds: float) -> list[Token]:
    """A token for each position, named by the second at which it begins; special where the sound is over."""
    tokens = [_token(index, name, None) for index, name in enumerate(layout.before)]
    along = (count - len(layout.before)) // layout.bands
    for band in range(layout.bands):
        for place in range(along):
            start, end = place * layout.hop, (place + 1) * layout.hop
            beside = f" · {band + 1}" if layout.bands > 1 else ""
            over = start >= seconds
            tokens.append(_token(len(tokens), f"{start:.2f}s{beside}", (start, end), special=over))
    return tokens


def _token(index: int, name: str, seconds: tuple[float, float] | None, *, special: bool = True) -> Token:
    return Token(index, index, name, name, None, None, special=special, segment=0, seconds=seconds)


def transcript(loaded: LoadedModel, heard: dict[str, Tensor], check: Callable[[], None]) -> str:
    """What the model writes, the most probable token each time."""
    ids = torch.tensor([[start_token(loaded.model, loaded.tokenizer)]], device=loaded.device)
    end = loaded.tokenizer.eos_token_id
    limit = min(MOST_TRANSCRIBED, loaded.entry.max_target_tokens or MOST_TRANSCRIBED)
    with record(check):
        encoded = loaded.model.get_encoder()(**heard)
        while ids.shape[1] < limit:
            check()
            output = loaded.model(encoder_outputs=encoded, decoder_input_ids=ids, use_cache=False)
            best = output.logits[0, -1].argmax()
            if int(best) == end:
                break
            ids = torch.cat([ids, best.view(1, 1)], dim=1)
    written = ids[0].tolist()
    # Letters that no tokenizer would cut so can take more tokens when they are read again.
    while len(written) > 1:
        text = str(loaded.tokenizer.decode(written, skip_special_tokens=True)).strip()
        if len(loaded.tokenizer.encode(text)) < limit:
            return text
        written.pop()
    return ""


def _count_positions(loaded: LoadedModel, heard: dict[str, Tensor]) -> int:
    """How many positions the encoder makes of a sound, worked out without its layers."""
    layout, sounds = loaded.sound_layout, loaded.sounds
    if layout is None or sounds is None:
        return 0
    if sounds.longest is not None:
        return len(layout.before) + layout.bands * round(sounds.longest / layout.hop)
    lengths = getattr(loaded.model, "_get_feat_extract_output_lengths", None)
    values = heard.get("input_values")
    if lengths is not None and values is not None and values.ndim == 2:
        # SEW and SEW-D attend to the mean of so many positions of their convolutions.
        return int(lengths(values.shape[-1])) // int(getattr(loaded.model.config, "squeeze_factor", 1))
    with record() as recording:
        (loaded.model.get_encoder() if loaded.entry.kind == "encoder_decoder" else loaded.model)(**heard)
    return recording.layers[0].attention.num_queries


def _heard(sound: Sound, layout: SoundLayout, tokens: list[Token], target: str | None) -> Heard:
    columns = min(OUTLINE, len(sound.samples))
    peaks: Float[np.ndarray, " C"] = np.maximum.reduceat(
        np.abs(sound.samples), np.linspace(0, len(sound.samples), columns, endpoint=False).astype(int)
    )
    along = sum(1 for token in tokens if token.seconds is not None)
    return Heard(
        seconds=sound.seconds,
        sampling_rate=sound.sampling_rate,
        hop=layout.hop,
        heard_seconds=layout.hop * (along // layout.bands),
        first=len(layout.before),
        bands=layout.bands,
        outline=peaks.astype(np.float32),
        target_text=target,
    )
