"""Where a scan gets its model: by id or folder, the same in every process."""

import os
from dataclasses import dataclass
from pathlib import Path

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel


@dataclass(frozen=True)
class ModelSource:
    """A model by what the catalog needs to find it. Can be sent to another process."""

    model: str
    """An id of the catalog or the hub."""
    models_dir: Path | None = None
    device: str | None = None
    dtype: str | None = None

    @classmethod
    def named(
        cls, model: str, *, models_dir: Path | None = None, device: str | None = None, dtype: str | None = None
    ) -> "ModelSource":
        """From an id, or from the path of a folder in transformers' format.

        Models of the operator are looked for in ``models_dir``, else in ``OBSERVATORY_MODELS_DIR``.
        """
        folder = Path(model)
        if (folder / "config.json").is_file():
            folder = folder.resolve()
            return cls(folder.name, folder, device, dtype)
        given = os.environ.get("OBSERVATORY_MODELS_DIR")
        return cls(model, models_dir or (Path(given) if given else None), device, dtype)

    def load(self) -> LoadedModel:
        """Load the model. Raises UnknownModelError or ModelUnavailableError, ValueError for an unknown device."""
        catalog = Catalog(
            models_dir=self.models_dir,
            device=self.device,
            dtype=self.dtype,
            allow_any_hub_model=True,
            max_model_bytes=2**40,
        )
        return catalog.load(self.model)
