"""Statistics and histograms in answers."""

from attention_core.demos.summary import Summary
from .from_core import AnswerOf


class SummaryAnswer(AnswerOf[Summary]):
    """Statistics and a histogram of many numbers."""
