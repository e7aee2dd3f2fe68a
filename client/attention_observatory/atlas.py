"""An atlas: what every head of a model does over a whole corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.figures import figure_at


class Atlas:
    """An atlas on the server; everything is read when it is asked for."""

    def __init__(self, api: Operations, facts: dict[str, Any]) -> None:
        self.api = api
        self.facts = facts
        """What was scanned, and how, as returned by the API."""

    def __repr__(self) -> str:
        return f"Atlas({self.id!r}: {self.facts['model']}, {self.facts['corpus']}, {self.facts['tokens']:,} tokens)"

    @property
    def id(self) -> str:
        """A hash of model, corpus and settings: the same on every server."""
        return str(self.facts["id"])

    def heads(self) -> dict[str, Any]:
        """All heads: ``part``, ``layer``, ``head``, ``values`` by measure, ``map``, ``relations``; a list item a head.

        ``pandas.DataFrame({**heads["values"], "layer": heads["layer"], "head": heads["head"]})`` is a table of them.
        """
        return dict(self.api.get_atlas_heads(self.id))

    def portrait(self, layer: int, head: int, *, part: str | None = None) -> dict[str, Any]:
        """One head: distributions, offsets, token pairs, examples with their windows, relations, neighbours."""
        return dict(self.api.get_atlas_head(self.id, layer, head, part=part))  # type: ignore[arg-type]

    def relations(self) -> list[dict[str, Any]]:
        """Every dependency relation with its best head and the best fixed offset."""
        return [dict(each) for each in self.api.get_atlas_relations(self.id)["relations"]]

    def search(
        self,
        layer: int,
        head: int,
        query: int,
        *,
        window: int | None = None,
        analysis: str | None = None,
        key: int | None = None,
        part: str | None = None,
        by: str = "all",
        limit: int = 20,
    ) -> dict[str, Any]:
        """Cells of the corpus at which this head does most nearly the same as at one cell.

        The cell is one of the corpus (``window``, ``query``) or one of an analysis (``analysis`` is its id, ``query``,
        ``key``). ``by`` is ``query``, ``key``, ``output`` or ``all``: whose vectors are compared.
        """
        cell: Any = {"window": window, "analysis": analysis, "query": query, "key": key, "by": by, "part": part}
        return dict(self.api.get_atlas_search(self.id, layer=layer, head=head, limit=limit, **cell))

    def comparison(self, other: Atlas) -> dict[str, Any]:
        """Which heads do something else in another atlas of the same heads, those that moved most first."""
        return dict(self.api.get_atlas_comparison(self.id, other=other.id))

    def figure(self, /, layer: int | None = None, head: int | None = None, *, kind: str = "heads", **query: Any) -> Any:
        """A ``plotly.graph_objects.Figure``: the map of heads, ``kind="relations"``, or of one head.

        ``x`` and ``y`` are measures for the map; of one head ``draw`` is ``offsets`` or ``histogram``, and ``measure``
        says of what. Raises ImportError without the package plotly.
        """
        path = kind if layer is None or head is None else f"heads/{layer}/{head}"
        return figure_at(self.api, f"/api/atlases/{self.api.connection.quoted(self.id)}/{path}", query)

    def save(self, path: str | Path) -> Path:
        """Write the atlas' folder as a zip file; DuckDB, pandas and Polars open what is in it."""
        path = Path(path)
        path.write_bytes(self.api.get_atlas_export(self.id))
        return path
