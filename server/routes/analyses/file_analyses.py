"""Analyses of an uploaded file, an image or a sound: the same way from the bytes to the answer for both."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from ...answers.analyses import AnalysisAnswer, analysis_answer
from ...requests.bounded import Name, RequestModel
from ...requests.interventions import Interventions
from ...requests.turns import in_turn
from ...settings import Settings
from ...stores.computation_store import Cancelled
from ...stores.kept_requests import KeptRequest
from ...web.errors import ApiError
from ..dependencies import Observatory, Recipe

ANSWER_VERSION = 1
"""Part of every id; raised when the same request gets a different answer."""


class FileRequest(RequestModel):
    """What can be asked of any file; its size is bounded by that of the whole request."""

    body_limit = "max_body_bytes"
    model: Name
    parity: bool = Field(False, description="Also compare with the library's own eager attention.")
    interventions: Interventions = Field(
        default_factory=list, description="Changes to the model's attention before it runs."
    )


Wanted = TypeVar("Wanted", bound=FileRequest)


@dataclass(frozen=True)
class FileAnalyses(Generic[Wanted]):
    """The analyses of one kind of file."""

    kind: str
    """Also the name of the field that holds the file."""
    wanted: type[Wanted]
    """The body of a request."""
    analyse: Callable[[LoadedModel, bytes, Wanted, Settings, Cancelled], Analysis]
    """Runs the model."""

    async def answer(self, wanted: Wanted, settings: Settings, observatory: Observatory) -> AnalysisAnswer:
        """Analyse the file, and keep the request. Raises ApiError for what is no base64, and as ``analyse`` does."""
        try:
            data = await in_turn(base64.b64decode, getattr(wanted, self.kind), validate=True)
        except ValueError:
            raise ApiError(
                422, f"{self.kind}_invalid", "{field} must be the bytes of a file in base64.", field=self.kind
            ) from None
        loaded = await observatory.loading.get(wanted.model)
        analysis_id = await in_turn(self._identify, wanted, data, loaded)
        analysis = await self._compute(analysis_id, wanted, data, loaded, settings, observatory)
        asked = {"fingerprint": loaded.fingerprint, **wanted.model_dump(mode="json", exclude={self.kind})}
        await observatory.requests.keep(analysis_id, KeptRequest(self.kind, asked, data))
        return await in_turn(analysis_answer, analysis_id, analysis)

    def recipe(self, settings: Settings) -> Recipe:
        """Analyses the file of a kept request."""

        async def again(analysis_id: str, kept: KeptRequest, observatory: Observatory) -> Analysis | None:
            asked = {name: value for name, value in kept.asked.items() if name in self.wanted.model_fields}
            wanted = self.wanted.model_validate({self.kind: "AA==", **asked})
            loaded = await observatory.loading.get(wanted.model)
            if loaded.fingerprint != kept.asked["fingerprint"]:
                return None
            return await self._compute(analysis_id, wanted, kept.data, loaded, settings, observatory)

        return again

    async def _compute(
        self,
        analysis_id: str,
        wanted: Wanted,
        data: bytes,
        loaded: LoadedModel,
        settings: Settings,
        observatory: Observatory,
    ) -> Analysis:
        return await observatory.analyses.get_or_compute(
            analysis_id, lambda cancelled: self.analyse(loaded, data, wanted, settings, cancelled)
        )

    def _identify(self, wanted: Wanted, data: bytes, loaded: LoadedModel) -> str:
        """The same for the same file, wishes and weights, on any server."""
        wishes = wanted.model_dump(exclude={"model", self.kind}, exclude_defaults=True)
        named = [ANSWER_VERSION, loaded.entry.id, loaded.fingerprint, str(loaded.device), str(loaded.dtype), wishes]
        asked = f"{self.kind} {json.dumps(named, sort_keys=True, ensure_ascii=True)}"
        return hashlib.sha256(asked.encode() + hashlib.sha256(data).digest()).hexdigest()[:32]
