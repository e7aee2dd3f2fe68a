"""Errors of a corpus that cannot be used at all. What is wrong with one document is reported, not raised."""

from attention_core.pretrained.errors import AnalysisError


class CorpusError(AnalysisError):
    """A file that cannot be read as a corpus."""

    code = "corpus_invalid"
    default_field = "corpus"


class CorpusTooLargeError(CorpusError):
    """A corpus beyond one of the bounds; the sentence names the setting."""

    code = "corpus_too_large"
