"""The web application: HTTP, pages and files."""

__version__ = "0.3.0"
"""Version of the application, its API, its image and its Python client."""
