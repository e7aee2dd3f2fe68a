"""Export a concept page as one offline file, in the state given by its address."""

from fastapi import APIRouter, Request, Response

from ..requests.bodies import BodyRoute
from ..web.errors import ApiError
from .pages import Pages
from .single_file import single_file
from .site import PAGES

router = APIRouter(include_in_schema=False, route_class=BodyRoute)

THEMES = ("paper", "night")


@router.get("/offline/{stem}")
def offline(request: Request, stem: str) -> Response:
    """The page with all its files; the page itself adds the answers that only the server can compute."""
    if not any(page.stem == stem and page.has_frame for page in PAGES):
        raise ApiError(404, "not_found", "There is no such page to save.")
    pages: Pages = request.app.state.pages
    context = pages.context(request, stem, offline=True)
    html = single_file(pages.fill(context.current.template, context), pages.assets)
    theme = request.query_params.get("theme")
    if theme in THEMES:
        html = html.replace("<html ", f'<html data-theme="{theme}" ', 1)
    headers = {"Content-Disposition": f'attachment; filename="{stem}.html"', "Cache-Control": "no-store"}
    return Response(html, media_type="text/html", headers=headers)
