"""The Hugging Face Hub: local cache, reachability, downloads.

``availability`` returns at once what is known and refreshes it in the background; only ``fetch`` waits for the
network, and gives up within seconds if there is none.
"""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from huggingface_hub import HfApi, constants, try_to_load_from_cache
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils._validators import validate_repo_id

from attention_core.disk_room import room_in
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.entries import ModelEntry, entry_from
from attention_core.pretrained.models.files.file_facts import CARD, FileFacts
from attention_core.pretrained.models.files.folders import CHAT_TEMPLATE, PREPROCESSOR, PROCESSOR
from attention_core.pretrained.models.files.hub_cache import cache_folder, cached_models
from attention_core.pretrained.models.files.model_files import SHARDED_WEIGHTS, SINGLE_WEIGHTS
from attention_core.pretrained.models.files.tokenizer_files import TOKENIZER_FILES
from attention_core.pretrained.models.from_hub.download import DownloadError, download
from attention_core.pretrained.models.from_hub.download_room import CACHE, DownloadRoom
from attention_core.pretrained.models.from_hub.within_time import within
from attention_core.pretrained.models.load_progress import LoadProgress
from attention_core.pretrained.models.sources import ModelFolder
from attention_core.pretrained.models.support import Support
from attention_core.refusal import Refusal, Sentence

HELP = Sentence("Mount a cache that contains it (HF_HOME), or put its folder into the models directory.")
SWITCHED_OFF = Sentence(
    "It is not on this machine, and the Hugging Face Hub is switched off (HF_HUB_OFFLINE). {HELP}", HELP
)
UNREACHABLE = Sentence("It is not on this machine, and the Hugging Face Hub cannot be reached. {HELP}", HELP)
NOT_ASKED_YET = Sentence(
    "It is not on this machine, and the Hugging Face Hub has not answered yet; try again in a moment."
)
NOT_THERE = Sentence("The Hugging Face Hub has no public model of this name.")
GATED = Sentence(
    "The Hugging Face Hub provides this model only to people who have accepted its terms. "
    "Download it yourself, then mount it."
)
REASONS = {"OfflineModeIsEnabled": SWITCHED_OFF, "GatedRepoError": GATED, "RepositoryNotFoundError": NOT_THERE}
"""By the name of what the hub's client raises, the more specific class of which comes first in an error's order."""
SILENCE = frozenset({"ConnectionError", "TimeoutError", "TransportError"})
"""By the same: no connection, or no answer in time."""

SMALL_FILES = frozenset({"config.json", "generation_config.json", "tokenizer_config.json"}).union(
    {PREPROCESSOR, PROCESSOR, "special_tokens_map.json", "added_tokens.json", CHAT_TEMPLATE, CARD}, *TOKENIZER_FILES
)

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class KnownModel:
    """What is published of a model, shown until it is fetched."""

    title: str
    facts: ModelFacts
    files: FileFacts


def _known(title: str, facts: tuple[str, str, int, int], parameters: int, size_bytes: int, licence: str) -> KnownModel:
    architecture, kind, layers, max_tokens = facts
    shape = ModelFacts(architecture, kind, layers, 12, 12, 64, max_tokens, "learned")
    return KnownModel(title, shape, FileFacts(parameters, size_bytes, licence, architecture))


KNOWN_MODELS = {
    "google-bert/bert-base-uncased": _known(
        "BERT base, uncased", ("BertForMaskedLM", "encoder", 12, 512), 110_106_428, 440_449_768, "apache-2.0"
    ),
    "openai-community/gpt2": _known("GPT-2", ("GPT2LMHeadModel", "decoder", 12, 1024), 137_022_720, 548_105_171, "mit"),
    "distilbert/distilgpt2": _known(
        "DistilGPT-2", ("GPT2LMHeadModel", "decoder", 6, 1024), 88_204_032, 352_824_413, "apache-2.0"
    ),
}
"""Titles, shapes and sizes as they are published."""


def is_hub_id(text: str) -> bool:
    """Whether this is a valid model name on the hub."""
    try:
        validate_repo_id(text)
    except HFValidationError:
        return False
    return True


