"""The experiments' statistics as JSON."""

from pydantic import Field

from server.answers.from_core import FromCore


class SummaryAnswer(FromCore):
    """Many numbers in a few."""

    count: int
    mean: float
    variance: float = Field(description="Of a sample: divided by count − 1.")
    standard_deviation: float
    minimum: float
    maximum: float
    edges: list[float] = Field(description="Of the histogram's bins: one more than there are counts.")
    counts: list[int]
