"""The shipped decoder: a small GPT-2 trained on two English texts (``python -m recipes.decoder --help``)."""