class Hub:
    """One hub and its local cache.

    ``with_token``: whether requests carry the token of this machine (``HF_TOKEN``, ``hf auth login``), which opens what
    its owner may see to whoever causes a request. ``timeout_s``: network timeout. ``remember_s``: how long a known
    availability is fresh. ``retry_after_s``: how long all that needs an answer is refused at once after the Hub could
    not be reached. ``patience_s``: how long the very first ``availability`` waits for an answer.
    """

    def __init__(
        self,
        *,
        endpoint: str | None = None,
        cache_dir: Path | None = None,
        with_token: bool = False,
        timeout_s: float = 3.0,
        remember_s: float = 60.0,
        retry_after_s: float = 5.0,
        patience_s: float = 0.3,
    ) -> None:
        self.endpoint = endpoint
        self.timeout_s = timeout_s
        self.token: Literal[False] | None = None if with_token else False
        """What the hub's client is told: that there is none, or nothing, so that it takes what it finds."""
        self._cache_dir = cache_dir
        self._remember_s = remember_s
        self._retry_after_s = retry_after_s
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._known: dict[str, Sentence | None] = {}
        """Per model, why it cannot be fetched; None if it can."""
        self._asked_at: float | None = None
        self._unreachable_at: float | None = None
        self._asking: threading.Thread | None = None

    def api(self) -> HfApi:
        """The hub's client."""
        return HfApi(endpoint=self.endpoint, token=self.token)

    def cached_folder(self, model_id: str) -> Path | None:
        """The folder in the cache with this model, or at least its configuration; no network access."""
        try:
            path = try_to_load_from_cache(model_id, "config.json", cache_dir=self._cache_dir)
        except (HFValidationError, OSError):
            return None
        return Path(path).parent if isinstance(path, str) else None

    def cached_models(self) -> dict[str, Path]:
        """The folder of every model in the cache, whole or not, by id; no network access."""
        return cached_models(self._cache_dir)

    def availability(self, model_ids: Sequence[str], *, ask: bool = True) -> dict[str, Sentence | None]:
        """For each model not stored locally, why it cannot be fetched; None if it can.

        With ``ask``, the Hub is queried in the background unless the answer is fresh.
        """
        if constants.is_offline_mode():
            return dict.fromkeys(model_ids, SWITCHED_OFF)
        with self._lock:
            for model_id in model_ids:
                self._known.setdefault(model_id, NOT_ASKED_YET)
            first = self._asked_at is None
            asking = self._ask_unless_fresh(tuple(model_ids)) if ask and model_ids else None
        if first and asking is not None:
            asking.join(self._patience_s)
        with self._lock:
            return {model_id: self._known[model_id] for model_id in model_ids}

    def fetch(self, model_id: str, progress: LoadProgress | None = None, room: DownloadRoom | None = None) -> Path:
        """Download configuration, tokenizer and safetensors weights into the cache; returns the folder.

        Raises ModelUnavailableError with the reason, within seconds if the Hub cannot be reached, before the first
        byte if it is more than ``room`` allows, and in the middle if more comes than the Hub has said; NoRoomError if
        the disk has no room; Cancelled if ``progress`` is cancelled.
        """
        progress = progress or LoadProgress()
        if constants.is_offline_mode():
            raise ModelUnavailableError(SWITCHED_OFF)
        if self.was_silent():
            raise ModelUnavailableError(UNREACHABLE)
        try:
            sizes = within(2 * self.timeout_s, lambda: self._files(model_id), progress.check)
            files = wanted_files(list(sizes))
            cache = cache_folder(self._cache_dir)
            if room is not None:
                room.make(model_id, {name: sizes[name] for name in files}, cache)
            with room_in(CACHE):
                folder = download(
                    progress,
                    offline=constants.is_offline_mode(),
                    # A Hub that leaves out a size is held to none: no byte of that file would be allowed.
                    most_bytes=sum(sizes[name] for name in files) if all(sizes[name] for name in files) else None,
                    repo_id=model_id,
                    allow_patterns=files,
                    cache_dir=str(cache),
                    endpoint=self.endpoint,
                    token=self.token,
                    etag_timeout=self.timeout_s,
                )
            progress.check()
        except Refusal:
            raise
        except Exception as error:
            logger.warning("%s could not be fetched: %s: %s", model_id, type(error).__name__, first_line(error))
            reason = reason_of(error)
            self._learn({model_id: reason})
            raise ModelUnavailableError(reason) from error
        self._learn({model_id: None})
        return folder

    def was_silent(self) -> bool:
        """Whether it could not be reached a moment ago, so that asking again would only make somebody wait."""
        with self._lock:
            tried_at = self._unreachable_at
        return tried_at is not None and time.monotonic() - tried_at < self._retry_after_s

    def heard(self, error: Exception | None) -> None:
        """Remember whether it could be reached, from what came of a request; other errors say nothing of that."""
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if error is None or SILENCE & kinds:
            with self._lock:
                self._unreachable_at = None if error is None else time.monotonic()

    def _ask_unless_fresh(self, model_ids: tuple[str, ...]) -> threading.Thread | None:
        now = time.monotonic()
        fresh = self._asked_at is not None and now - self._asked_at < self._remember_s
        new = any(self._known[model_id] == NOT_ASKED_YET for model_id in model_ids)
        under_way = self._asking is not None and self._asking.is_alive()
        if not under_way and (new or not fresh):
            self._asked_at = now
            self._asking = threading.Thread(target=self._ask, args=(model_ids,), daemon=True)
            self._asking.start()
        return self._asking

    def _ask(self, model_ids: tuple[str, ...]) -> None:
        for model_id in model_ids:
            try:
                self._files(model_id)
            except Exception as error:  # noqa: BLE001 - whatever it is, the model cannot be had and the reason says why
                logger.info("the hub does not give %s: %s: %s", model_id, type(error).__name__, first_line(error))
                reason = reason_of(error)
                self._learn({model_id: reason})
                if reason == UNREACHABLE:
                    self._learn(dict.fromkeys(model_ids, UNREACHABLE))
                    return
            else:
                self._learn({model_id: None})

    def _learn(self, news: dict[str, Sentence | None]) -> None:
        with self._lock:
            self._known.update({model_id: reason for model_id, reason in news.items() if model_id in self._known})
            self._unreachable_at = time.monotonic() if UNREACHABLE in news.values() else None

    def _files(self, model_id: str) -> dict[str, int]:
        """The bytes of each file of a repository."""
        info = self.api().model_info(model_id, timeout=self.timeout_s, files_metadata=True)
        return {sibling.rfilename: sibling.size or 0 for sibling in info.siblings or []}


