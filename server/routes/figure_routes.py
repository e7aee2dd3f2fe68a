"""Figures: what an answer holds as a Plotly figure, at the answer's own address with ``as=figure``.

Besides what the answer itself takes there are ``draw``, the part of the answer that is drawn; an index for each axis
that this part has besides those of the figure (``head=2``); and the ``theme``. In the OpenAPI document a figure is no
operation of its own, and its parameters are declared once for all. Nor is it a second media type of the answer: types
that programs make of the document would then leave open which of both every answer is.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.datastructures import QueryParams
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..answers.answer_paths import PART, Drawn
from ..answers.drawings import Drawing
from ..answers.figures import Figure
from ..requests.bodies import BodyRoute
from ..requests.bounded import Index, PartName
from ..requests.turns import in_turn
from ..web.openapi.api_description import FIGURES
from .dependencies import PaletteDep

KEYWORD = inspect.Parameter.KEYWORD_ONLY
FORM = Annotated[
    Literal["figure"],
    Query(alias="as", description="`figure`: the answer is a `Figure`, for Plotly, instead of numbers."),
]
DRAWN = Query(description="Of a figure: what of the answer is drawn.")
CHOSEN = Query(description="Of a figure: which one, from 0, where the part that is drawn has several.")
OLD_END = "/figure"


class FigureRoute(BodyRoute):
    """Answers what names the form of its answer, at the address of a route that answers everything else."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is for this route."""
        match, child_scope = super().matches(scope)
        if match == Match.NONE or "as" not in QueryParams(scope.get("query_string", b"")):
            return Match.NONE, {}
        return match, child_scope


def old_figure_routes(routes: Iterable[BaseRoute]) -> list[Route]:
    """Figures are also at ``…/figure``, where they once were and where lectures still link to them: what is there."""
    figures = [route for route in routes if isinstance(route, FigureRoute)]
    return [Route(each.path + OLD_END, each.endpoint, methods=sorted(each.methods or ())) for each in figures]


class OldFigureAddresses:
    """ASGI middleware: what is asked for at ``old_figure_routes``, by a method that is allowed there."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self.app = app
        self._old = [route.path_regex for route in old_figure_routes(routes)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on as one for the answer's own address, as a figure."""
        if scope["type"] == "http" and any(pattern.match(scope["path"]) for pattern in self._old):
            # The curves of a training run had a parameter of their own.
            query = scope.get("query_string", b"").replace(b"curve=", b"draw=")
            scope.update(path=scope["path"].removesuffix(OLD_END), query_string=b"as=figure&" + query)
        await self.app(scope, receive, send)


def add_figures(
    router: APIRouter,
    handler: Callable[..., Any],
    drawings: Mapping[str, Drawing],
    *,
    beside: Callable[..., Any] | None = None,
) -> None:
    """Let a handler's answer be asked for as a figure; the first of these unless another is named.

    ``beside``: whose answer it is, where the handler has only the numbers that are drawn, or takes more.
    """
    neighbour = handler if beside is None else beside
    place, route = next(
        (place, each)
        for place, each in enumerate(router.routes)
        if isinstance(each, APIRoute) and inspect.unwrap(each.endpoint) is neighbour
    )
    own = inspect.signature(handler).parameters
    axes = list(dict.fromkeys(axis for each in drawings.values() for axis in each.axes if axis not in own))

    async def draw_figure(*, palette: PaletteDep, as_: str, draw: str, **given: Any) -> Figure:  # noqa: ARG001
        indices = {axis: given.pop(axis) for axis in axes}
        if inspect.iscoroutinefunction(handler):
            answer = await handler(**given)
        else:
            answer = await in_turn(handler, **given)
        return await in_turn(drawings[draw].figure, Drawn(draw, answer, given, indices), palette)

    draw_figure.__name__ = f"{neighbour.__name__}_figure"
    draw_figure.__signature__ = _signature(handler, list(drawings), axes)  # type: ignore[attr-defined]
    router.add_api_route(
        route.path.removeprefix(router.prefix),
        draw_figure,
        methods=list(route.methods or ()),
        response_model=Figure,
        include_in_schema=False,
        route_class_override=FigureRoute,
    )
    figures = router.routes.pop()
    router.routes.insert(place, figures)  # asked first: the other matches whatever the query
    assert isinstance(figures, FigureRoute)  # noqa: S101 - added above
    route.openapi_extra = {FIGURES: {"parameters": _described(figures, route), "schema": Figure.model_json_schema()}}


def _signature(handler: Callable[..., Any], names: list[str], axes: list[str]) -> inspect.Signature:
    """The handler's parameters, without the encoding of its arrays, and those of figures."""
    own = [each for name, each in inspect.signature(handler).parameters.items() if name != "encoding"]
    added = [
        inspect.Parameter("palette", KEYWORD, annotation=PaletteDep),
        inspect.Parameter("as_", KEYWORD, annotation=FORM),
        inspect.Parameter("draw", KEYWORD, annotation=Annotated[Literal[tuple(names)], DRAWN], default=names[0]),
    ]
    for axis in axes:
        chosen, default = (PartName | None, None) if axis == PART else (Annotated[Index, CHOSEN], 0)
        added.append(inspect.Parameter(axis, KEYWORD, annotation=chosen, default=default))
    parameters = [each.replace(kind=KEYWORD) for each in own]
    return inspect.Signature([*parameters, *added], return_annotation=Figure)


def _described(figures: FigureRoute, route: APIRoute) -> list[dict[str, Any]]:
    """What the OpenAPI document says of the parameters that a route has for its figures alone."""
    own = {field.alias for field in _query_fields(route.dependant)}
    parameters = []
    for field in _query_fields(figures.dependant):
        if field.alias not in own:
            info = field.field_info
            annotation: Any = Annotated[info.annotation, info]
            schema = TypeAdapter(annotation).json_schema()
            said = {"description": text} if (text := schema.pop("description", None)) else {}
            parameters.append({"name": field.alias, "in": "query", "required": False, **said, "schema": schema})
    return parameters


def _query_fields(dependant: Dependant) -> Iterator[Any]:
    yield from dependant.query_params
    for inner in dependant.dependencies:
        yield from _query_fields(inner)
