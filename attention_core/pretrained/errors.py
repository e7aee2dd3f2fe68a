"""What can go wrong between a request and its analysis. Every message is a sentence for people and names no path."""

from typing import ClassVar


class AnalysisError(Exception):
    """Base of all errors that a request can cause."""

    code: ClassVar[str] = "analysis_failed"
    default_field: ClassVar[str | None] = None

    def __init__(self, message: str, *, field: str | None = None, limit: int | None = None) -> None:
        super().__init__(message)
        self.field = self.default_field if field is None else field
        self.limit = limit


class UnknownModelError(AnalysisError):
    """No model of this id is listed."""

    code = "unknown_model"
    default_field = "model"


class ModelUnavailableError(AnalysisError):
    """The model is known, but cannot be had or cannot be used; the message says why and what to do."""

    code = "model_unavailable"
    default_field = "model"


class UnsupportedAttentionError(ModelUnavailableError):
    """The model runs, but its attention cannot be recorded, or not exactly."""

    code = "model_unsupported"


class TextTooLongError(AnalysisError):
    """More tokens than the model or the operator allows. Nothing is ever cut off silently."""

    code = "text_too_long"
    default_field = "text"


class EmptyTextError(AnalysisError):
    """A text that is blank, or of which the tokenizer leaves nothing."""

    code = "text_empty"
    default_field = "text"


class InvalidTextError(AnalysisError):
    """A text that is no sequence of characters: it holds half of a surrogate pair."""

    code = "text_invalid"
    default_field = "text"


class WindowTooLargeError(AnalysisError):
    """A window of more cells than may be computed at once."""

    code = "window_too_large"


class SelectionError(AnalysisError):
    """A part, stage, layer, head, row or column that the analysis does not have; ``field`` says which."""

    code = "out_of_range"


class Cancelled(AnalysisError):  # noqa: N818 - it is no fault, the caller went away
    """The caller no longer wants the result."""

    code = "cancelled"
