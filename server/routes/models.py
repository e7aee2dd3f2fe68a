"""Which models there are."""

from collections.abc import Sequence

from fastapi import APIRouter
from pydantic import BaseModel, Field

from attention_core.pretrained.loading import ModelEntry
from server.answers import Model
from server.dependencies import ObservatoryDep

router = APIRouter(prefix="/api/models", tags=["models"])


class ModelList(BaseModel):
    """The catalog."""

    models: list[Model]
    default: str | None = Field(description="The model a page opens with; null if none is available.")


def default_model(entries: Sequence[ModelEntry]) -> str | None:
    """The first that is available."""
    return next((entry.id for entry in entries if entry.available), None)


@router.get("")
def list_models(observatory: ObservatoryDep) -> ModelList:
    """Every model that may be asked for, those that cannot be had right now with the reason."""
    entries = observatory.catalog.entries()
    return ModelList(models=[Model.model_validate(entry) for entry in entries], default=default_model(entries))
