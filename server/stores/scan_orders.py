"""What a scan's process is told to do, within the operator's limits."""

from pathlib import Path

from attention_core.atlas.settings import ScanSettings, atlas_id
from attention_core.atlas.worker import ScanOrder
from attention_core.pretrained.models.catalog import Catalog
from ..settings import Settings
from .corpus import Corpus
from .folders import ATLASES


class ScanOrders:
    """Makes the orders of one server's scans."""

    def __init__(self, settings: Settings, catalog: Catalog, folder: Path) -> None:
        self._settings = settings
        self._catalog = catalog
        self._folder = folder

    def order(
        self,
        model: str,
        fingerprint: str,
        corpus: Corpus,
        max_tokens: int | None,
        window_tokens: int | None,
        seed: int,
    ) -> ScanOrder:
        """The order to scan a prepared corpus with a model that has been inspected."""
        place, facts = self._catalog.place_of(model), corpus.facts
        assert place is not None  # noqa: S101 - it has been inspected
        assert facts is not None  # noqa: S101 - it is ready
        limit = self._settings.max_scan_tokens
        most = limit if max_tokens is None and facts.characters > limit else max_tokens
        windows = {} if window_tokens is None else {"window_tokens": window_tokens}
        settings = ScanSettings(max_tokens=most, seed=seed, **windows)
        return ScanOrder(
            model=place,
            device=str(self._catalog.device),
            dtype=self._settings.dtype,
            max_model_bytes=self._settings.max_model_bytes,
            corpus=corpus.folder,
            out=self._folder / atlas_id(fingerprint, facts.hash, settings),
            settings=settings,
            threads=self._settings.scan_threads,
            place=ATLASES,
        )
