"""What handlers ask for, as annotated types."""

from typing import Annotated

from fastapi import Depends, Request

from server.settings import Settings


def _settings(request: Request) -> Settings:
    return request.app.state.settings


SettingsDep = Annotated[Settings, Depends(_settings)]
"""The operator's settings."""
