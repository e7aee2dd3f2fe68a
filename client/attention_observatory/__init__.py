"""Python client of Attention Observatory: analyse texts or tensors, scan corpora, and show the results."""

from attention_observatory.analysis import Analysis, Frame, Saved
from attention_observatory.atlas import Atlas
from attention_observatory.connection import ObservatoryError
from attention_observatory.observatory import Observatory

__all__ = ["Analysis", "Atlas", "Frame", "Observatory", "ObservatoryError", "Saved"]
