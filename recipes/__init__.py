"""How the models that this project ships were made; nothing here is imported while the application runs."""
