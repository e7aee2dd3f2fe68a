"""The application: settings in, everything built and wired, nothing global."""

from fastapi import FastAPI

from server import errors
from server.routes import ROUTERS
from server.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application; settings come from the environment unless given."""
    settings = settings or Settings()
    app = FastAPI(
        title="Attention Observatory",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses={"default": {"model": errors.ErrorResponse, "description": "Any failure"}},
    )
    app.state.settings = settings
    errors.register(app)
    app.add_middleware(errors.BodyLimit, limit=settings.max_body_bytes)
    app.add_middleware(errors.ErrorBoundary)
    for router in ROUTERS:
        app.include_router(router)
    return app
