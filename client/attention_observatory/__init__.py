"""Python client of Attention Observatory: analyse texts or tensors, scan corpora, and show the results."""

from attention_observatory.analysis import Analysis
from attention_observatory.asynchronous import AsyncAnalysis, AsyncAtlas, AsyncObservatory, AsyncTrainingRun
from attention_observatory.atlas import Atlas
from attention_observatory.concept import ConceptAnswer
from attention_observatory.connection import ObservatoryError
from attention_observatory.notebook import Saved
from attention_observatory.observatory import Observatory, ObservatoryWarning
from attention_observatory.tracing import Trace, trace
from attention_observatory.training import TrainingRun

__all__ = [
    "Analysis",
    "AsyncAnalysis",
    "AsyncAtlas",
    "AsyncObservatory",
    "AsyncTrainingRun",
    "Atlas",
    "ConceptAnswer",
    "Observatory",
    "ObservatoryError",
    "ObservatoryWarning",
    "Saved",
    "Trace",
    "TrainingRun",
    "trace",
]
