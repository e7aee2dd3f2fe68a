"""A plane of queries and keys as the API answers it, and as an exported file holds it."""

from pydantic import Field

from attention_core.pretrained.studies.query_key_plane import Beside
from server.answers.from_core import FromCore


class PlanePointsAnswer(FromCore):
    """One side: its tokens, where each lies, and whom it reads or is read by."""

    indices: list[int] = Field(description="Tokens, ascending; all of them, or of a long text a sample.")
    coordinates: list[list[float]] = Field(description="Two each, counted from the centre of all points.")
    partner_indices: list[list[int]] = Field(
        description="Of a query the keys it reads most, of a key the queries that read it most; strongest first."
    )
    partner_weights: list[list[float]]


class QueryKeyPlaneAnswer(FromCore):
    """Queries times c (``factor``) and keys divided by it and moved by t: no weight is changed by either."""

    part: str
    layer: int
    head: int
    kv_head: int = Field(description="The key head that this query head uses.")
    queries: PlanePointsAnswer
    keys: PlanePointsAnswer
    explained: tuple[float, float] = Field(description="Share of the variance of all points along each axis, 0…1.")
    factor: float = Field(description="c: with it queries and keys are equally wide.")
    shift: tuple[float, float] = Field(description="t along each axis; it puts the keys' mean on that of the queries.")
    shift_length: float = Field(description="Length of t in all dimensions.")
    origin: tuple[float, float] = Field(description="Where the zero vector lies, from which dot products count.")
    beside: list[Beside] = Field(
        description="What else decides the weights and is in no vector: a bias by position, a mask, a change."
    )
