"""Analyse an image with a vision transformer: patches are tokens, each with its box in the image."""

from collections.abc import Callable

import torch

from attention_core.pretrained.errors import InterventionError, ReadsTextError, TextTooLongError
from attention_core.pretrained.inputs.images import decode_image, prepare
from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.image_layout import ImageLayout
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules
from attention_core.pretrained.recording.parity import parity as compare
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import sweep_parts
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.caveats import caveats_of
from attention_core.pretrained.running.forward_pass import check_weights_only, run_image
from attention_core.pretrained.running.intervention_plan import planned_change
from attention_core.pretrained.running.interventions import Intervention
from attention_core.pretrained.running.predictions import log_probabilities, predictions
from attention_core.pretrained.running.stopwatch import Stopwatch


def analyse_image(
    loaded: LoadedModel,
    data: bytes,
    *,
    max_tokens: int,
    max_pixels: int,
    parity: bool = False,
    interventions: tuple[Intervention, ...] = (),
    cancelled: Callable[[], bool] | None = None,
) -> Analysis:
    """Run a vision transformer on a PNG, JPEG or WebP file, and sweep the weights of every head.

    Most models have [CLS] as token 0, from which many classifiers predict; the others are patches, row by row.
    ``parity`` and ``interventions`` are as for a text. Raises InvalidImageError, ImageTooLargeError, ReadsTextError
    for a text model, TextTooLongError for one with more patches than ``max_tokens``, SelectionError or
    InterventionError for interventions that this model cannot have, and Cancelled.
    """

    check = stopping(cancelled, "analysis")
    if loaded.images is None:
        raise ReadsTextError("This model takes texts, not images: send one to POST /api/analyses.")
    if loaded.entry.max_tokens is not None and loaded.entry.max_tokens > max_tokens:
        raise TextTooLongError(
            "This model splits an image into {max_tokens} tokens; this server accepts at most {limit}.",
            loaded.entry.max_tokens,
            field="model",
            limit=max_tokens,
        )
    if parity and interventions:
        raise InterventionError(
            "parity must be false with interventions: the library's own attention does not support them", field="parity"
        )
    watch = Stopwatch(loaded.device)
    with watch("tokenize"):
        pixels, picture = prepare(decode_image(data, max_pixels), loaded.images)
        tokens = patch_tokens(loaded.images, loaded.layout)
    if loaded.weights_only:
        check_weights_only(loaded, changes=bool(interventions), parity=parity, tokens=len(tokens))
    check()
    inputs = {"pixel_values": pixels.to(device=loaded.device, dtype=loaded.dtype)}
    change = planned_change(loaded, interventions, len(tokens), len(tokens))
    with torch.inference_mode():
        with watch("forward"):
            logits, records = run_image(loaded, inputs, check, change)
        parts, overview_ms, metrics_ms = sweep_parts(records, tokens, loaded, check)
    return Analysis(
        model=loaded.entry,
        tokens=tokens,
        target_tokens=None,
        parts=parts,
        predictions=predictions(logits, [0], "class", loaded.answers, read_from=loaded.layout.read),
        device=str(loaded.device),
        dtype=str(loaded.dtype).removeprefix("torch."),
        timings_ms={**watch.milliseconds, "overview": overview_ms, "metrics": metrics_ms},
        parity=compare(loaded.model, inputs, loaded.agreement_bound) if parity else None,
        interventions=interventions,
        warnings=caveats_of(loaded, parts),
        log_probabilities=None if logits is None else log_probabilities(logits).cpu().numpy(),
        picture=picture,
    )


def patch_tokens(rules: ImageRules, layout: ImageLayout) -> list[Token]:
    """The patches, named by row and column from 0, between the tokens learned in place of a patch."""
    down, across = rules.grid
    tokens = [_learned(index, name) for index, name in enumerate(layout.before)]
    for row in range(down):
        for col in range(across):
            index = len(tokens)
            box = (col * rules.patch_width, row * rules.patch_height, rules.patch_width, rules.patch_height)
            name = f"{row},{col}"
            tokens.append(Token(index, index, name, name, None, None, special=False, segment=0, box=box))
    return tokens + [_learned(len(tokens) + index, name) for index, name in enumerate(layout.after)]


def _learned(index: int, name: str) -> Token:
    return Token(index, index, name, name, None, None, special=True, segment=0)
