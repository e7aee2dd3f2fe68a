"""The style sheets and scripts of each page.

In production a page has one of each: its sheets joined, its modules bundled; modules that are imported when they are
needed are in a second script, and the sheets that only these need in a second sheet, loaded with it. In development
(``OBSERVATORY_BUNDLED=false``) it has the sources as they are, with all modules preloaded. A page that is about to
become a file names the sources too, and they are inlined.
"""

from dataclasses import dataclass

from ..web.assets import Assets, beside
from .bundling import bundle, join_sheets

PAPER = "paper"
"""What a printed page is like; the Explorer's first screen does without it."""
COMMON = ("tokens", "base", "math", "controls", "present", "lecture", "header", "footer", PAPER, "forced_colors")
FRAME = tuple(f"concepts/frame/{name}" for name in ("page", "waiting", "parts", "story", "thread", "exercises"))
EXPLORER = (
    "page",
    "dropdown",
    "progress",
    "composer",
    "bench_buttons",
    "freshness",
    "strip",
    "image",
    "grid",
    "matrix",
    "lead",
    "likeliest",
    "legend",
    "minimap",
    "options",
    "profile",
    "tabs",
    "what_if",
    "waiting",
    "presenting",
)
"""The Explorer's sheets that its first screen needs."""
EXPLORER_LATER = (
    "model_picker",
    "cell_notes",
    "heads_table",
    "scatter",
    "compare",
    "prompts",
    "reach",
    "lines",
    "token",
    "rollout",
    "vectors",
    "query_key_plane",
    "output",
    "flow",
    "patching",
    "patching_form",
    "export_menu",
    "pins",
    "shortcuts",
    "guide",
)
"""Those of views and dialogs whose modules are in the second script."""
SERVED_ONLY = (
    "header",
    "footer",
    *(f"explorer/first/{name}" for name in ("composer", "progress", "freshness", "what_if")),
    *(
        f"explorer/late/{name}"
        for name in ("model_picker", "compare", "export_menu", "pins", "prompts", "reach", "guide")
    ),
)
"""Sheets of what needs a server; a saved page has none of it."""

AROUND = ("js/page/menu.js", "js/page/footer.js")
"""Scripts of what stands around every page that is served whole."""
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
    font: str | None = None
    """The font of formulas, where a page begins with some."""


def sheets_of(stem: str, *, offline: bool = False) -> list[str]:
    """Paths of the style sheets that a page begins with, from the general to the particular."""
    own = {
        "explorer": [f"explorer/first/{name}" for name in EXPLORER],
        "lessons": [*FRAME, "lessons", "lessons_presented"],
        "glossary": ["concepts/frame/page", "glossary"],
        "api_docs": ["api_docs"],
        "error": ["error_page"],
        "training": ["concepts/training", "concepts/training_maps"],
        "atlas": [f"concepts/atlas{part}" for part in ("", "_head", "_examples", "_panels", "_composition")],
    }.get(stem, [f"concepts/{stem}"])
    if stem not in ("explorer", "lessons", *FURTHER_SCRIPTS):
        own = [*FRAME, "charts", "plots", *own]
    common = [name for name in COMMON if stem != "explorer" or name != PAPER]
    return _paths([*common, *own], offline=offline)


def later_sheets_of(stem: str, *, offline: bool = False) -> list[str]:
    """Paths of the sheets that only a page's second script needs; they stand after the others."""
    if stem != "explorer":
        return []
    names = ["charts", "plots", PAPER, *(f"explorer/late/{name}" for name in EXPLORER_LATER)]
    return _paths(names + ["explorer/first/saved_page"] * offline, offline=offline)


def _paths(names: list[str], *, offline: bool) -> list[str]:
    return [f"css/{name}.css" for name in names if not (offline and name in SERVED_ONLY)]


def scripts_of(stem: str, *, offline: bool = False) -> list[str]:
    """Paths of the modules that a page begins with."""
    if offline:
        return ["js/explorer/saved.js" if stem == "explorer" else f"js/concepts/{stem}/index.js"]
    if stem in FURTHER_SCRIPTS:
        return [*AROUND, FURTHER_SCRIPTS[stem]]
    folder = stem if stem in {"explorer", "lessons", *FURTHER_SCRIPTS} else f"concepts/{stem}"
    return [*AROUND, f"js/{folder}/index.js"]


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
        sheets = sheets_of(stem, offline=offline) + later_sheets_of(stem, offline=offline)
        return PageFiles(
            tuple(map(self._assets.url, sheets)),
            tuple(map(self._assets.url, modules)),
            tuple(map(self._assets.url, scripts)),
            self._font(stem),
        )

    def _bundle(self, stem: str) -> PageFiles:
        sheet = self._assets.add(f"{stem}.css", join_sheets(self._assets, sheets_of(stem)))
        rest = join_sheets(self._assets, later_sheets_of(stem))
        later_sheet = beside(self._assets.add(f"{stem}_later.css", rest)) if rest else ""

        def serve(later: str) -> str:
            return beside(self._assets.add(f"{stem}_later.js", later))

        script = self._assets.add(f"{stem}.js", bundle(self._assets, *scripts_of(stem), serve=serve, sheet=later_sheet))
        return PageFiles((sheet,), (), (script,), self._font(stem))

    def _font(self, stem: str) -> str | None:
        return (
            None
            if stem in {"explorer", "lessons", *FURTHER_SCRIPTS}
            else self._assets.url("fonts/observatory-math.woff2")
        )
