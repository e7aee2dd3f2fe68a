"""A model's tokenizer: how it is read, its special tokens, what a text begins with."""
