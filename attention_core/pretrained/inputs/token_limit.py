"""How many tokens a text may have: the model's limit and the operator's."""

from attention_core.pretrained.errors import TextTooLongError
from attention_core.pretrained.inputs.text_checks import text_named
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.refusal import Sentence


def most_tokens(loaded: LoadedModel, max_tokens: int | None, *, is_target: bool = False) -> int | None:
    """The token limit: the model's or the operator's, whichever is smaller; None without either."""
    return min((limit for limit in (_own_limit(loaded, is_target), max_tokens) if limit is not None), default=None)


def _own_limit(loaded: LoadedModel, is_target: bool) -> int | None:
    return loaded.entry.max_target_tokens if is_target else loaded.entry.max_tokens


def check_length(
    loaded: LoadedModel, count: int, max_tokens: int | None, field: str, *, is_target: bool = False
) -> None:
    """Raise TextTooLongError for more tokens than the limit."""
    limit = most_tokens(loaded, max_tokens, is_target=is_target)
    if limit is not None and count > limit:
        taker = loaded.entry.id if limit == _own_limit(loaded, is_target) else Sentence("this server")
        raise TextTooLongError(
            "The {what} has {count} tokens; {taker} accepts at most {limit}.",
            text_named(field),
            count,
            taker,
            field=field,
            limit=limit,
        )
