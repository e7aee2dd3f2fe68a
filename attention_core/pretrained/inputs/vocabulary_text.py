"""What to call what a model can put out: a token of its vocabulary, a class, or a row that is neither.

Output matrices are often longer than vocabularies, padded to a round number of rows. Such a row has no name, only its
id.
"""

from transformers import PreTrainedTokenizerBase

from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer


def vocabulary_text(names: PreTrainedTokenizerBase | NoTokenizer, token_id: int) -> str:
    """The text of a token, or the name of a class; never empty: else as the vocabulary spells it, or “∅#50304”."""
    if not isinstance(names, NoTokenizer) and not has_name(names, token_id):
        return spelt(names, token_id)
    return str(names.decode([token_id])) or spelt(names, token_id)


def spelt(names: PreTrainedTokenizerBase | NoTokenizer, token_id: int) -> str:
    """A token as its vocabulary spells it; “∅#50304” where it has none, or where a class is called nothing.

    In one word, since a space in a token's text is shown as a sign of its own.
    """
    if isinstance(names, NoTokenizer) or not has_name(names, token_id):
        return f"∅#{token_id}"
    return str(names.convert_ids_to_tokens(token_id))


def has_name(tokenizer: PreTrainedTokenizerBase, token_id: int) -> bool:
    """Whether the vocabulary has a token of this id; some tokenizers say that any other is their unknown token."""
    try:
        piece = tokenizer.convert_ids_to_tokens(token_id)
    except IndexError:  # of SentencePiece's own
        return False
    return bool(piece) and (piece != tokenizer.unk_token or token_id == tokenizer.unk_token_id)
