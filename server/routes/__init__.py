"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import (
    analyses,
    health,
    linear,
    models,
    rope,
)

ROUTERS: tuple[APIRouter, ...] = (
    models.router,
    health.router,
    analyses.router,
    linear.router,
    rope.router,
)
