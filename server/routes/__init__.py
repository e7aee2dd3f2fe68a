"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import linear

ROUTERS: tuple[APIRouter, ...] = (linear.router,)
