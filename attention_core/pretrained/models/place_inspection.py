"""Inspect the place of a model: a folder, or an adapter together with its base."""

import hashlib
from dataclasses import replace

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.adapters import ADAPTER_CONFIG, read_adapter
from attention_core.pretrained.models.files.file_facts import FileFacts, file_facts
from attention_core.pretrained.models.files.folders import Inspection, fingerprint_files, inspect_folder, read_support
from attention_core.pretrained.models.files.safetensors_header import read_header
from attention_core.pretrained.models.sources import ModelFolder, check_inside
from attention_core.pretrained.models.support import Support


def inspect_place(place: ModelFolder) -> Inspection:
    """What the files say. Raises ModelUnavailableError with the reason if they cannot be used."""
    check_inside(place)
    if place.lacks is not None:
        raise ModelUnavailableError(place.lacks)
    if place.base is None:
        return inspect_folder(place.folder)
    try:
        base = inspect_place(place.base)
    except ModelUnavailableError as error:
        raise ModelUnavailableError("Its base {base} cannot be used. {error}", place.base.id, error) from error
    adapter = read_adapter(place.folder)
    digest = hashlib.sha256(base.fingerprint.encode())
    fingerprint_files(digest, [place.folder / ADAPTER_CONFIG], [read_header(adapter.weights)])
    return replace(base, adapter=adapter, fingerprint=digest.hexdigest())


def facts_and_support(place: ModelFolder) -> tuple[FileFacts, Support | None]:
    """What is known of a model whether or not it can be used; of an adapter, what is known of its base."""
    own = file_facts(place.folder)
    if place.lacks is not None:
        return own, None
    if place.base is None:
        return own, read_support(place.folder)
    facts, support = facts_and_support(place.base)
    return replace(facts, licence=own.licence or facts.licence), support
