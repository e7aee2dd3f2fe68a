"""What the templates are given, by page."""

from dataclasses import dataclass

from markupsafe import Markup

from .address_state import AddressState
from .course import CoursePlace
from .lessons import Lesson
from .page_files import PageFiles
from .site import Page
from .thread import Thread


@dataclass(frozen=True)
class PageContext:
    """Template context of every page."""

    lang: str
    languages: dict[str, str]
    """Code → name in its own language."""
    messages_json: Markup
    """Translations for scripts, as JSON that is safe inside ``<script type="application/json">``."""
    settings_json: Markup
    """``{lang, languages, limits, embeddable, charting}``, likewise."""
    pages: tuple[Page, ...]
    """Pages outside the menu of concepts."""
    groups: dict[str, tuple[Page, ...]]
    """Chapter title → its concepts, in the menu."""
    current: Page
    stem: str
    """Stem of this page."""
    root: str
    """What stands before the path of another page in its address; no slash at its end."""
    files_root: str
    """What stands before ``/static/``; nothing in a page that is about to become a file."""
    bare: bool
    """Without navigation, for embedding in another site."""
    offline: bool
    """In an offline file; such a page is bare."""
    packed_records: Markup
    """In a file of an analysis: ``[{request, answer}]``, used in place of a server, packed; else empty."""
    files: PageFiles
    """Its style sheets and scripts."""
    address: AddressState
    """What the address says of the page's state."""
    course: CoursePlace
    oembed_url: str
    """The oEmbed address of this page (oembed.com, section 4), if it can be embedded."""


@dataclass(frozen=True)
class ApiDocsContext(PageContext):
    """Template context of the API documentation."""

    swagger_js_url: str
    swagger_css_url: str
    openapi_url: str


@dataclass(frozen=True)
class GlossaryContext(PageContext):
    """Template context of the glossary."""

    terms: list[tuple[str, str, str, Page | None]]
    """Id, name, definition and the page that shows it, by name in the reader's language."""


@dataclass(frozen=True)
class ShownLesson:
    """A lesson of the course as its page shows it."""

    id: str
    number: int
    """From 1."""
    texts: Lesson
    concepts: tuple[Page, ...]
    is_optional: bool
    adds: str
    """What it adds to the program of the course, in English; blank where it adds nothing."""
    code: str
    """That piece of it."""
    thread: Thread | None
    """Where the running example is in it: as on the page of its first concept."""


@dataclass(frozen=True)
class LessonsContext(PageContext):
    """Template context of the course."""

    lessons: tuple[ShownLesson, ...]
    can_frame: bool
    """Whether our own pages may show our concepts in frames."""


@dataclass(frozen=True)
class ErrorContext(PageContext):
    """Template context of an error's page."""

    status: int
    message: str
