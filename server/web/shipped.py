"""Where the folders of pages are: templates, static files and translations.

In the repository they stand beside the server; in the wheel, which puts no such general names into site-packages, they
are inside it.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE if (PACKAGE / "templates").is_dir() else PACKAGE.parent
