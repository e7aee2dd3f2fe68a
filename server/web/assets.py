"""Static files at content-hashed addresses, cached forever.

``/static/<hash>/js/explorer/index.js``: the hash covers the whole tree, so a module's relative imports resolve to
addresses with the same hash, and a changed file changes all addresses. Any other hash is 404, so that a page cannot mix
files of two versions. What others made (Plotly, Swagger UI) has addresses of its own, which new versions of ours leave
as they are.

Everything is read once at start-up, so that what is sent is what was hashed.
"""

import gzip
import hashlib
import importlib.util
import mimetypes
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from fastapi import APIRouter, Request, Response

from .errors import ApiError
from .rendering import in_blocks
from .shipped import ROOT

STATIC = ROOT / "static"
VENDOR = "vendor"
PLOTLY = f"{VENDOR}/plotly/plotly-cartesian.min.js"
"""The partial bundle, a third of the one in the package ``plotly``, and of the same version."""
SWAGGER = ("fastapi_standalone_docs", "static/swagger")
HASH_BYTES = 10
FOREVER = "public, max-age=31536000, immutable"
TEXT_TYPES = ("text/", "application/json", "application/manifest+json", "image/svg+xml")
MEDIA_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Types for which the machine's own list may be wrong or incomplete."""
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*"(\.[^"]+)";', re.MULTILINE)
"""A module's imports; those in JSDoc comments are preceded by a star."""
DEFERRED = re.compile(r'=> import\("(\.[^"]+)"\)(?![.\w])')
"""What a module imports when it is needed; the import in a JSDoc type is followed by a name."""


@dataclass(frozen=True, eq=False)
class Asset:
    """One file."""

    content: bytes
    media_type: str

    @property
    def is_text(self) -> bool:
        """Whether compression helps."""
        return self.media_type.startswith(TEXT_TYPES)

    @cached_property
    def compressed(self) -> bytes:
        """Gzipped once, on first use."""
        return gzip.compress(self.content, mtime=0)


class Assets:
    """Every file by its address below ``/static/``."""

    def __init__(self, static: Path = STATIC) -> None:
        self._by_path: dict[str, Asset] = {}
        files = {path.relative_to(static).as_posix(): path for path in sorted(static.rglob("*")) if _is_served(path)}
        self._own = self._add({name: path for name, path in files.items() if not name.startswith(f"{VENDOR}/")})
        self.plotly_url = self._add_file(STATIC / PLOTLY)
        swagger = _in_package(*SWAGGER)
        self.swagger_js_url = self._add_file(swagger / "swagger-ui-bundle.js")
        self.swagger_css_url = self._add_file(swagger / "swagger-ui.css")

    @property
    def plotly(self) -> Asset:
        """The charting library."""
        return self._by_path[self.plotly_url.removeprefix("/static/")]

    def url(self, path: str) -> str:
        """The address of one of our own files. Raises KeyError for an unknown file."""
        key = f"{self._own}/{path}"
        if key not in self._by_path:
            raise KeyError(f"no static file {path!r}")
        return f"/static/{key}"

    def own(self, path: str) -> str:
        """The text of one of our own files. Raises KeyError for an unknown file."""
        return self.text(self.url(path).removeprefix("/static/"))

    def is_own(self, address: str) -> bool:
        """Whether one of our own files, and nothing made of them, is at this address below ``/static/``."""
        return address.startswith(f"{self._own}/")

    def text(self, address: str) -> str:
        """The text at an address below ``/static/``. Raises KeyError for an unknown one."""
        if address not in self._by_path:
            raise KeyError(f"no static file {address!r}")
        return self._by_path[address].content.decode()

    def add(self, name: str, text: str) -> str:
        """Serve a text that was made of our files; its address holds its hash."""
        content = text.encode()
        digest = hashlib.blake2b(content, digest_size=HASH_BYTES).hexdigest()
        self._by_path[f"{digest}/{name}"] = Asset(content, _media_type(Path(name)))
        return f"/static/{digest}/{name}"

    def get(self, path: str) -> Asset | None:
        """The file at this address below ``/static/``."""
        return self._by_path.get(path)

    def modules_of(self, path: str, *, deferred: bool = False) -> list[str]:
        """Every module that a script imports, transitively and without itself; ``deferred``: later ones too."""
        paths: set[str] = set()
        waiting = [path]
        while waiting:
            name = waiting.pop()
            source = self.own(name)
            targets = IMPORT.findall(source) + (DEFERRED.findall(source) if deferred else [])
            imported = {posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) for target in targets}
            waiting += sorted(imported - paths)
            paths |= imported
        return sorted(paths - {path})

    def _add_file(self, path: Path) -> str:
        return f"/static/{self._add({path.name: path})}/{path.name}"

    def _add(self, files: Mapping[str, Path]) -> str:
        digest = hashlib.blake2b(digest_size=HASH_BYTES)
        assets: dict[str, Asset] = {}
        for name, path in files.items():
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
            assets[name] = Asset(content, _media_type(path))
        tree = digest.hexdigest()
        self._by_path |= {f"{tree}/{name}": asset for name, asset in assets.items()}
        return tree


@cache
def own_assets() -> Assets:
    """Return the files that come with this package, read once in a process."""
    return Assets()


def beside(address: str) -> str:
    """An address below ``/static/`` as it is from a file that was made of ours."""
    return address.replace("/static/", "../", 1)


def _is_served(path: Path) -> bool:
    """Whether a file is served; type declarations are only for development."""
    return path.is_file() and not path.name.endswith(".d.ts")


def _in_package(package: str, path: str) -> Path:
    """A file of an installed package, found without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0]) / path


def _media_type(path: Path) -> str:
    return MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


router = APIRouter(include_in_schema=False)


@router.api_route("/static/{path:path}", methods=["GET", "HEAD"])
def static_file(request: Request, path: str) -> Response:
    """Serve one file with its type, cached forever."""
    asset = request.app.state.assets.get(path)
    if asset is None:
        raise ApiError(404, "not_found", "There is no such file.")
    response_headers = {"Cache-Control": FOREVER}
    content = asset.content
    if asset.is_text:
        response_headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("accept-encoding", ""):
            response_headers["Content-Encoding"] = "gzip"
            content = asset.compressed
    return in_blocks(Response(content, media_type=asset.media_type, headers=response_headers))
