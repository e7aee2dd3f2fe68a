"""The hidden layer of additive attention in requests."""

from typing import Annotated

from pydantic import ConfigDict, Field

from attention_core.demos.scoring import (
    AdditiveChoice,
    AdditiveWeights,
)
from attention_core.refusal import InvalidValueError
from ..web.openapi.schema_rules import at_most_one
from .bounded import (
    MatrixIn,
    RequestModel,
    Seed,
    Vector,
)

MAX_HIDDEN = 1_024


class AdditiveWeightsIn(RequestModel):
    """`score = combine · tanh(query_weight q + key_weight k + bias)`."""

    query_weight: MatrixIn = Field(description="(hidden, size of a query)")
    key_weight: MatrixIn = Field(description="(hidden, size of a key)")
    combine: Vector = Field(description="(hidden)")
    bias: Vector | None = Field(None, description="(hidden); none unless given.")


class AdditiveOptions(RequestModel):
    """The hidden layer of additive attention: random from a seed, or given."""

    model_config = ConfigDict(json_schema_extra=at_most_one("seed", "weights"))

    hidden: Annotated[int, Field(ge=1, le=MAX_HIDDEN)] | None = Field(None, description="Its size; 8 unless given.")
    seed: Seed | None = Field(None, description="0 unless given.")
    weights: AdditiveWeightsIn | None = Field(None, description="Instead of hidden and seed.")

    def choice(self) -> AdditiveChoice:
        """The hidden layer as an option of the core."""
        if self.weights is None:
            return AdditiveChoice(hidden=self.hidden or 8, seed=self.seed or 0)
        if self.seed is not None:
            raise InvalidValueError("{name} must be left out where {other} are given", "seed", "weights")
        if self.hidden is not None and self.hidden != len(self.weights.combine):
            raise InvalidValueError(
                "hidden must be {size}, as the weights have, not {given}", len(self.weights.combine), self.hidden
            )
        return AdditiveChoice(weights=AdditiveWeights(**dict(self.weights)))
