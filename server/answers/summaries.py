"""Statistics and histograms in answers."""

from attention_core.demos.summary import Summary
from server.answers.from_core import AnswerOf


class SummaryAnswer(AnswerOf[Summary]):
    """Statistics and a histogram of many numbers."""
