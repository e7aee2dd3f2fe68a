"""Search the Hugging Face Hub for models, and look at one without fetching its weights."""

import logging
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from huggingface_hub import constants, hf_hub_download
from huggingface_hub.hf_api import ModelInfo

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.entries import ModelEntry, entry_from
from attention_core.pretrained.models.files.file_facts import LONGEST_LICENCE, FileFacts, has_chat_template
from attention_core.pretrained.models.files.folders import (
    CHAT_TEMPLATE,
    CONFIG,
    PREPROCESSOR,
    PROCESSOR,
    read_support,
)
from attention_core.pretrained.models.from_hub.hub import Hub, first_line, reason_of, wanted_files
from attention_core.pretrained.models.from_hub.within_time import within
from attention_core.pretrained.models.support import Level, support_from_json
from attention_core.refusal import Sentence

NO_ANSWER = Sentence("The Hugging Face Hub cannot be reached.")
OFF = Sentence("The Hugging Face Hub is switched off on this server (HF_HUB_OFFLINE).")
PREVIEWED = (CONFIG, "tokenizer_config.json", PREPROCESSOR, PROCESSOR, CHAT_TEMPLATE)
"""Files that say what a model is."""
LARGEST_PREVIEWED = 2**24
PATIENCE = 4
"""Timeouts for all requests of one preview together."""
SEARCHED = ("config", "downloads", "gated", "safetensors", "tags", "cardData")

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class FoundModel:
    """One hit of a search: what the hub says of it, and what follows from its architecture."""

    id: str
    architecture: str | None
    parameters: int | None
    licence: str | None
    downloads: int | None
    """In the last month."""
    gated: bool
    """Only for people who have accepted its terms."""
    support: Level | None
    """carried, weights_only or refused, as far as the architecture tells; None if the hub does not name one."""
    support_reason: Sentence | None
    """Why it is not carried."""


def search_models(hub: Hub, query: str, limit: int) -> list[FoundModel]:
    """Models with safetensors weights whose id contains the query, the most downloaded first.

    Raises ModelUnavailableError if the hub is switched off or does not answer in time.
    """
    api = hub.api()

    def ask() -> list[ModelInfo]:
        hits = api.list_models(
            search=query,
            filter=["transformers", "safetensors"],
            sort="downloads",
            limit=limit,
            expand=list(SEARCHED),  # type: ignore[arg-type] # literals, all of them
        )
        return list(hits)

    return [_found(info) for info in _asked(hub, ask, 2)]


def preview_model(hub: Hub, model_id: str) -> ModelEntry:
    """What the hub says of one model: shape, size, licence, and whether its attention can be shown.

    Only its small files are fetched, into a folder that is removed. Raises ModelUnavailableError if there is no answer.
    """
    api = hub.api()

    def ask() -> ModelEntry:
        info = api.model_info(model_id, timeout=hub.timeout_s, files_metadata=True)
        with tempfile.TemporaryDirectory() as folder:
            for sibling in info.siblings or []:
                if sibling.rfilename in PREVIEWED and (sibling.size or 0) <= LARGEST_PREVIEWED:
                    hf_hub_download(
                        model_id,
                        sibling.rfilename,
                        local_dir=folder,
                        endpoint=hub.endpoint,
                        token=hub.token,
                        etag_timeout=hub.timeout_s,
                        revision=info.sha,
                    )
            return _previewed(model_id, info, Path(folder))

    return _asked(hub, ask, PATIENCE)


def _asked(hub: Hub, ask: Callable[[], T], timeouts: int) -> T:
    if constants.is_offline_mode():
        raise ModelUnavailableError(OFF)
    if hub.was_silent():
        raise ModelUnavailableError(NO_ANSWER)
    try:
        answer = within(timeouts * hub.timeout_s, ask)
    except ModelUnavailableError:
        raise
    except Exception as error:
        logger.warning("the hub did not answer: %s: %s", type(error).__name__, first_line(error))
        hub.heard(error)
        raise ModelUnavailableError(reason_of(error, NO_ANSWER)) from error
    hub.heard(None)
    return answer


def _previewed(model_id: str, info: ModelInfo, folder: Path) -> ModelEntry:
    support = read_support(folder)
    reason = support.reason if support.level == "refused" else None
    sizes = {sibling.rfilename: sibling.size or 0 for sibling in info.siblings or []}
    size_bytes = None
    try:
        size_bytes = sum(sizes[name] for name in wanted_files(list(sizes)) if name.endswith(".safetensors"))
    except ModelUnavailableError as error:
        reason = reason or error.sentence
    files = FileFacts(
        parameters=info.safetensors.total if info.safetensors else None,
        size_bytes=size_bytes,
        licence=_licence(info),
        architecture=_architecture(info),
        has_chat_template=has_chat_template(folder),
    )
    return entry_from(model_id, model_id, "hub", support.facts, reason, files, support)


def _found(info: ModelInfo) -> FoundModel:
    """What the hub lists of a configuration is its type, so that the default shape of that type is judged."""
    config = info.config or {}
    support = support_from_json({"model_type": config["model_type"]}) if config.get("model_type") else None
    return FoundModel(
        id=info.id,
        architecture=_architecture(info),
        parameters=info.safetensors.total if info.safetensors else None,
        licence=_licence(info),
        downloads=info.downloads,
        gated=bool(info.gated),
        support=support.level if support else None,
        support_reason=support.reason if support else None,
    )


def _architecture(info: ModelInfo) -> str | None:
    named = (info.config or {}).get("architectures")
    first = named[0] if isinstance(named, list) and named else None
    return first if isinstance(first, str) else None


def _licence(info: ModelInfo) -> str | None:
    """From the model card; else from the tag that the hub makes of it."""
    card = vars(info.card_data) if info.card_data else {}
    named = card.get("license_name") if card.get("license") == "other" else card.get("license")
    tagged = next((tag.removeprefix("license:") for tag in info.tags or [] if tag.startswith("license:")), None)
    licence = named if isinstance(named, str) else tagged
    return None if licence is None else licence[:LONGEST_LICENCE]
