"""A tiny decoder with a chat template, and what it reads by the library's own template."""

from pathlib import Path

import torch
from tiny_models import write_model_folder
from torch import Tensor
from transformers import AutoTokenizer

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

TEMPLATE = (
    "{% for each in messages %}<s>{{ each.role }}: {{ each.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant:{% endif %}"
)


def load_chat_model(directory: Path) -> LoadedModel:
    """``tiny-llama``, whose tokenizer has a template."""
    folder = write_model_folder(directory, "tiny-llama")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return Catalog(models_dir=directory, hub_models=(), device="cpu").load("tiny-llama")


def chat_inputs(loaded: LoadedModel, message: str, system: str | None = None) -> dict[str, Tensor]:
    """The inputs that the library makes of a message, after a system message if there is one."""
    messages = [{"role": "system", "content": system}] * (system is not None) + [{"role": "user", "content": message}]
    tokenizer = AutoTokenizer.from_pretrained(loaded.tokenizer.name_or_path)
    ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"]
    return {"input_ids": torch.tensor([ids])}
