"""The style sheets and scripts of each page.

In production a page has one of each: its sheets joined, its modules bundled; modules that are imported
when they are needed are in a second script. In development (``OBSERVATORY_BUNDLED=false``) it has the sources as they
are, with all modules preloaded. A page that is about to become a file names the sources too, and they are inlined.
"""

from dataclasses import dataclass

from server.pages.bundling import bundle, join_sheets
from server.web.assets import Assets

COMMON = ("tokens", "base", "math", "controls", "present", "lecture", "header", "forced_colors")
FRAME = ("concepts/frame/page", "concepts/frame/parts", "concepts/frame/story", "concepts/frame/exercises")
EXPLORER = (
    "page",
    "dropdown",
    "progress",
    "composer",
    "model_picker",
    "freshness",
    "strip",
    "image",
    "grid",
    "matrix",
    "cell_notes",
    "legend",
    "minimap",
    "profile",
    "tabs",
    "heads_table",
    "scatter",
    "what_if",
    "compare",
    "prompts",
    "lines",
    "token",
    "rollout",
    "vectors",
    "query_key_plane",
    "output",
    "flow",
    "patching",
    "export_menu",
    "pins",
    "shortcuts",
    "waiting",
)
PLOT = "js/charts/plot_library.js"
SERVED_ONLY = (
    "header",
    *(
        f"explorer/{name}"
        for name in (
            "composer",
            "progress",
            "freshness",
            "what_if",
            "compare",
            "export_menu",
            "patching",
            "pins",
            "prompts",
        )
    ),
)
"""Sheets of what needs a server; a saved page has none of it."""

FURTHER_SCRIPTS = {
    "glossary": "js/page/plain_page.js",
    "api_docs": "js/page/api_docs.js",
    "error": "js/page/plain_page.js",
}
"""Scripts of the pages that are neither Explorer, course nor concept."""


@dataclass(frozen=True)
class PageFiles:
    """Addresses of what a page loads, in order."""

    sheets: tuple[str, ...]
    preloads: tuple[str, ...]
    """Modules that the scripts lead to."""
    scripts: tuple[str, ...]
    has_charts: bool
    """Whether something in them draws with Plotly."""
    font: str | None = None
    """The font of formulas, where a page begins with some."""


def sheets_of(stem: str, *, offline: bool = False) -> list[str]:
    """Paths of a page's style sheets, from the general to the particular."""
    own = {
        "explorer": ["charts", "plots", *(f"explorer/{name}" for name in EXPLORER)],
        "lessons": [*FRAME, "lessons"],
        "glossary": ["concepts/frame/page", "glossary"],
        "api_docs": ["api_docs"],
        "error": ["error_page"],
        "training": ["concepts/training", "concepts/training_maps"],
        "atlas": [f"concepts/atlas{part}" for part in ("", "_head", "_examples", "_panels", "_composition")],
    }.get(stem, [f"concepts/{stem}"])
    if stem not in ("explorer", "lessons", *FURTHER_SCRIPTS):
        own = [*FRAME, "charts", "plots", *own, f"concepts/reserved/{stem}"]
    names = [*COMMON, *own]
    if offline:
        names = [name for name in names if name not in SERVED_ONLY]
        names += ["explorer/saved_page"] if stem == "explorer" else []
    return [f"css/{name}.css" for name in names]


def scripts_of(stem: str, *, offline: bool = False) -> list[str]:
    """Paths of the modules that a page begins with."""
    if offline:
        return ["js/explorer/saved.js" if stem == "explorer" else f"js/concepts/{stem}/index.js"]
    if stem in FURTHER_SCRIPTS:
        return ["js/page/menu.js", FURTHER_SCRIPTS[stem]]
    folder = stem if stem in {"explorer", "lessons", *FURTHER_SCRIPTS} else f"concepts/{stem}"
    return ["js/page/menu.js", f"js/{folder}/index.js"]


class Files:
    """The files of all pages, bundled once if at all."""

    def __init__(self, assets: Assets, stems: list[str], *, bundled: bool) -> None:
        self._assets = assets
        self._bundled = {stem: self._bundle(stem) for stem in stems} if bundled else {}

    def of(self, stem: str, *, offline: bool = False) -> PageFiles:
        """What the page loads; ``offline``: what is inlined into its file."""
        if stem in self._bundled and not offline:
            return self._bundled[stem]
        scripts = scripts_of(stem, offline=offline)
        entries = [] if offline else scripts  # a file loads nothing, so there is nothing to preload
        modules = sorted({module for entry in entries for module in self._assets.modules_of(entry)})
        return PageFiles(
            tuple(map(self._assets.url, sheets_of(stem, offline=offline))),
            tuple(map(self._assets.url, modules)),
            tuple(map(self._assets.url, scripts)),
            self._draws(scripts),
            self._font(stem),
        )

    def _draws(self, scripts: list[str]) -> bool:
        return any(PLOT in self._assets.modules_of(entry, deferred=True) for entry in scripts)

    def _bundle(self, stem: str) -> PageFiles:
        sheet = self._assets.add(f"{stem}.css", join_sheets(self._assets, sheets_of(stem)))

        def serve(later: str) -> str:
            return self._assets.add(f"{stem}_later.js", later)

        script = self._assets.add(f"{stem}.js", bundle(self._assets, *scripts_of(stem), serve=serve))
        return PageFiles((sheet,), (), (script,), self._draws(scripts_of(stem)), self._font(stem))

    def _font(self, stem: str) -> str | None:
        return (
            None
            if stem in {"explorer", "lessons", *FURTHER_SCRIPTS}
            else self._assets.url("fonts/observatory-math.woff2")
        )
