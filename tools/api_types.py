"""Generate `static/js/api/schema.d.ts`, the types of the API's requests and answers, from the OpenAPI document.

Run `make api-types` after changing a route, a request or an answer. openapi-typescript needs a TypeScript with a
JavaScript API, not the one that checks our scripts, so both are pinned in a folder of their own and installed when
needed. A stamp in the first line identifies the document and the generated text, so that a test can check them without
either tool.
"""

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from server.app import create_app  # noqa: E402
from server.settings import Settings  # noqa: E402

GENERATOR = ROOT / "tools" / "openapi_typescript"
TARGET = ROOT / "static" / "js" / "api" / "schema.d.ts"
HEAD = "// Made by `make api-types` from the OpenAPI document. Do not edit. Stamp: "


def main() -> None:
    """Regenerate the types."""
    packages = GENERATOR / "node_modules" / "openapi-typescript"
    if not packages.is_dir():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=GENERATOR, check=True)
    document = api_document()
    # A field with a default may be left out of a request; the document itself says that answers always have it.
    command = ["node", str(packages / "bin" / "cli.js"), "--default-non-nullable=false"]
    made = subprocess.run(command, input=document, capture_output=True, text=True, check=True).stdout
    TARGET.write_text(f"{HEAD}{stamp(document, made)}\n{made}", encoding="utf-8")


def default_document() -> dict[str, Any]:
    """The OpenAPI document under the default settings, whatever the environment says; each caller's own."""
    document: dict[str, Any] = json.loads(_default_text())
    return document


@cache
def _default_text() -> str:
    return json.dumps(create_app(Settings.model_construct()).openapi())


def api_document() -> str:
    """The document reduced to what affects types: without its version and error responses, which share one shape."""
    document = default_document()
    document["info"]["version"] = ""
    for operations in document["paths"].values():
        for operation in operations.values():
            answers: dict[str, Any] = operation["responses"]
            operation["responses"] = {status: answer for status, answer in answers.items() if status.startswith("2")}
    return json.dumps(_without_titles(document))


def _without_titles(schema: Any) -> Any:
    """Drop the titles that the framework derives from names."""
    if isinstance(schema, list):
        return [_without_titles(one) for one in schema]
    if isinstance(schema, dict):
        kept = (name for name, value in schema.items() if name != "title" or not isinstance(value, str))
        return {name: _without_titles(schema[name]) for name in kept}
    return schema


def stamp(document: str, made: str) -> str:
    """A hash that shows whether types belong to a document and are unedited."""
    return hashlib.sha256(f"{document}\0{made}".encode()).hexdigest()


def is_current() -> bool:
    """Whether the types in the checkout match its routes."""
    head, _, made = TARGET.read_text(encoding="utf-8").partition("\n")
    return head == HEAD + stamp(api_document(), made)


if __name__ == "__main__":
    main()
