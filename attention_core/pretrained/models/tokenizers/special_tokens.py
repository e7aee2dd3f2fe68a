"""Which tokens have a role in a text ([CLS], </s>, <|im_start|>) rather than being pieces of it.

The token for what a vocabulary does not know stands for a piece of the text, so it has no role. In GPT-2's family it is
at the same time the token that ends a text: then it has that role where it was added or written out, and none where it
stands for something unknown.
"""

from transformers import PreTrainedTokenizerBase

ROLES = ("bos_token_id", "eos_token_id", "sep_token_id", "cls_token_id", "mask_token_id")
"""What the unknown token may be besides. Padding is not among them: an analysis has none."""


def special_ids(tokenizer: PreTrainedTokenizerBase) -> set[int]:
    """The ids of all tokens that are no ordinary pieces: named ones, the unknown one, and those marked in the files.

    The latter (``"special": true``) are what the library's ``decode`` leaves out with ``skip_special_tokens``.
    """
    marked = {token_id for token_id, token in tokenizer.added_tokens_decoder.items() if token.special}
    return {each for each in tokenizer.all_special_ids if each is not None} | marked


def role_ids(tokenizer: PreTrainedTokenizerBase) -> set[int]:
    """The ids of tokens that have a role wherever they occur."""
    return special_ids(tokenizer) - {tokenizer.unk_token_id}


def shared_unknown(tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The id of an unknown token that is another role's token, too: of no piece where a text spells it out.

    None if there is no such token.
    """
    unknown: int | None = tokenizer.unk_token_id
    return unknown if unknown in {getattr(tokenizer, name) for name in ROLES} else None
