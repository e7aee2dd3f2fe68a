"""What is wrong with a text before it is split into tokens, and how sentences call the texts of a request."""

import re

from attention_core.pretrained.errors import EmptyTextError, InvalidTextError
from attention_core.refusal import Sentence

SURROGATE = re.compile("[\ud800-\udfff]")

TEXT_NAMES = {
    "text_pair": Sentence("second text"),
    "target_text": Sentence("decoder's text"),
    "system_text": Sentence("system message"),
    "clean": Sentence("clean prompt"),
    "corrupt": Sentence("corrupt prompt"),
}
"""How a sentence calls a text of a request, by its field."""


def text_named(field: str) -> Sentence:
    """``text`` for any other field."""
    return TEXT_NAMES.get(field, Sentence("text"))


def check_text(text: str, field: str) -> None:
    """Raise InvalidTextError for an unpaired surrogate, EmptyTextError for a blank text."""
    surrogate = SURROGATE.search(text)
    if surrogate is not None:
        raise InvalidTextError(
            "The {what} holds half of a surrogate pair at position {start}, which is not a character.",
            text_named(field),
            surrogate.start(),
            field=field,
        )
    if not text.strip():
        raise EmptyTextError("The {what} is empty.", text_named(field), field=field)
