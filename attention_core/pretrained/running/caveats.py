"""Caveats of an analysis: what its pictures do not say by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.inputs.vocabulary_fit import misfit
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.refusal import Sentence


@dataclass(frozen=True)
class AnalysisWarning:
    """A caveat for users."""

    code: str
    """A stable identifier in snake_case."""
    message: Sentence


def caveats_of(
    loaded: LoadedModel, parts: Sequence[Part], *texts: Sequence[Token] | None
) -> tuple[AnalysisWarning, ...]:
    """All caveats of what a model makes of an input; ``texts`` are those of its tokens that are pieces of texts."""
    checked = loaded.entry.self_check
    reach = () if checked is None else checked.reach
    of_model = (
        AnalysisWarning("reach" if message in reach else "weights", message) for message in loaded.entry.caveats
    )
    of_tokens = (AnalysisWarning("tokenizer", message) for message in loaded.tokenizer_caveats)
    return (*of_model, *of_tokens, *rows_without_keys(parts), *foreign_texts(loaded, *texts))


def rows_without_keys(parts: Sequence[Part]) -> tuple[AnalysisWarning, ...]:
    """A caveat for each part in which a query may attend to no key at all, by the model's mask or by changes.

    Softmax is undefined there: its weights are set to 0, and with them the head's output.
    """
    warnings = []
    for part in parts:
        unread = [layer.without_keys[0].nonzero() for layer in part.record.layers]  # (head, query) of each layer
        if count := sum(map(len, unread)):
            layer = next(index for index, rows in enumerate(unread) if len(rows))
            head, query = unread[layer][0].tolist()
            message = Sentence(
                "In {count} of {total} rows of the {part} a query may attend to no key, so that its weights are 0, and "
                "so is what the head puts out; the first is layer {layer}, head {head}, query {query}.",
                count=count,
                total=part.layers * part.heads * part.query_tokens,
                part=PART_NAMES[part.name],
                layer=layer,
                head=head,
                query=query,
            )
            warnings.append(AnalysisWarning("rows_without_keys", message))
    return tuple(warnings)


def foreign_texts(loaded: LoadedModel, *texts: Sequence[Token] | None) -> tuple[AnalysisWarning, ...]:
    """A caveat for each text that the vocabulary of the model hardly knows."""
    if not (read := [tokens for tokens in texts if tokens is not None]):
        return ()
    messages = [misfit(tokens, loaded.tokenizer.unk_token_id) for tokens in read]
    return tuple(AnalysisWarning("foreign_text", message) for message in messages if message is not None)


PART_NAMES = {
    "encoder": Sentence("encoder"),
    "decoder": Sentence("decoder"),
    "cross": Sentence("cross-attention"),
}
