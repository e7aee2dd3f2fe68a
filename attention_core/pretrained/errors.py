"""Errors of requests about models. Every message is a sentence for users and contains no path."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from attention_core.refusal import Refusal, Sentence

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 200
"""Of what a library says."""
FOLDERS = re.compile(r"(?<![\w.:/])/(?:[^\s/'\"]+/)+")
"""The folders in front of a file's name."""


class AnalysisError(Refusal):
    """Base class of all errors that a request about a model can cause."""

    code: ClassVar[str] = "analysis_failed"
    default_field: ClassVar[str | None] = None

    def __init__(
        self, template: str | Sentence, /, *values: object, field: str | None = None, limit: int | float | None = None
    ) -> None:
        super().__init__(template, *values, field=self.default_field if field is None else field, limit=limit)


class UnknownModelError(AnalysisError):
    """No model with this id is listed."""

    code = "unknown_model"
    default_field = "model"


class ModelUnavailableError(AnalysisError):
    """The model is known but cannot be fetched or used; the message says why and what to do."""

    code = "model_unavailable"
    default_field = "model"


class HubNotAllowedError(AnalysisError):
    """The operator allows listed models alone."""

    code = "hub_not_allowed"


class UnsupportedAttentionError(ModelUnavailableError):
    """The model runs, but its attention cannot be recorded exactly."""

    code = "model_unsupported"


class DoesNotRunError(AnalysisError):
    """The model's own code fails on this input, although the model was loaded and tried."""

    code = "model_failed"


class NoPairsError(AnalysisError):
    """A second text for a model that does not tell two texts apart."""

    code = "no_pairs"
    default_field = "text_pair"


class ReadsImagesError(ModelUnavailableError):
    """Text input for a vision model."""

    code = "reads_images"


class ReadsSoundsError(ModelUnavailableError):
    """Text or image input for an audio model."""

    code = "reads_sounds"


class ReadsTextError(AnalysisError):
    """Image or sound input for a text model."""

    code = "reads_text"
    default_field = "model"


class InvalidImageError(AnalysisError):
    """A file that is not a complete image in a supported format."""

    code = "image_invalid"
    default_field = "image"


class ImageTooLargeError(AnalysisError):
    """An image with more pixels than may be decoded."""

    code = "image_too_large"
    default_field = "image"


class InvalidSoundError(AnalysisError):
    """A file that is not a complete sound in a supported format."""

    code = "sound_invalid"
    default_field = "sound"


class SoundTooLongError(AnalysisError):
    """A sound of more seconds than the model or the operator allows. Nothing is ever cut off silently."""

    code = "sound_too_long"
    default_field = "sound"


class TextTooLongError(AnalysisError):
    """More tokens than the model or the operator allows. Nothing is ever truncated silently."""

    code = "text_too_long"
    default_field = "text"


class EmptyTextError(AnalysisError):
    """A blank text, or one that yields no tokens."""

    code = "text_empty"
    default_field = "text"


class InvalidTextError(AnalysisError):
    """A text with an unpaired surrogate."""

    code = "text_invalid"
    default_field = "text"


class ChatError(AnalysisError):
    """A text that cannot be given to this model as a chat message."""

    code = "chat_invalid"
    default_field = "chat"


class WindowTooLargeError(AnalysisError):
    """A window with more cells than may be computed at once."""

    code = "window_too_large"


class TensorsError(AnalysisError):
    """Uploaded tensors that cannot be read or do not fit together; ``field`` names the array."""

    code = "tensors_invalid"
    default_field = "body"


class TensorsTooLargeError(TensorsError):
    """Uploaded tensors over the size limit."""

    code = "too_large"


class SelectionError(AnalysisError):
    """A part, stage, layer, head, row or column that the analysis does not have; ``field`` says which."""

    code = "out_of_range"


class InterventionError(AnalysisError):
    """Interventions that contradict each other, or one that this text cannot have; ``field`` says which."""

    code = "intervention_invalid"
    default_field = "interventions"


class NotComparableError(AnalysisError):
    """Two analyses whose tokens do not correspond."""

    code = "not_comparable"
    default_field = "other"


class NoCircuitsError(AnalysisError):
    """A model whose heads have no circuits on the vocabulary that could be worked out from the weights."""

    code = "no_circuits"
    default_field = "model"


class Cancelled(AnalysisError):  # noqa: N818 - not an error: the caller went away
    """The caller no longer needs the result."""

    code = "cancelled"


@contextmanager
def as_unavailable(template: str, /, *values: object) -> Iterator[None]:
    """Convert any exception from third-party files to ModelUnavailableError; the details go to the log.

    The place ``{cause}`` of the template, if there is one, says what was raised, in one line. The tokenizers library
    raises its own failures as PanicException, which is not an Exception and would end a worker.
    """
    try:
        yield
    except ModelUnavailableError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = Sentence(template, *values, cause=_last_line(error))
        logger.warning("a model cannot be used: %s", reason, exc_info=error)
        raise ModelUnavailableError(reason) from error


def _last_line(error: BaseException) -> str:
    """``IndexError: index out of range in self``, without a full stop and without folders of this machine."""
    lines = FOLDERS.sub("", str(error)).strip().splitlines() or ["no message"]
    return f"{type(error).__name__}: {lines[-1].strip()[:MOST_CHARACTERS].rstrip('.')}"


@contextmanager
def as_failed() -> Iterator[None]:
    """Convert what a model's own code raises on an input to DoesNotRunError; the details go to the log.

    Refusals stay what they are.
    """
    try:
        yield
    except Refusal:
        raise
    except Exception as error:
        logger.warning("a model fails on an input", exc_info=error)
        raise DoesNotRunError(Sentence("The model fails on this input: {cause}.", cause=_last_line(error))) from error


@contextmanager
def naming_model(model_id: str) -> Iterator[None]:
    """Begin the reason why a model is not available with its name."""
    try:
        yield
    except ModelUnavailableError as error:
        raise ModelUnavailableError("{model_id} cannot be used. {error}", model_id, error) from error
