"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import (
    linear,
    rope,
)

ROUTERS: tuple[APIRouter, ...] = (
    linear.router,
    rope.router,
)
