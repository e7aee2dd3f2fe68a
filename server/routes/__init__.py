"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

from server.routes import (
    alibi,
    analyses,
    circle,
    embedding,
    health,
    kernel,
    kv_cache,
    linear,
    masks,
    models,
    order,
    projections,
    qk_norm,
    rope,
    scaling,
    scoring,
    sinusoidal,
    softmax,
)

ROUTERS: tuple[APIRouter, ...] = (
    alibi.router,
    analyses.router,
    circle.router,
    embedding.router,
    health.router,
    kv_cache.router,
    kernel.router,
    linear.router,
    masks.router,
    models.router,
    order.router,
    projections.router,
    qk_norm.router,
    rope.router,
    scaling.router,
    scoring.router,
    sinusoidal.router,
    softmax.router,
)
