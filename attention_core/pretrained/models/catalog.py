"""The model catalog: lists models, loads each once and evicts the least recently used."""

import threading
import weakref
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from attention_core.foreign_files import resolved
from attention_core.pretrained.errors import HubNotAllowedError, ModelUnavailableError, naming_model
from attention_core.pretrained.models.adapter_bases import with_bases
from attention_core.pretrained.models.devices import choose_device, choose_dtype
from attention_core.pretrained.models.entries import Findings, ModelEntry, absent_entries, beyond_memory
from attention_core.pretrained.models.files.folders import Inspection, Signature, inspect_folder, is_whole, weight_files
from attention_core.pretrained.models.files.mapped_files import mapped_bytes
from attention_core.pretrained.models.from_hub.download_room import DownloadRoom
from attention_core.pretrained.models.from_hub.hub import KNOWN_MODELS, Hub, hub_place, is_hub_id, unfetched
from attention_core.pretrained.models.from_hub.hub_search import FoundModel, preview_model, search_models
from attention_core.pretrained.models.load_progress import LoadProgress
from attention_core.pretrained.models.loading import LoadedModel, load_inspected
from attention_core.pretrained.models.sources import (
    ModelFolder,
    check_hash,
    directory_folders,
    network_folders,
    package_folders,
    signature_of,
    why_unlisted,
)
from attention_core.pretrained.models.trial.self_check import CheckKey, SelfCheck, check_key
from attention_core.pretrained.models.weight_loading import allocated_bytes
from attention_core.refusal import Sentence

DEFAULT_HUB_MODELS = tuple(KNOWN_MODELS)
NO_SEARCH = Sentence("This server takes only the models that it lists (OBSERVATORY_ALLOW_ANY_HUB_MODEL is false).")
DEFAULT_MAX_MODEL_BYTES = 4 * 2**30
DEFAULT_MAX_HUB_CACHE_BYTES = 64 * 2**30

Key = tuple[str, Signature]
"""A model and the state of its files: changed files are another model."""


