"""The models of analyses, for studies that run them again."""

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from ...web.errors import ApiError
from ..dependencies import Observatory


async def model_of(analysis: Analysis, observatory: Observatory) -> LoadedModel:
    """The model that made the analysis, loaded again if it had to make room."""
    if analysis.request is None and analysis.picture is None and analysis.sound is None:
        raise ApiError(
            422,
            "needs_text",
            "This needs another run of the model, but this analysis was made without a model.",
            field="analysis_id",
        )
    return await observatory.loading.get(analysis.model.id)
