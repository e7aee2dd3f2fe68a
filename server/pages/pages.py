"""Page rendering: templates with a typed context, in the reader's language.

A page's context is a dataclass; its fields are all that a template may use, besides ``asset(path)`` and ``_()``.
"""

import hashlib
from dataclasses import fields
from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from ..requests.bodies import BodyRoute
from ..settings import Settings
from ..web.assets import Assets
from ..web.i18n import Language, choose, read_languages
from ..web.placing import public_address, public_root, root_from
from ..web.security import OWN_FRAMES
from ..web.shipped import ROOT
from . import course, program
from .address_state import AddressState
from .bundling import inline_script
from .contexts import (
    ApiDocsContext,
    ErrorContext,
    GlossaryContext,
    LessonsContext,
    PageContext,
    ShownLesson,
)
from .declared_fields import declared_fields
from .glossary import TERMS, term_cards
from .lessons import TEXTS
from .maths_text import maths, plain_maths
from .packing import pack_records
from .page_files import Files
from .picture_links import picture_links
from .site import API_DOCS, ERROR, EXPLORER, FURTHER, GLOSSARY, LESSONS, PAGES, grouped
from .thread import thread_of

TEMPLATES = ROOT / "templates"

LIMITED = ("characters", "tokens", "prompts", "window_cells", "image_pixels", "sound_seconds", "body_bytes")
SHOWN_LIMITS = tuple(f"max_{name}" for name in LIMITED)
"""Limits that pages state in advance."""


@cache
def _files(assets: Assets, *, bundled: bool) -> Files:
    """All pages' files, bundled once in a process."""
    return Files(assets, [page.stem for page in (*PAGES, *FURTHER)], bundled=bundled)


@cache
def _environment(assets: Assets, language: Language) -> Environment:
    """The templates in one language, each compiled once in a process."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    translate = language.translations.gettext
    environment.filters |= {"maths": maths, "plain_maths": plain_maths}
    environment.filters |= {"terms": term_cards(translate), "pictures": picture_links(language.code)}
    environment.globals["asset"] = assets.url
    environment.globals["first_paint"] = Markup(_first_paint(assets))  # noqa: S704 - our own file
    environment.install_gettext_translations(language.translations, newstyle=True)  # type: ignore[attr-defined]
    return environment


def _first_paint(assets: Assets) -> str:
    return inline_script(assets, "js/base/first_paint.js")


class Pages:
    """Templates and languages, loaded once."""

    def __init__(self, settings: Settings, assets: Assets) -> None:
        self.settings = settings
        self.assets = assets
        self.files = _files(assets, bundled=settings.bundled)
        self.first_paint = _first_paint(assets)
        """The script that stands in every page; the content security policy allows it by its hash."""
        self.languages = read_languages()
        self._environments = {code: _environment(assets, language) for code, language in self.languages.items()}

    def language(self, request: Request, asked: str | None = None) -> Language:
        """The reader's language: the one requested (``?lang=``), else the browser's preference."""
        header = request.headers.get("accept-language", "")
        return choose(self.languages, asked or request.query_params.get("lang"), header)

    def context(
        self,
        request: Request,
        stem: str,
        *,
        bare: bool = False,
        offline: bool = False,
        search: str | None = None,
        records: list[dict[str, Any]] | None = None,
    ) -> PageContext:
        """The context of every page, in the reader's language.

        ``search`` is the query string that a file opens with, by default the request's; ``records`` are its recorded
        answers.
        """
        language = self.language(request)
        names = {code: each.name for code, each in self.languages.items()}
        config = {
            "lang": language.code,
            "languages": names,
            "limits": {name: getattr(self.settings, name) for name in SHOWN_LIMITS},
            "embeddable": self.settings.frame_ancestors not in OWN_FRAMES,
            "charting": f"{root_from(request)}{self.assets.plotly_url}",
        }
        if offline:
            config |= {"search": request.url.query if search is None else search, "live": f"{public_root(request)}/"}
        current = next(page for page in (*PAGES, *FURTHER) if page.stem == stem)
        shown_fields = declared_fields(self.assets, stem) if current.has_frame else {}
        oembed = urlencode({"url": public_address(request), "format": "json"})
        return PageContext(
            lang=language.code,
            languages=names,
            messages_json=htmlsafe_json_dumps(language.script_messages, ensure_ascii=False),
            settings_json=htmlsafe_json_dumps(config, ensure_ascii=False),
            pages=tuple(page for page in PAGES if not page.group),
            groups=grouped(PAGES),
            current=current,
            stem=stem,
            root=public_root(request) if offline else root_from(request),
            files_root="" if offline else root_from(request),
            bare=bare or offline,
            offline=offline,
            packed_records=Markup(pack_records(records) if records else ""),  # noqa: S704 - no sign of markup
            files=self.files.of(stem, offline=offline),
            address=AddressState(request.query_params, shown_fields, language.translations.gettext),
            course=course.place(stem),
            oembed_url=f"{public_root(request)}/api/oembed?{oembed}"
            if any(page.stem == stem for page in PAGES)
            else "",
        )

    def page(self, request: Request, stem: str, *, bare: bool = False) -> Response:
        """Look up a page."""
        context = self.context(request, stem, bare=bare)
        return self.answer(request, context.current.template, context)

    def answer(self, request: Request, template: str, context: Any) -> Response:
        """The rendered template in the context's language; 304 if the browser has it already."""
        body = self.fill(template, context).encode()
        etag = f'W/"{hashlib.blake2b(body, digest_size=10).hexdigest()}"'
        headers = {
            "ETag": etag,
            "Cache-Control": "no-cache",
            "Vary": "Accept-Language",
            "Content-Language": context.lang,
        }
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type="text/html", headers=headers)

    def fill(self, template: str, context: Any) -> str:
        """Render the template in the context's language."""
        values = {field.name: getattr(context, field.name) for field in fields(context)}
        return self._environments[context.lang].get_template(template).render(values)


