"""Errors of a corpus that cannot be used at all. What is wrong with one document is reported, not raised."""

from attention_core.pretrained.errors import AnalysisError


class CorpusError(AnalysisError):
    """A file that cannot be read as a corpus."""

    code = "corpus_invalid"
    default_field = "corpus"


class CorpusTooLargeError(CorpusError):
    """A corpus beyond one of the bounds; the sentence names the setting."""

    code = "corpus_too_large"


def too_many_bytes(limit: int) -> CorpusTooLargeError:
    """The refusal of a file, or of what a compressed file unpacks to."""
    return CorpusTooLargeError("The corpus has more than {limit} bytes (max_corpus_bytes).", limit=limit)


def too_many_documents(limit: int) -> CorpusTooLargeError:
    """The refusal of a corpus with more documents, or of a table with more rows."""
    return CorpusTooLargeError("The corpus has more than {limit} documents (max_corpus_documents).", limit=limit)


def too_much_memory(limit: int) -> CorpusTooLargeError:
    """The refusal of a file that cannot be read in the memory there is for it."""
    return CorpusTooLargeError(
        "Reading the corpus takes more than {limit} bytes of memory (max_corpus_memory_bytes).", limit=limit
    )


def reading_ended(name: str, limit: int) -> CorpusError:
    """The refusal of a file whose reading has ended without a word."""
    return CorpusError(
        "{name} could not be read: the process that read it has ended, as it may where it needs more than {limit} "
        "bytes of memory (max_corpus_memory_bytes).",
        name,
        limit,
    )
