"""The web application: HTTP, pages and files."""

__version__ = "0.2.0"
"""Of the application, its API, its image and its Python client alike."""
