"""Save the model in transformers' format, its weights in float16."""

import copy
from pathlib import Path

import torch
from transformers import GPT2LMHeadModel, PreTrainedTokenizerFast


def save(model: GPT2LMHeadModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """config.json, model.safetensors in float16, and the tokenizer's files."""
    folder.mkdir(parents=True, exist_ok=True)
    halved = copy.deepcopy(model).to(torch.float16)
    halved.config.activation_function = "gelu_new"  # the same function under GPT-2's name for it
    halved.config.use_cache = True
    halved.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
