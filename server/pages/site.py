"""The pages of the site, in the order of its navigation, and the chapters of its menu."""

from dataclasses import dataclass


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation where it is shown."""
    return text


COMPUTED = N_("The file computes every setting by itself.")
MOSTLY_COMPUTED = N_(
    "The file computes its settings by itself; what needs a model, another number format or another seed is recorded "
    "for the presets."
)

FLOAT64_COMPUTED = N_("The file computes every setting in float64 by itself; float32 is recorded for the presets.")
DECODER_COMPUTED = N_(
    "The file computes every setting by itself, in float64; the presets are recorded in float32, as the live page has "
    "them."
)
OWN_COMPUTED = N_(
    "The file computes our own decoder by itself, in float64, up to a width of 128. Recorded are the presets, in "
    "float32 as the live page has them, and of the text shown to a model or a wider decoder as many tokens and blocks "
    "as keep the file below 500 kB."
)
NEIGHBOURS_RECORDED = N_(
    "The file answers for the presets, and for the text shown with 4, 8 and 16 nearest rows; of these, any two tokens "
    "can be compared."
)
PARITY_RECORDED = N_(
    "The file answers for the presets, and for as many heads in the text shown as keep the file below 500 kB."
)
CONTEXT_RECORDED = N_("The file answers for the presets and the sentences shown, at every layer and head.")
CLAIMS_RECORDED = N_("The file holds every claim about the model shown and about those of the presets.")
ROLES_RECORDED = N_(
    "The file answers for the presets, every role and relation, and as many other sentences and heads of the role "
    "shown as keep the file below 500 kB."
)
CACHE_COMPUTED = N_(
    "The file computes the memory of any setting by itself; decoding step by step is recorded for the presets."
)
ENTERED_COMPUTED = N_(
    "The file computes what follows from numbers that you enter; random numbers and models are recorded for the "
    "presets and for what was shown."
)
HEADS_RECORDED = N_(
    "The file answers for the presets, for the words shown with every number of heads and of key/value heads, with and "
    "without a causal mask, at width 16, and for every sharpness."
)
PLAYED = N_(
    "The file plays the run that is shown, once it has ended: its curves whole, and the maps of as many updates as "
    "keep the file below 500 kB."
)


@dataclass(frozen=True)
class Page:
    """A navigable page; a concept's template, route, script and style sheet are named after its stem."""

    stem: str
    title: str
    """Title in the navigation, in English."""
    group: str = ""
    """Chapter in the menu of concepts; "" outside the menu."""

    in_file: str = N_("The file answers for the presets and for what was shown when it was saved.")
    """What a page that was saved as a file answers without a server."""

    @property
    def has_frame(self) -> bool:
        """Whether it stands in the frame of the concepts: a state in its address, embedding, a file of its own."""
        return bool(self.group) or self.stem == ATLAS

    @property
    def path(self) -> str:
        """The page's path."""
        return "/" if self.stem == EXPLORER else f"/{self.stem}"

    @property
    def template(self) -> str:
        """The page's template file."""
        if self.stem == EXPLORER:
            return "explorer/page.html"
        return f"{self.stem}.html" if self.stem in OUTSIDE else f"concepts/{self.stem}.html"


EXPLORER, ATLAS, LESSONS, GLOSSARY = "explorer", "atlas", "lessons", "glossary"
API_DOCS, ERROR = "api_docs", "error"
OUTSIDE = frozenset({LESSONS, GLOSSARY, API_DOCS, ERROR})
"""Pages whose templates stand outside the folder of concepts."""

GROUPS = {
    "A": N_("Projections and roles"),
    "B": N_("Scoring"),
    "C": N_("Masks"),
    "D": N_("Many heads"),
    "E": N_("Positions"),
    "F": N_("The whole block"),
}
"""The chapters of the curriculum."""

PAGES = (
    Page(EXPLORER, N_("Explorer")),
    Page(ATLAS, N_("Atlas")),
    Page(LESSONS, N_("Lessons")),
    Page(GLOSSARY, N_("Glossary")),
    Page("why", N_("Why attention"), "A", COMPUTED),
    Page("linear", N_("Linear layer"), "A", ENTERED_COMPUTED),
    Page("projections", N_("Queries, keys, values"), "A", ENTERED_COMPUTED),
    Page("embedding", N_("From an id to a vector"), "A", NEIGHBOURS_RECORDED),
    Page("circle", N_("Circle"), "B", MOSTLY_COMPUTED),
    Page("scoring", N_("Scoring lab"), "B", MOSTLY_COMPUTED),
    Page("softmax", N_("Softmax"), "B", MOSTLY_COMPUTED),
    Page("scaling", N_("Why √d_k"), "B", ENTERED_COMPUTED),
    Page("qk_norm", N_("QK-norm"), "B", ENTERED_COMPUTED),
    Page("kernel", N_("Kernels"), "B", COMPUTED),
    Page("masks", N_("Masks"), "C", COMPUTED),
    Page("reach", N_("Reach"), "C", COMPUTED),
    Page("multi_head", N_("Many heads"), "D", HEADS_RECORDED),
    Page("training", N_("Heads that learn"), "D", PLAYED),
    Page("claims", N_("Published, and measured here"), "D", CLAIMS_RECORDED),
    Page("head_roles", N_("What heads do"), "D", ROLES_RECORDED),
    Page("kv_cache", N_("KV cache"), "D", CACHE_COMPUTED),
    Page("order", N_("Order"), "E", FLOAT64_COMPUTED),
    Page("sinusoidal", N_("Sinusoidal positions"), "E", MOSTLY_COMPUTED),
    Page("rope", "RoPE", "E", COMPUTED),
    Page("alibi", "ALiBi", "E", COMPUTED),
    Page("block", N_("Transformer block"), "F", OWN_COMPUTED),
    Page("decoder", N_("Modern decoder block"), "F", DECODER_COMPUTED),
    Page("parity", N_("Pretrained beside our own"), "F", PARITY_RECORDED),
    Page("context", N_("Context bends meaning"), "F", CONTEXT_RECORDED),
)
"""Every page that the header leads to, in its order."""
FURTHER = (Page(API_DOCS, N_("API")), Page(ERROR, N_("An error")))
"""Pages in the same frame that the header does not lead to."""


def grouped(pages: tuple[Page, ...]) -> dict[str, tuple[Page, ...]]:
    """The concepts grouped by chapter title; empty chapters are left out."""
    chapters = {title: tuple(page for page in pages if page.group == group) for group, title in GROUPS.items()}
    return {title: members for title, members in chapters.items() if members}
