"""Static files: content-hashed addresses, caching, compression."""

import gzip
import re
from pathlib import Path

import plotly.offline
import pytest

from server.web.assets import Assets


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "js" / "views").mkdir(parents=True)
    (tmp_path / "js" / "main.js").write_text('import "./views/grid.js";')
    (tmp_path / "js" / "views" / "grid.js").write_text("export {};")
    (tmp_path / "logo.svg").write_text("<svg/>")
    return tmp_path


def test_relative_imports_stay_within_one_version(tree):
    assets = Assets(tree)
    main, grid = assets.url("js/main.js"), assets.url("js/views/grid.js")
    assert re.fullmatch(r"/static/[0-9a-f]{20}/js/main\.js", main)
    assert grid == main.replace("main.js", "views/grid.js")
    assert assets.get(grid.removeprefix("/static/")).content == b"export {};"


def test_a_script_knows_every_module_it_leads_to(tree):
    (tree / "js" / "page.js").write_text(
        """/** @typedef {import("./types.js").View} View */\nimport {\n  one,\n  two,\n} from "./main.js";\n"""
        """import { plot } from "./views/plot.js";\n"""
    )
    (tree / "js" / "views" / "plot.js").write_text(
        'import "../main.js";\nexport * from "./grid.js";\nimport "../page.js";'
    )
    (tree / "js" / "types.js").write_text("export {};")
    assert Assets(tree).modules_of("js/page.js") == ["js/main.js", "js/views/grid.js", "js/views/plot.js"]


def test_a_changed_file_changes_every_address(tree):
    before = Assets(tree)
    assert Assets(tree).url("logo.svg") == before.url("logo.svg")
    (tree / "js" / "views" / "grid.js").write_text("export default 1;")
    after = Assets(tree)
    assert after.url("js/main.js") != before.url("js/main.js")
    assert after.get(before.url("js/main.js").removeprefix("/static/")) is None
    assert after.plotly_url == before.plotly_url


def test_a_renamed_file_changes_every_address_too(tree):
    before = Assets(tree).url("js/main.js")
    (tree / "logo.svg").rename(tree / "mark.svg")
    assert Assets(tree).url("js/main.js") != before


def test_files_keep_what_was_hashed(tree):
    assets = Assets(tree)
    path = assets.url("logo.svg").removeprefix("/static/")
    (tree / "logo.svg").write_text("<svg>changed</svg>")
    assert assets.get(path).content == b"<svg/>"


def test_a_template_cannot_name_a_file_that_is_not_there(tree):
    with pytest.raises(KeyError, match=r"no static file 'js/none\.js'"):
        Assets(tree).url("js/none.js")


@pytest.mark.full
def test_every_static_file_is_served_for_ever(app, client):
    types = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
    root = Path(__file__).parents[3] / "static"
    types_only = list(root.rglob("*.d.ts"))  # none before `make check`
    vendored = list((root / "vendor").rglob("*"))
    files = [path for path in root.rglob("*") if path.is_file() and path not in types_only + vendored]
    assert files
    for path in files:
        response = client.get(app.state.assets.url(path.relative_to(root).as_posix()))
        assert response.status_code == 200
        assert response.content == path.read_bytes()
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        if path.suffix in types:
            assert response.headers["content-type"] == types[path.suffix]


def test_types_are_not_served(tree):
    (tree / "js" / "schema.d.ts").write_text("export interface paths {}")
    with pytest.raises(KeyError):
        Assets(tree).url("js/schema.d.ts")


def test_plotly_is_its_package_s_file_of_the_python_package_s_version(root):
    folder, package = root / "static" / "vendor" / "plotly", root / "node_modules" / "plotly.js-cartesian-dist-min"
    for name in ("plotly-cartesian.min.js", "LICENSE"):
        assert (folder / name).read_bytes() == (package / name).read_bytes(), "copy it from the package, as it is"
    script = (folder / "plotly-cartesian.min.js").read_bytes()
    vendored = re.search(rb"plotly\.js \(cartesian - minified\) v(\S+)", script)
    assert vendored
    version = vendored[1].decode()
    assert version == plotly.offline.get_plotlyjs_version()
    for path in ("package.json", "package-lock.json"):
        pinned = re.search(r'"plotly\.js-cartesian-dist-min": "(.+)"', (root / path).read_text())
        assert pinned
        assert pinned[1] == version


def test_plotly_and_swagger_are_served_for_ever(app, client):
    assets = app.state.assets
    plotly = client.get(assets.plotly_url)
    assert b"plotly.js (cartesian" in plotly.content[:200]
    assert plotly.headers["content-type"] == "text/javascript; charset=utf-8"
    assert plotly.headers["cache-control"].endswith("immutable")
    assert b"SwaggerUIBundle" in client.get(assets.swagger_js_url).content
    assert b".swagger-ui" in client.get(assets.swagger_css_url).content


def test_text_is_compressed_for_who_can_read_it(app, client):
    with client.stream("GET", app.state.assets.plotly_url, headers={"Accept-Encoding": "gzip"}) as response:
        raw = b"".join(response.iter_raw())
    assert response.headers["content-encoding"] == "gzip"
    assert response.headers["vary"] == "Accept-Encoding"
    assert int(response.headers["content-length"]) == len(raw) < 520_000
    plain = client.get(app.state.assets.plotly_url, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(raw) == plain.content


@pytest.mark.full("x")
@pytest.mark.parametrize(
    "path",
    ["", "x", "../server/app.py", "%2e%2e/server/app.py", "{own}/../../server/app.py", "{own}/js", "{own}//etc/passwd"],
)
def test_nothing_else_is_served(app, client, assert_error, path):
    own = app.state.assets.url("js/page/api_docs.js").split("/")[2]
    assert_error(client.get(f"/static/{path.format(own=own)}"), 404, "not_found")


def test_only_reading_is_allowed(app, client, assert_error):
    url = app.state.assets.plotly_url
    head = client.head(url)
    assert (head.status_code, head.content) == (200, b"")
    assert_error(client.post(url), 405, "method_not_allowed")
