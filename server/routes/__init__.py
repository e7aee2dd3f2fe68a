"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import (
    alibi,
    analyses,
    embedding,
    health,
    kernel,
    linear,
    models,
    order,
    projections,
    qk_norm,
    rope,
    scaling,
    sinusoidal,
)

ROUTERS: tuple[APIRouter, ...] = (
    alibi.router,
    analyses.router,
    embedding.router,
    health.router,
    kernel.router,
    linear.router,
    models.router,
    order.router,
    projections.router,
    qk_norm.router,
    rope.router,
    scaling.router,
    sinusoidal.router,
)
