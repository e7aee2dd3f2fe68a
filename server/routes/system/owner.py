"""Giving up what says whose uploads and runs are: on a machine that others use next, nobody should be taken for one.

A browser keeps the secret (``server/web/owners.py``) at the address below which it was given, and only an answer from
there can delete it, whatever the path under which a proxy offers us. So each such address has a route.
"""

from fastapi import APIRouter

from ...requests.bodies import BodyRoute
from ...web import owners

router = APIRouter(tags=["owner"], route_class=BodyRoute)


@router.delete("/api/owner", status_code=204)
async def delete_owner() -> None:
    """Have the browser delete the cookie that says which uploads, scans and runs are its own.

    They stay, and are nobody's to end. Not that of loaded models: `DELETE /api/models/owner`.
    """
    owners.give_up()


@router.delete("/api/models/owner", status_code=204)
async def delete_owner_of_models() -> None:
    """Have the browser delete the cookie that says which models it has asked to load."""
    owners.give_up()
