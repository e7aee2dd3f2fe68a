"""Build the network and its initial weights."""

import math

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from attention_core.sinusoidal import encode, shift_matrix
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import END_OF_TEXT_ID


def new_model(recipe: Recipe) -> GPT2LMHeadModel:
    """transformers' GPT-2, initialised from torch's global generator and then adjusted by ``_begin``."""
    config = GPT2Config(
        vocab_size=recipe.vocabulary,
        n_positions=recipe.context,
        n_embd=recipe.width,
        n_layer=recipe.layers,
        n_head=recipe.heads,
        embd_pdrop=recipe.dropout,
        resid_pdrop=recipe.dropout,
        attn_pdrop=0.0,
        activation_function="gelu_pytorch_tanh",  # gelu_new in one kernel instead of eight
        bos_token_id=END_OF_TEXT_ID,
        eos_token_id=END_OF_TEXT_ID,
        use_cache=False,
        tie_word_embeddings=False,
        attn_implementation="sdpa",
    )
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        _begin(model, recipe)
    return model


def _begin(model: GPT2LMHeadModel, recipe: Recipe) -> None:
    """Adjust the initial weights so that even this short training forms induction heads.

    - Positions are sinusoids with frequencies from ``fastest_position`` downwards and the same root mean square as the
      token embeddings, which leave the first ``head_dim`` components to them. The output matrix is initialised with the
      token embeddings but not tied: tied, each step would move every token's embedding together with all others.
    - Queries and keys have the same matrix, and each head's output matrix is the transpose of its value matrix
      (Trockman & Kolter 2023): a head begins as a soft copy of what resembles the query.
    - The first ``previous_heads`` heads of layer 0 attend by position alone, their keys rotated by one token: they
      begin as previous-token heads. What builds on them, above all induction, is left to the training.
    """
    transformer, width, size = model.transformer, recipe.width, recipe.width // recipe.heads
    standard = model.config.initializer_range
    transformer.wte.weight.mul_(recipe.embedding_scale / standard)
    transformer.wte.weight[:, :size] = 0
    model.lm_head.weight.copy_(transformer.wte.weight)
    positions = recipe.fastest_position * torch.arange(recipe.context)
    sinusoids = encode(positions, width, base=recipe.position_base)
    transformer.wpe.weight.copy_(sinusoids * (recipe.embedding_scale * math.sqrt(2)))
    for block in transformer.h:
        queries, keys, values = block.attn.c_attn.weight.split(width, dim=1)
        queries.mul_(recipe.query_scale / standard)
        keys.copy_(queries)
        values.mul_(recipe.value_scale / standard)
        block.attn.c_proj.weight.copy_(values.T)
    queries, keys, _ = transformer.h[0].attn.c_attn.weight.split(width, dim=1)
    # PE(pos + 1) = M PE(pos): a key looks like the query of the next token.
    one_on = shift_matrix(recipe.fastest_position, width, base=recipe.position_base)[:size, :size]
    for head in range(recipe.previous_heads):
        columns = slice(head * size, (head + 1) * size)
        for matrix in (queries, keys):
            matrix[:, columns] = 0
        queries[:size, columns] = recipe.previous_scale * torch.eye(size)
        keys[:size, columns] = recipe.previous_scale * one_on.T
