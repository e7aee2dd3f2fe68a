"""The id of an answer, from the request and the weights; and the request again, from what is kept under the id."""

import hashlib
import json
from typing import Any, TypeVar

from attention_core.pretrained.inputs.chat import write_chat
from attention_core.pretrained.models.loading import LoadedModel
from ...requests.bounded import RequestModel
from ...stores.kept_requests import KeptRequest

AnyRequest = TypeVar("AnyRequest", bound=RequestModel)

SAMPLE = "…"
"""Stands for each message of a set, where a request names many."""
ANSWER_VERSION = 3
"""Part of every id; raised when the same request gets a different answer."""


def identify(wanted: RequestModel, loaded: LoadedModel) -> str:
    """The same for the same request to the same weights, on any server."""
    return identity(name_request(wanted, loaded))


def name_request(wanted: RequestModel, loaded: LoadedModel) -> dict[str, Any]:
    """Everything on which the answer depends."""
    named: dict[str, Any] = {
        "version": ANSWER_VERSION,
        "fingerprint": loaded.fingerprint,
        "device": str(loaded.device),
        "dtype": str(loaded.dtype),
        **wanted.model_dump(mode="json"),
    }
    if named.get("chat"):  # a template may be changed, or write the date
        named["chat"] = write_chat(loaded.tokenizer, named.get("text") or SAMPLE, named["system_text"]).text
    return named


def identity(named: dict[str, Any]) -> str:
    """The id of the answer to a request."""
    canonical = json.dumps(named, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def asked_again(kind: type[AnyRequest], kept: KeptRequest) -> AnyRequest:
    """The request as it was posted."""
    asked = {name: kept.asked[name] for name in kind.model_fields if name in kept.asked}
    if "chat" in asked:  # kept as the template wrote it
        asked["chat"] = bool(asked["chat"])
    return kind.model_validate(asked)


def is_unchanged(kept: KeptRequest, wanted: RequestModel, loaded: LoadedModel) -> bool:
    """Whether the request still has the same answer, but for rounding on another device."""
    return all(
        kept.asked.get(name) == value
        for name, value in name_request(wanted, loaded).items()
        if name not in {"device", "dtype"}
    )
