"""Models from the Hugging Face Hub: which there are, their files, and room for them."""
