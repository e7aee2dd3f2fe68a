"""Small decoders: GPT-2s trained on two English texts (``python -m recipes.decoder --help``)."""
