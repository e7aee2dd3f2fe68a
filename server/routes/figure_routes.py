"""``…/figure`` beside a route: what its answer holds, as a Plotly figure.

The figure's route takes what the route itself takes, and besides: ``draw``, the part of the answer that is drawn; an
index for each axis that this part has besides those of the figure (``head=2``); and the ``theme``.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute

from ..answers.answer_paths import PART, Drawn
from ..answers.drawings import Drawing
from ..answers.figures import Figure
from ..requests.bounded import Index, PartName
from ..requests.turns import in_turn
from .dependencies import PaletteDep

KEYWORD = inspect.Parameter.KEYWORD_ONLY
CHOSEN = Query(description="Which one, from 0; for parts of the answer that have several.")


def add_figures(
    router: APIRouter,
    handler: Callable[..., Any],
    drawings: Mapping[str, Drawing],
    *,
    beside: Callable[..., Any] | None = None,
) -> None:
    """Add the route of a handler's figures; the first is drawn unless another is asked for.

    ``beside``: whose route they are beside, where their numbers are part of what a larger handler answers.
    """
    neighbour = handler if beside is None else beside
    route = next(
        each for each in router.routes if isinstance(each, APIRoute) and inspect.unwrap(each.endpoint) is neighbour
    )
    own = inspect.signature(handler).parameters
    axes = list(dict.fromkeys(axis for each in drawings.values() for axis in each.axes if axis not in own))

    async def draw_figure(*, palette: PaletteDep, draw: str = next(iter(drawings)), **given: Any) -> Figure:
        at = {axis: given.pop(axis) for axis in axes}
        if inspect.iscoroutinefunction(handler):
            answer = await handler(**given)
        else:
            answer = await in_turn(handler, **given)
        return await in_turn(drawings[draw].figure, Drawn(draw, answer, given, at), palette)

    names = ", ".join(f"`{name}`" for name in drawings)
    draw_figure.__name__ = f"{neighbour.__name__}_figure"
    draw_figure.__doc__ = f"The same as a Plotly figure: {names}."
    draw_figure.__signature__ = _signature(handler, list(drawings), axes)  # type: ignore[attr-defined]
    path = f"{route.path.removeprefix(router.prefix)}/figure"
    router.add_api_route(path, draw_figure, methods=list(route.methods or ()), response_model=Figure)


def _signature(handler: Callable[..., Any], names: list[str], axes: list[str]) -> inspect.Signature:
    """The handler's parameters, without the encoding of its arrays, and those of figures."""
    own = [each for name, each in inspect.signature(handler).parameters.items() if name != "encoding"]
    part: Any = Annotated[Literal[tuple(names)], Query(description="What of the answer is drawn.")]
    added = [inspect.Parameter("palette", KEYWORD, annotation=PaletteDep)]
    if len(names) > 1:
        added.append(inspect.Parameter("draw", KEYWORD, annotation=part, default=names[0]))
    for axis in axes:
        chosen, default = (PartName | None, None) if axis == PART else (Annotated[Index, CHOSEN], 0)
        added.append(inspect.Parameter(axis, KEYWORD, annotation=chosen, default=default))
    parameters = [each.replace(kind=KEYWORD) for each in own]
    return inspect.Signature([*parameters, *added], return_annotation=Figure)
