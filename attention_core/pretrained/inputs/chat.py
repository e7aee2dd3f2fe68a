"""Write a text as a chat message, by the template that comes with the model's tokenizer."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedTokenizerBase

from attention_core.pretrained.errors import ChatError
from attention_core.pretrained.inputs.chat_process import TemplateTooExpensiveError, run_template
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer

logger = logging.getLogger(__name__)

MARK = "\ue000message\ue001"
"""Stands for the message to find its place: letters that no template writes."""


@dataclass(frozen=True)
class Chat:
    """What a chat message comes with."""

    system: str | None = None
    """The system message before it."""


@dataclass(frozen=True)
class ChatText:
    """What the model reads, and where in it the message is."""

    text: str
    start: int
    """First character of the message in the text."""
    skipped: int
    """Characters in front of the message that the template leaves out, such as blanks."""
    length: int
    """Characters of the message in the text."""


def write_chat(tokenizer: PreTrainedTokenizerBase | NoTokenizer, message: str, system: str | None = None) -> ChatText:
    """A user's message, after a system message if given, and the beginning of an answer.

    Raises ChatError for a model without a template, or one that does not take these messages, or is no modest program:
    it has two seconds and half a gigabyte.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise ChatError("This model has no chat template, so that a text cannot be given as a chat message.")
    if not tokenizer.is_fast:
        raise ChatError("This model's tokenizer does not say which token stands for which characters.")
    text = _apply(tokenizer, message, system)
    start = _apply(tokenizer, MARK, system).find(MARK)
    for shown in (message, message.strip()):
        if start >= 0 and text.startswith(shown, start):
            return ChatText(text, start, message.index(shown), len(shown))
    raise ChatError("This model's chat template does not write the message as it is.")


def _apply(tokenizer: PreTrainedTokenizerBase, message: str, system: str | None) -> str:
    messages = [{"role": "system", "content": system}] if system is not None else []
    messages.append({"role": "user", "content": message})
    try:
        return run_template(tokenizer.get_chat_template(), messages, _plain(tokenizer.special_tokens_map))
    except TemplateTooExpensiveError as error:
        logger.warning("a chat template goes beyond its bounds: %s", error)
        raise ChatError("This model's chat template takes more time or memory than a template may take.") from error
    except Exception as error:  # a template is a program of its own, which may raise anything
        if system is not None:
            raise ChatError("This model's chat template takes no system message.", field="system_text") from error
        raise ChatError("This model's chat template does not work.") from error


def _plain(tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Special tokens as text; some are lists."""
    return {name: [str(token) for token in of] if isinstance(of, list) else str(of) for name, of in tokens.items()}
