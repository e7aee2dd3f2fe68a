"""Tiny random models with real trained tokenizers, in folders as transformers writes them."""

from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedConfig, PreTrainedTokenizerFast

SENTENCES = (
    "The cat sat on the mat because it was tired.",
    "Attention is a weighted mean of values, and the weights come from queries and keys.",
    "A small model reads a small text and says what comes next.",
    "Whoever reads this sentence twice has read it once more than needed.",
)
"""What the tiny tokenizers are trained on."""

VOCABULARY = 384

SHAPE = {"vocab_size": VOCABULARY, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}
SPECIAL = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
LAYERS = {"encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
FORWARD = {"encoder_ffn_dim": 48, "decoder_ffn_dim": 48}

CONFIGS: dict[str, Callable[[], PreTrainedConfig]] = {
    "tiny-gpt2": lambda: transformers.GPT2Config(
        vocab_size=VOCABULARY, n_layer=2, n_head=4, n_embd=32, n_positions=70, bos_token_id=0, eos_token_id=0
    ),
    "tiny-llama": lambda: transformers.LlamaConfig(
        **SHAPE, num_key_value_heads=2, head_dim=6, intermediate_size=48, max_position_embeddings=64
    ),
    "tiny-qwen3": lambda: transformers.Qwen3Config(
        **SHAPE, num_key_value_heads=1, head_dim=10, intermediate_size=48, max_position_embeddings=64
    ),
    "tiny-mistral": lambda: transformers.MistralConfig(
        **SHAPE, num_key_value_heads=2, intermediate_size=48, sliding_window=5, max_position_embeddings=64
    ),
    "tiny-gpt-neox": lambda: transformers.GPTNeoXConfig(**SHAPE, intermediate_size=48, max_position_embeddings=64),
    "tiny-gemma": lambda: transformers.GemmaConfig(
        **SHAPE, **SPECIAL, num_key_value_heads=1, head_dim=6, intermediate_size=48, max_position_embeddings=64
    ),
    "tiny-bert": lambda: transformers.BertConfig(**SHAPE, intermediate_size=48, max_position_embeddings=48),
    "tiny-roberta": lambda: transformers.RobertaConfig(
        **SHAPE, intermediate_size=48, max_position_embeddings=66, pad_token_id=1, type_vocab_size=1
    ),
    "tiny-distilbert": lambda: transformers.DistilBertConfig(
        vocab_size=VOCABULARY, n_layers=2, n_heads=4, dim=32, hidden_dim=48, max_position_embeddings=48
    ),
    "tiny-modernbert": lambda: transformers.ModernBertConfig(
        **SHAPE,
        **SPECIAL,
        cls_token_id=0,
        sep_token_id=2,
        intermediate_size=48,
        max_position_embeddings=64,
        local_attention=8,
        global_attn_every_n_layers=2,
    ),
    "tiny-t5": lambda: transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=32,
        d_kv=6,
        num_heads=4,
        d_ff=48,
        num_layers=2,
        num_decoder_layers=3,
        decoder_start_token_id=1,
    ),
    "tiny-bart": lambda: transformers.BartConfig(
        vocab_size=VOCABULARY, d_model=32, **LAYERS, **FORWARD, max_position_embeddings=48
    ),
    "tiny-vit": lambda: transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=8, patch_size=4
    ),
}

CLASSES = {
    "tiny-gpt2": "GPT2LMHeadModel",
    "tiny-llama": "LlamaForCausalLM",
    "tiny-qwen3": "Qwen3ForCausalLM",
    "tiny-mistral": "MistralForCausalLM",
    "tiny-gpt-neox": "GPTNeoXForCausalLM",
    "tiny-gemma": "GemmaForCausalLM",
    "tiny-bert": "BertForMaskedLM",
    "tiny-roberta": "RobertaForMaskedLM",
    "tiny-distilbert": "DistilBertForMaskedLM",
    "tiny-modernbert": "ModernBertForMaskedLM",
    "tiny-t5": "T5ForConditionalGeneration",
    "tiny-bart": "BartForConditionalGeneration",
    "tiny-vit": "ViTModel",
}

WORD_PIECES = {"tiny-bert", "tiny-distilbert"}
WITHOUT_SPECIALS = {"tiny-gpt2", "tiny-gpt-neox"}


def write_model_folder(directory: Path, name: str) -> Path:
    """Write one of CONFIGS with its tokenizer into a folder of that name inside a directory."""
    folder = directory / name
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model = getattr(transformers, CLASSES[name])(CONFIGS[name]())
        if name == "tiny-gemma":  # its norms multiply with 1 + weight, and their weights begin with 0
            for norm in (each for path, each in model.named_parameters() if "norm" in path):
                torch.nn.init.normal_(norm, std=0.3)
    model.save_pretrained(folder)
    if name != "tiny-vit":
        tokenizer = word_pieces() if name in WORD_PIECES else byte_pairs(specials=name not in WITHOUT_SPECIALS)
        tokenizer.save_pretrained(folder)
    return folder


def write_classifier_folder(directory: Path) -> Path:
    """Write a vision transformer that tells three classes apart into the folder ``tiny-vit-classes``."""
    folder = directory / "tiny-vit-classes"
    config = CONFIGS["tiny-vit"]()
    config.id2label = {0: "circle", 1: "square", 2: "star"}
    with torch.random.fork_rng():
        torch.manual_seed(17)
        transformers.ViTForImageClassification(config).save_pretrained(folder)
    return folder


def byte_pairs(*, specials: bool) -> PreTrainedTokenizerFast:
    """Byte-level BPE (GPT-2's kind), with ``<s> … </s>`` around a text or with nothing."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    names = ["<s>", "<pad>", "</s>", "<mask>"] if specials else ["<|endoftext|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=names,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if not specials:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=names[0], bos_token=names[0])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True)
    roles = dict(zip(("bos_token", "pad_token", "eos_token", "mask_token"), names, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles)


def word_pieces() -> PreTrainedTokenizerFast:
    """WordPiece (BERT's kind) with ``[CLS] … [SEP] … [SEP]``; what it has never seen is ``[UNK]``."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token=names[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    roles = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), names, strict=True))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **roles,
    )
