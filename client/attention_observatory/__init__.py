"""Send text or tensors to an Attention Observatory, and look at what comes back."""

from attention_observatory.analysis import Analysis, Frame, Saved
from attention_observatory.connection import ObservatoryError
from attention_observatory.observatory import Observatory

__all__ = ["Analysis", "Frame", "Observatory", "ObservatoryError", "Saved"]
