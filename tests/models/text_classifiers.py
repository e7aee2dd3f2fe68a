"""Random classifiers of texts with weights that tell two texts apart."""

from pathlib import Path

import torch
import transformers
from tiny_models import VOCABULARY, word_pieces

NAMES = {0: "negative", 1: "NEUTRAL", 2: "Very positive"}
CLASSIFIERS: dict[str, transformers.PreTrainedConfig] = {
    "bert": transformers.BertConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=2,
        num_attention_heads=4,
        hidden_size=32,
        intermediate_size=48,
        max_position_embeddings=64,
        id2label=NAMES,
    ),
    "distilbert": transformers.DistilBertConfig(
        vocab_size=VOCABULARY, n_layers=2, n_heads=4, dim=32, hidden_dim=48, id2label=NAMES
    ),
}


def write_text_classifier(directory: Path, name: str) -> None:
    """Write one of CLASSIFIERS with its tokenizer into a folder named like ``bert-classes``."""
    with torch.random.fork_rng():
        torch.manual_seed(11)
        model = transformers.AutoModelForSequenceClassification.from_config(CLASSIFIERS[name])
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.data.normal_(std=0.3)
    model.save_pretrained(directory / f"{name}-classes")
    word_pieces().save_pretrained(directory / f"{name}-classes")