def wanted_files(names: Sequence[str]) -> list[str]:
    """The files of a repository that are needed: never code, never another copy of the weights.

    Raises ModelUnavailableError if there are no safetensors weights.
    """
    small = [name for name in names if name in SMALL_FILES]
    if SINGLE_WEIGHTS in names:
        return [*small, SINGLE_WEIGHTS]
    if SHARDED_WEIGHTS not in names:
        raise ModelUnavailableError(
            "It has no weights in safetensors format on the Hub, and only that format is loaded."
        )
    shards = [name for name in names if name.startswith("model-") and name.endswith(".safetensors")]
    return [*small, SHARDED_WEIGHTS, *shards]


def first_line(error: Exception) -> str:
    """The first line of an error, without the advice that the hub's client appends."""
    return str(error).partition("\n")[0]


def reason_of(error: Exception, otherwise: Sentence = UNREACHABLE) -> Sentence:
    """Why the hub did not give what it was asked for; ``otherwise`` for whatever else went wrong."""
    kinds = error.kinds if isinstance(error, DownloadError) else [kind.__name__ for kind in type(error).__mro__]
    return next((REASONS[kind] for kind in kinds if kind in REASONS), otherwise)


def hub_place(model_id: str, folder: Path) -> ModelFolder:
    """A folder of the hub's cache as a place of the catalog."""
    known = KNOWN_MODELS.get(model_id)
    return ModelFolder(model_id, known.title if known else model_id, "hub", folder)


def unfetched(model_id: str, reason: Sentence | None) -> ModelEntry:
    """The entry of a model that is not on this machine: what is published of it, if that is known here."""
    known = KNOWN_MODELS.get(model_id)
    if known is None:
        return entry_from(model_id, model_id, "hub", None, reason)
    support = Support("carried", facts=known.facts)
    return entry_from(model_id, known.title, "hub", known.facts, reason, known.files, support)
