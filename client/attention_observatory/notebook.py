"""What a notebook shows where it has no widgets: a file."""

from __future__ import annotations

import html
import importlib
from pathlib import Path
from typing import Any


class Saved:
    """A self-contained HTML file that needs no server. A notebook displays it and saves it with its output."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def __repr__(self) -> str:
        return f"Saved({len(self.page):,} characters of HTML)"

    def _repr_html_(self) -> str:
        # The file's scripts run in a frame without access to the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" title="Attention Observatory" width="100%" '
            f'height="{self.height}" sandbox="allow-scripts allow-downloads" style="border: 0"></iframe>'
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def write(self, path: str | Path) -> Path:
        """Write the file."""
        path = Path(path)
        path.write_text(self.page, encoding="utf-8", newline="\n")
        return path


def displayed(shown: Any) -> None:
    """Show this in the output of the cell that runs."""
    importlib.import_module("IPython.display").display(shown)