class Catalog:
    """The available models, each loaded once and kept within a memory budget.

    Sources in order: the operator's directory, packages with weights, folders added by ``add``, networks that any
    process has put into ``networks_dir``, the hub's local cache (all of it with ``list_cache``, else the hub's models
    that may be used), the Hub. The first of each id wins. Every method may be called from many threads. The network is
    used only when a hub model is loaded, previewed or searched for, and in the background to learn whether the hub can
    be reached.
    """

    def __init__(
        self,
        *,
        models_dir: Path | None = None,
        networks_dir: Path | None = None,
        hub_models: Sequence[str] = DEFAULT_HUB_MODELS,
        allow_any_hub_model: bool = False,
        list_cache: bool = False,
        device: str | None = None,
        dtype: str | None = None,
        max_model_bytes: int = DEFAULT_MAX_MODEL_BYTES,
        max_hub_cache_bytes: int = DEFAULT_MAX_HUB_CACHE_BYTES,
        hub: Hub | None = None,
    ) -> None:
        self.device = choose_device(device)
        self.dtype = choose_dtype(dtype)
        self.max_model_bytes = max_model_bytes
        self._models_dir = models_dir
        self._networks_dir = networks_dir
        self._hub_models = tuple(hub_models)
        self._allow_any_hub_model = allow_any_hub_model
        self._list_cache = list_cache
        self._hub = Hub() if hub is None else hub
        self._room = DownloadRoom(max_model_bytes, max_hub_cache_bytes, self.dtype.itemsize)
        self._added: dict[str, ModelFolder] = {}
        self._lock = threading.Lock()
        self._loading: weakref.WeakValueDictionary[str, _Turn] = weakref.WeakValueDictionary()
        self._findings = Findings()
        self._kept: OrderedDict[Key, LoadedModel] = OrderedDict()
        """Least recently used first."""
        self._alive: weakref.WeakValueDictionary[Key, LoadedModel] = weakref.WeakValueDictionary()
        """Includes evicted models that are still in use, so that they are not loaded twice."""
        self._weight_files: frozenset[Path] = frozenset()
        """Of all models loaded so far."""
        self._checks: dict[CheckKey, SelfCheck] = {}
        """Of models loaded before, so that none is checked twice."""

    def entries(self, *, ask_hub: bool = True) -> list[ModelEntry]:
        """Every listed model, available or not, in the order of the sources.

        ``ask_hub`` checks in the background whether the Hub has the models that are not on this machine; without it
        only what is already known is used (at start-up, for example).
        """
        listed = {each.id: each for each in (*absent_entries(), *map(self._entry, self._places()))}
        missing = [model_id for model_id in self._hub_models if model_id not in listed]
        reasons = self._hub.availability(missing, ask=ask_hub)
        for model_id in missing:
            listed[model_id] = unfetched(model_id, self._why_not(model_id, reasons[model_id]))
        return list(listed.values())

    def add(self, place: ModelFolder) -> None:
        """List one more folder, after all others. It replaces an earlier folder with the same id."""
        with self._lock:
            self._added = {**self._added, place.id: place}

    def discard(self, model_id: str) -> None:
        """Unlist the folder added under this id and release the model; the caller then owns the folder."""
        with self._lock:
            if (place := self._added.get(model_id)) is not None:
                self._findings.forget(place.folder)
            self._added = {known: place for known, place in self._added.items() if known != model_id}
            for key in [key for key in self._kept if key[0] == model_id]:
                del self._kept[key]

    def loaded_ids(self) -> frozenset[str]:
        """Ids of the models in memory."""
        return frozenset(self.loaded_bytes())

    def memory(self) -> tuple[int, int]:
        """Bytes of the models in memory, as ``loaded_bytes`` has them, and their budget."""
        return sum(self.loaded_bytes().values()), self.max_model_bytes

    def loaded_bytes(self) -> Mapping[str, int]:
        """Bytes of every model in memory, those included that had to make room but are still in use."""
        with self._lock:
            in_memory = {**self._alive, **self._kept}.items()
        return sum((Counter({model_id: model.nbytes}) for (model_id, _), model in in_memory), Counter())

    def mapped_bytes(self) -> int:
        """Bytes of the files of all models loaded so far that are still mapped, whoever holds them; 0 if unknown."""
        return mapped_bytes(self._weight_files)

    @property
    def takes_any_hub_id(self) -> bool:
        """Whether unlisted models of the hub may be requested."""
        return self._allow_any_hub_model

    def check_known(self, model_id: str) -> None:
        """Raise UnknownModelError for a model that ``load`` would not try."""
        self.place_of(model_id)

    def load(self, model_id: str, progress: LoadProgress | None = None) -> LoadedModel:
        """The model, loaded now or earlier; ``progress`` is kept up to date and may cancel loading.

        Raises UnknownModelError, or ModelUnavailableError with the reason; a later call tries again. Raises Cancelled
        if ``progress`` says so.
        """
        progress = progress or LoadProgress()
        place = self.place_of(model_id)
        with self._lock:
            turn = self._loading.setdefault(model_id, _Turn())
        with turn.lock, naming_model(model_id):
            return self._load(place or self._fetch(model_id, progress), progress)

    def fetch(self, model_id: str, progress: LoadProgress | None = None) -> Path:
        """The folder of a model, downloaded now if it is not on this machine; nothing is loaded. Raises as ``load``."""
        place = self.place_of(model_id)
        with naming_model(model_id):
            return (place or self._fetch(model_id, progress or LoadProgress())).folder

    def inspect(self, model_id: str) -> Inspection | None:
        """What a model's files say, weights aside; None if they must be fetched. Raises what ``load`` raises."""
        if (place := self.place_of(model_id)) is None:
            return None
        with naming_model(model_id):
            self._check_size(self._findings.inspect(place))
            return self._findings.inspect(place)

    def preview(self, model_id: str) -> ModelEntry:
        """What is known of a model without loading it; one that is not here is asked of the hub, its weights aside.

        Raises UnknownModelError, or ModelUnavailableError if the hub does not answer.
        """
        if (place := self.place_of(model_id)) is not None:
            return self._entry(place)
        with naming_model(model_id):
            preview = preview_model(self._hub, model_id)
        reason = preview.reason or self._too_large(preview)
        return replace(preview, available=reason is None, reason=reason)

    def search(self, query: str, limit: int) -> list[FoundModel]:
        """Models of the hub whose id contains the query, the most downloaded first.

        Raises HubNotAllowedError where only listed models may be used, ModelUnavailableError without an answer.
        """
        if not self._allow_any_hub_model:
            raise HubNotAllowedError(NO_SEARCH)
        return search_models(self._hub, query, limit)

    def at_hand(self, model_id: str) -> LoadedModel | None:
        """The model if it is in memory, which counts as its use; nothing is loaded or asked for."""
        place = self._place(model_id)
        try:
            key = None if place is None else (place.id, signature_of(place))
        except ModelUnavailableError:  # its folder has gone, or cannot be read any more
            return None
        with self._lock:
            if key is None or (loaded := self._alive.get(key)) is None:
                return None
            self._keep(key, loaded)
            return loaded

    def place_of(self, model_id: str) -> ModelFolder | None:
        """Where a model is; None if it would have to be fetched. Raises UnknownModelError."""
        place = self._place(model_id)
        if place is None and not self._may_fetch(model_id):
            raise why_unlisted(model_id)
        return place

    def _load(self, place: ModelFolder, progress: LoadProgress) -> LoadedModel:
        key = (place.id, signature_of(place))
        with self._lock:
            if (loaded := self._alive.get(key)) is not None:
                self._keep(key, loaded)
                return loaded
        progress.enter("checking")
        inspection = self._findings.inspect(place)
        try:
            self._make_room(self._allocated(inspection))
            check_hash(place)
            entry = replace(self._findings.entry(place), available=True, reason=None)
            check = check_key(inspection.fingerprint, self.device, self.dtype)
            loaded = load_inspected(
                entry,
                inspection,
                device=self.device,
                dtype=self.dtype,
                progress=progress,
                checked=self._checks.get(check),
            )
            files = {resolved(path) for path in weight_files(inspection.folder)}
        except ModelUnavailableError as error:
            self._findings.failed(place, error)
            raise
        self._findings.loaded(place, loaded.entry)
        with self._lock:
            if loaded.entry.self_check is not None:
                self._checks[check] = loaded.entry.self_check
            self._alive[key] = loaded
            self._weight_files |= files
            self._keep(key, loaded)
        return loaded

    def _places(self) -> list[ModelFolder]:
        """Local folders, the first of each id."""
        places: dict[str, ModelFolder] = {}
        ours = (*directory_folders(self._models_dir), *package_folders(), *self._added.values())
        for place in (*ours, *network_folders(self._networks_dir)):
            places.setdefault(place.id, place)
        for model_id in self._hub_models:
            if model_id not in places and (cached := self._cached(model_id)) is not None:
                places[model_id] = cached
        if self._list_cache:
            for model_id, folder in self._hub.cached_models().items():
                if model_id not in self._hub_models:  # else fetching completes it
                    places.setdefault(model_id, hub_place(model_id, folder))
        return with_bases(list(places.values()))

    def _place(self, model_id: str) -> ModelFolder | None:
        place = next((place for place in self._places() if place.id == model_id), None)
        return self._cached(model_id) if place is None and self._may_fetch(model_id) else place

    def _cached(self, model_id: str) -> ModelFolder | None:
        """The folder in the local hub cache, if it holds the whole model."""
        folder = self._hub.cached_folder(model_id)
        return hub_place(model_id, folder) if folder is not None and is_whole(folder) else None

    def _may_fetch(self, model_id: str) -> bool:
        return model_id in self._hub_models or (self._allow_any_hub_model and is_hub_id(model_id))

    def _fetch(self, model_id: str, progress: LoadProgress) -> ModelFolder:
        progress.enter("fetching")
        try:
            return hub_place(model_id, self._hub.fetch(model_id, progress, self._room))
        except ModelUnavailableError as error:
            raise ModelUnavailableError(self._why_not(model_id, error.sentence) or error.sentence) from error

    def _why_not(self, model_id: str, reason: Sentence | None) -> Sentence | None:
        """Why a model cannot be fetched, and what is wrong with its cached copy."""
        folder = self._hub.cached_folder(model_id)
        if reason is None or folder is None:
            return reason
        try:
            inspect_folder(folder)
        except ModelUnavailableError as error:
            return Sentence("The cached copy on this machine is not usable. {error} {reason}", error, reason)
        return reason

    def _entry(self, place: ModelFolder) -> ModelEntry:
        entry = self._findings.entry(place)
        reason = self._too_large(entry) if entry.available else None
        return entry if reason is None else replace(entry, available=False, reason=reason)

    def _make_room(self, needed: int) -> None:
        with self._lock:
            self._evict(needed)

    def _allocated(self, inspection: Inspection) -> int:
        """The bytes that it will take in memory. Raises ModelUnavailableError if they are too many."""
        self._check_size(inspection)
        needed = allocated_bytes(inspection, self.dtype, self.max_model_bytes)
        if (reason := beyond_memory(needed, self.max_model_bytes)) is not None:
            raise ModelUnavailableError(reason)
        return needed

    def _check_size(self, inspection: Inspection) -> None:
        """Raise ModelUnavailableError if its files hold more numbers than there is memory for."""
        needed = inspection.float32_bytes * self.dtype.itemsize // 4
        if (reason := beyond_memory(needed, self.max_model_bytes)) is not None:
            raise ModelUnavailableError(reason)

    def _too_large(self, entry: ModelEntry) -> Sentence | None:
        return beyond_memory((entry.parameters or 0) * self.dtype.itemsize, self.max_model_bytes)

    def _keep(self, key: Key, loaded: LoadedModel) -> None:
        self._kept[key] = loaded
        self._kept.move_to_end(key)
        for other in [other for other in self._kept if other[0] == key[0] and other != key]:
            del self._kept[other]
        self._evict(0)

    def _evict(self, needed: int) -> None:
        """Release the least recently used models; other references keep them alive."""
        while len(self._kept) > (needed == 0) and self._kept_bytes() + needed > self.max_model_bytes:
            self._kept.popitem(last=False)

    def _kept_bytes(self) -> int:
        return sum(loaded.nbytes for loaded in self._kept.values())


class _Turn:
    """A lock per model: its holder loads, the others wait and find the model loaded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
