"""Entries of the catalog: what is known of a model, found by inspecting its folder once for each state of its files."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.files.file_facts import FileFacts
from attention_core.pretrained.models.files.folders import Inspection, Signature
from attention_core.pretrained.models.place_inspection import facts_and_support, inspect_place
from attention_core.pretrained.models.sources import ModelFolder, check_inside, missing_packages, signature_of
from attention_core.pretrained.models.support import Level, Support
from attention_core.pretrained.models.trial.self_check import SelfCheck
from attention_core.refusal import Sentence


@dataclass(frozen=True)
class ModelEntry:
    """One entry of the catalog. None means unknown, because the model is not stored locally."""

    id: str
    title: str
    architecture: str | None
    kind: str | None
    layers: int | None
    heads: int | None
    kv_heads: int | None
    head_dim: int | None
    max_tokens: int | None
    positions: str | None
    source: str
    """directory, package, training or hub."""
    available: bool
    reason: Sentence | None
    """Why it is not available, as a sentence; None if it is."""
    max_target_tokens: int | None = None
    """What the decoder of an encoder–decoder model reads at most."""
    reads: str = "text"
    """text or image."""
    mask_token: str | None = None
    """The token that marks a masked position in a text; None if there is none, or the model was not loaded yet."""
    self_check: SelfCheck | None = None
    """Comparison of our attention with the library's own; None if the model was not loaded yet."""
    parameters: int | None = None
    """Numbers in its weight files."""
    size_bytes: int | None = None
    """Bytes of its weight files."""
    licence: str | None = None
    """As its model card names it."""
    support: Level | None = None
    """What can be shown of it, by its configuration: carried, weights_only or refused."""
    support_reason: Sentence | None = None
    """Why it is not carried; None if it is."""
    has_chat_template: bool = False
    takes_pairs: bool = True
    """Whether a second text may follow; False once it was tried and the model has no embedding for its kind."""
    is_here: bool = False
    """Whether its files are on this machine."""
    base: str | None = None
    """Of a LoRA adapter, the model that it is merged into."""
    purpose: Sentence | None = None
    """What it is good for; known of the packaged models alone."""
    caveats: tuple[Sentence, ...] = ()
    """What is to be said of its weights, although it can be shown; empty before it is loaded."""
    text_part_of: str | None = None
    """The type of the model whose text part alone is shown; that model takes images or sounds, too."""


@dataclass(frozen=True)
class _Finding:
    """The result of inspecting a folder."""

    signature: Signature
    inspection: Inspection | None
    reason: Sentence | None
    loaded: ModelEntry | None = None
    """The entry as corrected at load time; None before."""
    files: FileFacts | None = None
    support: Support | None = None
    """By its configuration; known of a model that lacks something else, too."""


class Findings:
    """The findings by folder. Every method may be called from many threads."""

    def __init__(self) -> None:
        self._by_folder: dict[Path, _Finding] = {}

    def inspect(self, place: ModelFolder) -> Inspection:
        """What the folder's files say. Raises ModelUnavailableError with the reason if it cannot be used."""
        finding = self._find(place)
        if finding.inspection is None:  # what keeps it from being read may have gone without a change of the files
            finding = self._by_folder[place.folder] = _look(place, finding.signature)
        if finding.inspection is None:
            raise ModelUnavailableError(finding.reason or Sentence("Its folder cannot be read."))
        return finding.inspection

    def entry(self, place: ModelFolder) -> ModelEntry:
        """Its entry in the catalog, with the reason if it cannot be used."""
        try:
            finding = self._find(place)
        except ModelUnavailableError as error:
            return entry_from(place.id, place.title, place.source, None, error.sentence)
        if finding.loaded is not None:
            return finding.loaded
        named = (place.id, place.title, place.source)
        facts = finding.support.facts if finding.support else None
        entry = entry_from(*named, facts, finding.reason, finding.files, finding.support, is_here=True)
        return replace(entry, base=place.base.id if place.base else None, purpose=place.purpose)

    def failed(self, place: ModelFolder, error: ModelUnavailableError) -> None:
        """Remember why it could not be loaded."""
        if (finding := self._by_folder.get(place.folder)) is not None:
            self._by_folder[place.folder] = replace(finding, reason=error.sentence, loaded=None)

    def loaded(self, place: ModelFolder, entry: ModelEntry) -> None:
        """Remember the entry of a model that has been loaded."""
        if (finding := self._by_folder.get(place.folder)) is not None:
            self._by_folder[place.folder] = replace(finding, reason=None, loaded=entry)

    def forget(self, folder: Path) -> None:
        """Drop what is known of a folder."""
        self._by_folder.pop(folder, None)

    def _find(self, place: ModelFolder) -> _Finding:
        now = signature_of(place)
        finding = self._by_folder.get(place.folder)
        if finding is None or finding.signature != now:
            finding = self._by_folder[place.folder] = _look(place, now)
        return finding


def absent_entries() -> list[ModelEntry]:
    """The packaged models whose package is not installed, with the command that installs it."""
    return [
        replace(entry_from(each.id, each.title, "package", None, each.remedy), purpose=each.purpose)
        for each in missing_packages()
    ]


def entry_from(
    model_id: str,
    title: str,
    source: str,
    facts: ModelFacts | None,
    reason: Sentence | None = None,
    files: FileFacts | None = None,
    support: Support | None = None,
    *,
    is_here: bool = False,
) -> ModelEntry:
    """A catalog entry; available unless a reason against it is given."""
    listed = ("kind", "layers", "heads", "kv_heads", "head_dim", "max_tokens", "max_target_tokens", "positions")
    shape: dict[str, Any] = {name: getattr(facts, name, None) for name in listed}
    files = files or FileFacts()
    return ModelEntry(
        id=model_id,
        title=title,
        architecture=facts.architecture if facts else files.architecture,
        source=source,
        available=reason is None,
        reason=reason,
        reads=facts.reads if facts else "text",
        parameters=files.parameters,
        size_bytes=files.size_bytes,
        licence=files.licence,
        has_chat_template=files.has_chat_template,
        support=support.level if support else None,
        support_reason=support.reason if support else None,
        is_here=is_here,
        text_part_of=facts.text_part_of if facts else None,
        **shape,
    )


def beyond_memory(needed: int, most: int) -> Sentence | None:
    """Why weights of so many bytes are not loaded; None if they fit."""
    if needed <= most:
        return None
    return Sentence(
        "It needs {needed} bytes; models may use at most {max_model_bytes} (max_model_bytes).",
        f"{needed:,}",
        f"{most:,}",
    )


def _look(place: ModelFolder, now: Signature) -> _Finding:
    """Inspect a folder. Whatever goes wrong in it is the finding: no folder keeps another from being listed."""
    result: tuple[FileFacts | None, Support | None] = (None, None)
    try:
        with as_unavailable("Its files cannot be inspected; the server's log says why."):
            check_inside(place)
            result = facts_and_support(place)
            return _Finding(now, inspect_place(place), None, None, *result)
    except ModelUnavailableError as error:
        return _Finding(now, None, error.sentence, None, *result)
