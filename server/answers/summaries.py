"""The experiments' statistics as JSON."""

from pydantic import BaseModel, Field

from attention_core.demos.summary import Summary
from server.web.matrices import to_json_numbers


class SummaryAnswer(BaseModel):
    """Many numbers in a few."""

    count: int
    mean: float
    variance: float = Field(description="Of a sample: divided by count − 1.")
    standard_deviation: float
    minimum: float
    maximum: float
    edges: list[float] = Field(description="Of the histogram's bins: one more than there are counts.")
    counts: list[int]

    @classmethod
    def of(cls, summary: Summary) -> "SummaryAnswer":
        """From the core's own."""
        numbers = {name: getattr(summary, name) for name in cls.model_fields if name not in {"edges", "counts"}}
        return cls(**numbers, edges=to_json_numbers(summary.edges), counts=to_json_numbers(summary.counts))
