"""A plane of queries and keys in answers and in exported files."""

from attention_core.pretrained.studies.query_key_plane import PlanePoints, QueryKeyPlane
from .from_core import AnswerOf


class PlanePointsAnswer(AnswerOf[PlanePoints]):
    """The points of one side, and their partners on the other."""


class QueryKeyPlaneAnswer(AnswerOf[QueryKeyPlane]):
    """Queries times c (``factor``), keys divided by c and moved by t: neither changes any weight."""

    queries: PlanePointsAnswer
    keys: PlanePointsAnswer
