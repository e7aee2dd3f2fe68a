"""Models for looks that run an analysis's text once more."""

from attention_core.pretrained.analysis import Analysis
from attention_core.pretrained.loading import LoadedModel
from server.dependencies import Observatory
from server.errors import ApiError


async def model_of(analysis: Analysis, observatory: Observatory) -> LoadedModel:
    """The model that made the analysis, loaded again if it had to make room."""
    if analysis.request is None:
        message = "This needs a model to run; the analysis holds tensors that came without one."
        raise ApiError(422, "needs_model", message, "analysis_id")
    return await observatory.loading.get(analysis.model.id)
