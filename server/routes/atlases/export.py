"""An atlas as a zip file of its folder."""

import zipfile
from collections.abc import Iterator
from typing import IO, cast

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from attention_core.atlas.reading.atlas import ABOUT, FILES, Atlas
from ...pages.export_files import EPOCH, Sink
from ...requests.bodies import BodyRoute
from ...requests.turns import turn_by_turn
from ..dependencies import AtlasDep

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)

CHUNK = 2**20
ZIP = {"schema": {"type": "string", "format": "binary"}}


@router.get("/{atlas_id}/export", response_class=Response, responses={200: {"content": {"application/zip": ZIP}}})
def get_atlas_export(atlas: AtlasDep, response: Response) -> Response:
    """The atlas' folder, zipped: JSON and Parquet, which DuckDB, pandas and Polars open."""
    headers = {**response.headers, "Content-Disposition": f'attachment; filename="atlas-{atlas.facts.id}.zip"'}
    return StreamingResponse(turn_by_turn(_zipped(atlas)), media_type="application/zip", headers=headers)


def _zipped(atlas: Atlas) -> Iterator[bytes]:
    """The archive in pieces; Parquet is compressed already, so nothing is compressed again."""
    sink = Sink()
    with zipfile.ZipFile(cast(IO[bytes], sink), "w") as archive:
        for name in (ABOUT, *FILES):
            path = atlas.folder / name
            member = zipfile.ZipInfo(f"{atlas.facts.id}/{name}", EPOCH)
            with path.open("rb") as file, archive.open(member, "w", force_zip64=True) as packed:
                while chunk := file.read(CHUNK):
                    packed.write(chunk)
                    yield sink.take()
    yield sink.take()