router = APIRouter(include_in_schema=False, route_class=BodyRoute)


def concept(request: Request) -> Response:
    """One idea to touch; below ``/embed`` the same without navigation, for a frame."""
    pages: Pages = request.app.state.pages
    _, *folders, stem = request.url.path.split("/")
    return pages.page(request, stem, bare=folders == ["embed"])


def glossary(request: Request) -> Response:
    """Every term in the reader's alphabetical order, with a link to the page that shows it."""
    pages: Pages = request.app.state.pages
    bare = request.url.path.startswith("/embed/")
    translate = pages.language(request).translations.gettext
    by_stem = {page.stem: page for page in PAGES}
    terms = [(term.id, translate(term.name), translate(term.definition), by_stem.get(term.page)) for term in TERMS]
    terms.sort(key=lambda term: term[1].casefold())
    context = GlossaryContext(**vars(pages.context(request, GLOSSARY, bare=bare)), terms=terms)
    return pages.answer(request, context.current.template, context)


def lessons(request: Request) -> Response:
    """The course in its order."""
    pages: Pages = request.app.state.pages
    bare = request.url.path.startswith("/embed/")
    by_stem = {page.stem: page for page in PAGES}
    code = program.pieces(pages.assets)
    shown = tuple(
        ShownLesson(
            id=lesson,
            number=number,
            texts=TEXTS[lesson],
            concepts=tuple(by_stem[stem] for stem in stems),
            is_optional=lesson in course.OPTIONAL,
            adds=program.ADDS.get(lesson, ""),
            code=code.get(lesson, "").strip(),
            thread=thread_of(stems[0]),
        )
        for number, (lesson, stems) in enumerate(course.LESSONS.items(), start=1)
    )
    context = LessonsContext(
        **vars(pages.context(request, LESSONS, bare=bare)),
        lessons=shown,
        can_frame=pages.settings.frame_ancestors != "'none'",
    )
    return pages.answer(request, context.current.template, context)


for stem, handler in ((GLOSSARY, glossary), (LESSONS, lessons)):
    for path in (f"/{stem}", f"/embed/{stem}"):
        router.add_api_route(path, handler, methods=["GET", "HEAD"])
for page in PAGES:
    if page.stem not in {EXPLORER, GLOSSARY, LESSONS}:
        router.add_api_route(page.path, concept, methods=["GET", "HEAD"])
        router.add_api_route(f"/embed/{page.stem}", concept, methods=["GET", "HEAD"])


@router.api_route("/lessons/decoder.py", methods=["GET", "HEAD"])
def course_program(request: Request) -> Response:
    """The program of the course, whole."""
    pages: Pages = request.app.state.pages
    headers = {"Content-Disposition": 'attachment; filename="decoder.py"'}
    return Response(program.whole(pages.assets), media_type="text/x-python", headers=headers)


@router.api_route("/api/docs", methods=["GET", "HEAD"])
def api_docs(request: Request) -> Response:
    """The API to read and to try, from our own files."""
    pages: Pages = request.app.state.pages
    context = ApiDocsContext(
        **vars(pages.context(request, API_DOCS)),
        swagger_js_url=f"..{pages.assets.swagger_js_url}",
        swagger_css_url=f"..{pages.assets.swagger_css_url}",
        openapi_url="../api/openapi.json",
    )
    return pages.answer(request, context.current.template, context)


def error_page(request: Request, status: int, message: str) -> Response:
    """An error for people: what happened, in the site's frame and the reader's language, with links onward."""
    pages: Pages = request.app.state.pages
    context = ErrorContext(**vars(pages.context(request, ERROR)), status=status, message=message)
    headers = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Language", "Content-Language": context.lang}
    body = pages.fill(context.current.template, context)
    return Response(body, status_code=status, media_type="text/html", headers=headers)
