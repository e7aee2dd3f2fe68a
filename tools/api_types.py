"""Make `static/js/api/schema.d.ts`, the types of the API's requests and answers, from the OpenAPI document.

`make check` runs it before tsc; git does not keep the file. openapi-typescript needs a TypeScript with a JavaScript
API, not the one that checks our scripts, so both are pinned in a folder of their own and installed when needed. A stamp
in the first line identifies the document, the tools and the text: where nothing has changed nothing is made.
"""

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from prepare import prepare_node_modules

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from server.app import create_app  # noqa: E402
from server.settings import Settings  # noqa: E402

GENERATOR = ROOT / "tools" / "openapi_typescript"
TARGET = ROOT / "static" / "js" / "api" / "schema.d.ts"
HEAD = "// Made by `make check` from the OpenAPI document. Stamp: "


def main() -> None:
    """Make the types, unless they are there."""
    if not is_current():
        document = api_document()
        made = typescript(document)
        TARGET.write_text(f"{HEAD}{stamp(document, made)}\n{made}", encoding="utf-8")


def typescript(document: str) -> str:
    """What openapi-typescript makes of a document."""
    prepare_node_modules(GENERATOR)
    # A field with a default may be left out of a request; the document itself says that answers always have it.
    cli = GENERATOR / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
    command = ["node", str(cli), "--default-non-nullable=false"]
    return subprocess.run(command, input=document, capture_output=True, text=True, check=True).stdout


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
        return [_without_titles(part) for part in schema]
    if isinstance(schema, dict):
        kept = (name for name, value in schema.items() if name != "title" or not isinstance(value, str))
        return {name: _without_titles(schema[name]) for name in kept}
    return schema


def stamp(document: str, made: str) -> str:
    """A hash that shows whether types belong to a document and these tools, and are unedited."""
    tools = (GENERATOR / "package-lock.json").read_text(encoding="utf-8")
    return hashlib.sha256(f"{document}\0{tools}\0{made}".encode()).hexdigest()


def is_current() -> bool:
    """Whether there are types, and they are those of the routes."""
    if not TARGET.exists():
        return False
    head, _, made = TARGET.read_text(encoding="utf-8").partition("\n")
    return head == HEAD + stamp(api_document(), made)


if __name__ == "__main__":
    main()
