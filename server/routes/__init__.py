"""One module per stem; this tuple is all there is to registering one."""

from fastapi import APIRouter

ROUTERS: tuple[APIRouter, ...] = ()
