"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import (
    Choose a whole attention by name, and put it on a circle

One call has to answer for any mechanism, position, mask and precision, and say which step overflowed instead of
handing out NaN; the circle is that call with vectors one can see,
    alibi,
    analyses,
    health,
    linear,
    models,
    rope,
    scaling,
)

ROUTERS: tuple[APIRouter, ...] = (
    Choose a whole attention by name, and put it on a circle

One call has to answer for any mechanism, position, mask and precision, and say which step overflowed instead of
handing out NaN; the circle is that call with vectors one can see..router,
    alibi.router,
    analyses.router,
    health.router,
    linear.router,
    models.router,
    rope.router,
    scaling.router,
)
