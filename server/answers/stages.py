"""The stages of one head's attention as the API answers them."""

from pydantic import Field

from ..web.matrices import Matrix
from .from_core import FromCore


class Stages(FromCore):
    """Every stage of one head by its name, in the order of computation. Rows are queries, columns are keys."""

    queries: Matrix = Field(description="As scored: rotated under RoPE.")
    keys: Matrix = Field(description="As scored: rotated under RoPE.")
    values: Matrix
    raw_scores: Matrix = Field(description="Of the scoring function, before anything else.")
    scaled_scores: Matrix = Field(description="raw_scores · scale")
    masked_scores: Matrix = Field(description="scaled_scores + bias, −∞ where the mask forbids.")
    weights: Matrix = Field(description="softmax(masked_scores): each row sums to 1, or is 0 if every key is masked.")
    head_outputs: Matrix = Field(description="weights · values")
    output: Matrix = Field(description="The same: there is one head and no output projection.")
