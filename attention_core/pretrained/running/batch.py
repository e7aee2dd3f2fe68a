"""Analyse several texts of equally many tokens in one forward pass.

Without padding the mathematics of each text is what it is alone; only the rounding of the model's own matrix products
may differ in the last digits, since a matrix product of another shape adds in another order. What a text costs beside
arithmetic (calling some hundred small operations) is paid once for all.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import Cancelled, DoesNotRunError, as_failed
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.batch_records import NotSplittableError, split_records
from attention_core.pretrained.recording.model_run import logits_at
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, PreparedText, analyse_prepared, swept
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.forward_pass import recorded_parts

LONGEST = 256
"""Tokens of a text above which a pass of its own costs nothing more (see ``benchmarks/batching.py``)."""
MOST_CHARACTERS = 8 * LONGEST


def may_share(request: AnalysisRequest) -> bool:
    """Whether it is worth tokenising ahead, to find others of the same length: for short texts and the plain model."""
    texts = (request.text, request.text_pair, request.target_text)
    short = sum(len(text) for text in texts if text is not None) <= MOST_CHARACTERS
    return short and not request.interventions and not request.parity


def batch_key(text: PreparedText) -> Hashable | None:
    """Equal for texts that may share a pass; None for one that is better run alone."""
    one_part = text.loaded.entry.kind in ("encoder", "decoder")
    if not may_share(text.request) or not one_part or text.loaded.weights_only or len(text.tokens) > LONGEST:
        return None
    shapes = tuple(sorted((name, tuple(values.shape)) for name, values in text.inputs.items()))
    return id(text.loaded), bool(text.masked), shapes


def analyse_together(
    texts: Sequence[PreparedText], cancelled: Sequence[Callable[[], bool]]
) -> list[Analysis | Exception]:
    """The analysis of each text, or its error; all must have the same ``batch_key``.

    The pass is stopped when nobody waits for any of them, the sweep of a text when nobody waits for it.
    """
    if len(texts) == 1:
        return [_outcome(lambda: analyse_prepared(texts[0], cancelled[0]))]
    loaded = texts[0].loaded
    try:
        logits, layers = _run(texts, stopping(lambda: all(each() for each in cancelled), "analysis"))
    except (NotSplittableError, DoesNotRunError):  # the latter perhaps on one of them alone
        return [_outcome(partial(analyse_prepared, *each)) for each in zip(texts, cancelled, strict=True)]
    except Cancelled as error:
        return [error] * len(texts)

    def finish(index: int) -> Analysis:
        check = stopping(cancelled[index], "analysis")
        check()
        parts = recorded_parts(loaded, texts[index].inputs, layers[index])
        return swept(texts[index], logits[index], parts, check)

    return [_outcome(partial(finish, index)) for index in range(len(texts))]


def _outcome(compute: Callable[[], Analysis]) -> Analysis | Exception:
    try:
        return compute()
    except Exception as error:  # noqa: BLE001 - it belongs to one text, and is raised for those who wait for it
        return error


def _run(
    texts: Sequence[PreparedText], check: Callable[[], None]
) -> tuple[list[Float[Tensor, "n V"] | None], list[list[LayerRecord]]]:
    """For each text its logits at the positions to predict, and its layers. Raises NotSplittableError."""
    loaded = texts[0].loaded
    inputs = {name: torch.cat([text.inputs[name] for text in texts]) for name in texts[0].inputs}
    with torch.inference_mode(), texts[0].watch("forward"):
        check()
        with as_failed(), record(check) as recording:
            logits = _logits(loaded, inputs, texts)
        layers = split_records(recording.layers, len(texts))
    for text in texts[1:]:
        text.watch.milliseconds["forward"] = texts[0].watch.milliseconds["forward"]
    return logits, layers


def _logits(
    loaded: LoadedModel, inputs: Mapping[str, Tensor], texts: Sequence[PreparedText]
) -> list[Float[Tensor, "n V"] | None]:
    """As ``run_text``, for each of several texts."""
    masked = sorted({position for text in texts for position in text.masked})
    wanted = [-1] if loaded.model.can_generate() else masked
    logits = logits_at(loaded.model, inputs, wanted)
    if logits is None:
        return [None] * len(texts)
    if loaded.class_names is not None:
        return list(logits.split(1))
    if loaded.model.can_generate():
        return list(logits)
    return [
        each[[wanted.index(position) for position in text.masked]] for each, text in zip(logits, texts, strict=True)
    ]
