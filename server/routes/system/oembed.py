"""oEmbed (oembed.com, version 1.0): an address of ours becomes a frame in a document that knows nothing of us.

Editors such as Notion and WordPress find this through the ``<link rel="alternate">`` of every page, ask for the address
that was pasted, and put the ``html`` of the answer into their document. Where the operator lets nobody frame the pages,
the answer is a plain link: a frame would stay empty.
"""

from dataclasses import dataclass
from html import escape
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, parse_qs, urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ...pages.site import PAGES, Page
from ...requests.bodies import BodyRoute
from ...web.errors import ApiError, ErrorResponse
from ...web.placing import public_path
from ...web.security import OWN_FRAMES
from ..dependencies import SettingsDep

router = APIRouter(prefix="/api/oembed", tags=["oembed"], route_class=BodyRoute)

PROVIDER = "Attention Observatory"
WIDTH, HEIGHT = 960, 760
"""Of a frame, where the one who asks leaves room for it."""
LONGEST_URL = 16_384
CACHE_S = 3_600
PORTS = {"http": 80, "https": 443}
XML_TYPE = "text/xml"

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {XML_TYPE: {"schema": {"type": "string"}}}},
    404: {"model": ErrorResponse, "description": "The address is none of this server's pages."},
}

Pixels = Annotated[int, Query(ge=1, le=100_000)]


class OEmbed(BaseModel):
    """What oEmbed calls a rich resource, or a link where framing is not allowed."""

    type: Literal["rich", "link"]
    version: Literal["1.0"] = "1.0"
    title: str
    provider_name: str = PROVIDER
    provider_url: str
    cache_age: int = Field(CACHE_S, description="Seconds for which the answer may be kept.")
    html: str | None = Field(None, description="The frame, for documents.")
    width: int | None = Field(None, description="Of the frame, in pixels.")
    height: int | None = Field(None, description="Of the frame, in pixels.")


@dataclass(frozen=True)
class Target:
    """One of our pages, as an address names it."""

    page: Page
    address: SplitResult
    root_path: str = ""
    """The path under which the application is offered."""

    @property
    def root(self) -> str:
        """Scheme, host, port and the path under which the application is offered."""
        return f"{self.address.scheme}://{self.address.netloc}{self.root_path}"

    @property
    def embed(self) -> str:
        """The bare page with the same state."""
        return self.address._replace(path=f"{self.root_path}/embed/{self.page.stem}").geturl()


@router.get("", response_model=OEmbed, response_model_exclude_none=True, responses=ANSWERS)
def get_oembed(
    request: Request,
    settings: SettingsDep,
    url: Annotated[
        str, Query(min_length=1, max_length=LONGEST_URL, description="A page of this server, its state included.")
    ],
    format: Literal["json", "xml"] = "json",  # noqa: A002
    maxwidth: Pixels = WIDTH,
    maxheight: Pixels = HEIGHT,
) -> Response | OEmbed:
    """What a document needs to show a page of ours: 404 for an address that is not ours."""
    target = find_target(url, request.url.netloc, public_path(request))
    answer = OEmbed(type="link", title=_title(request, target), provider_url=f"{target.root}/")
    if settings.frame_ancestors not in OWN_FRAMES:
        width, height = min(maxwidth, WIDTH), min(maxheight, HEIGHT)
        html = frame(target.embed, answer.title, width, height)
        answer = answer.model_copy(update={"type": "rich", "html": html, "width": width, "height": height})
    return Response(_xml(answer), media_type=XML_TYPE) if format == "xml" else answer


def find_target(url: str, host: str, root_path: str = "") -> Target:
    """The page that an address leads to; ``host`` is where the request came in. Raises ApiError (404)."""
    try:
        address = urlsplit(url)
        is_ours = address.scheme in PORTS and _place(address) == _place(urlsplit(f"{address.scheme}://{host}"))
        is_ours = is_ours and address.username is None
    except ValueError:  # a port that is no number, a bracket that stays open
        is_ours = False
    if not is_ours or not url.isprintable():
        raise ApiError(404, "not_found", "This address is not one of this server's pages.", field="url")
    inside = address.path.removeprefix(root_path) if f"{address.path}/".startswith(f"{root_path}/") else ""
    path = inside.rstrip("/") or ("/" if inside or root_path == address.path else "")
    for page in PAGES:
        if path in {page.path, f"/embed/{page.stem}"} or (path == "/embed" and page.path == "/"):
            return Target(page, address, root_path)
    raise ApiError(404, "not_found", "This address is not one of this server's pages.", field="url")


def frame(address: str, title: str, width: int, height: int) -> str:
    """An iframe of this size."""
    return (
        f'<iframe src="{escape(address)}" title="{escape(title)}" width="{width}" height="{height}" '
        'style="border: 0; max-width: 100%" loading="lazy" allow="fullscreen; clipboard-write"></iframe>'
    )


def _place(address: SplitResult) -> tuple[str | None, int]:
    return address.hostname, address.port or PORTS[address.scheme]


def _title(request: Request, target: Target) -> str:
    """The page's name in the language that its address asks for, else in the asker's."""
    asked = parse_qs(target.address.query).get("lang", [None])[0]
    language = request.app.state.pages.language(request, asked)
    return f"{language.translations.gettext(target.page.title)} · {PROVIDER}"


def _xml(answer: OEmbed) -> bytes:
    root = Element("oembed")
    for name, value in answer.model_dump(exclude_none=True).items():
        SubElement(root, name).text = str(value)
    return tostring(root, encoding="utf-8", xml_declaration=True)
