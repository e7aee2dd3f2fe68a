"""Weights of a finished decoder as the beginning of another with fewer layers and another vocabulary."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import GPT2LMHeadModel

from recipes.decoder.recipe import Recipe

OF_TOKENS = ("transformer.wte.weight", "lm_head.weight")


def carried_over(folder: Path, tokenizer: Tokenizer, recipe: Recipe) -> dict[str, Tensor]:
    """Its first layers and all else, in float32. A token that it lacks begins as the mean of its pieces there.

    Raises ValueError if the recipe's model is another in anything else.
    """
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    config = model.config
    sizes = (config.n_embd, config.n_head, config.n_positions)
    if sizes != (recipe.width, recipe.heads, recipe.context) or config.n_layer < recipe.layers:
        raise ValueError(
            f"folder {folder} holds a decoder of {config.n_layer} layers and of width, heads and context {sizes}; "
            f"at least {recipe.layers} and {(recipe.width, recipe.heads, recipe.context)} are needed"
        )
    before = Tokenizer.from_file(str(folder / "tokenizer.json"))
    behind = tuple(f"transformer.h.{layer}." for layer in range(recipe.layers, model.config.n_layer))
    weights = {name: tensor for name, tensor in model.state_dict().items() if not name.startswith(behind)}
    tokens = sorted(tokenizer.get_vocab().items(), key=lambda token: token[1])
    pieces = [_pieces(token, before) for token, _ in tokens]
    return {
        name: torch.stack([tensor[ids].mean(dim=0) for ids in pieces]) if name in OF_TOKENS else tensor
        for name, tensor in weights.items()
    }


def _pieces(token: str, tokenizer: Tokenizer) -> list[int]:
    """A token's id, or those that it is cut into, both in the tokenizer's own alphabet of bytes."""
    known = tokenizer.token_to_id(token)
    return [piece.id for piece in tokenizer.model.tokenize(token)] if known is None else [known]
