"""Every response carries the security headers."""

import base64
import hashlib
import re

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

POLICY = (
    "default-src 'self'; script-src 'self' {inline}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def hashed(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(device="cpu", hub_models=(), preload=False, max_body_bytes=1024)


@pytest.mark.full
def test_headers_on_every_kind_of_answer(app, client, assert_error):
    @app.get("/bug")
    def bug() -> None:
        raise LookupError("secret")

    plotly = app.state.assets.plotly_url
    page = client.get("/")
    policy = POLICY.format(inline=hashed(INLINE.findall(page.text)[0]))
    answers = [
        (200, page),
        (304, client.get("/", headers={"If-None-Match": page.headers["etag"]})),
        (200, client.get("/api/models")),
        (200, client.get("/api/docs")),
        (200, client.get("/api/openapi.json")),
        (200, client.get("/healthz")),
        (200, client.get("/metrics")),
        (200, client.get(plotly)),
        (200, client.head(plotly)),
        (404, client.get("/static/0/nothing.js")),
        (404, client.get("/nothing")),
        (405, client.put("/api/models")),
        (413, client.post("/api/analyses", content=b" " * 1025)),
        (422, client.post("/api/analyses", json={})),
        (404, client.post("/api/analyses", json={"model": "x", "text": "a"})),
        (500, client.get("/bug")),
        (307, client.get("/api/models/", follow_redirects=False)),
    ]
    for status, response in answers:
        assert response.status_code == status, response.url
        assert response.headers["content-security-policy"] == policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "camera=()" in response.headers["permissions-policy"]
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.full("/rope")
@pytest.mark.parametrize("path", ["/", "/rope", "/lessons", "/api/docs", "/embed/explorer", "/embed/rope", "/no-page"])
def test_the_policy_allows_the_script_in_the_page_and_no_other(client, path):
    page = client.get(path, headers={"Accept": "text/html"})
    [script] = INLINE.findall(page.text)
    assert "observatory-theme" in script
    [sources] = re.findall(r"script-src ([^;]+);", page.headers["content-security-policy"])
    assert sources == f"'self' {hashed(script)}"


@pytest.mark.full
def test_the_operator_says_who_may_frame():
    settings = Settings(hub_models=(), preload=False, frame_ancestors="'self'  https://*.example.org")
    with TestClient(create_app(settings)) as client:
        headers = client.get("/healthz").headers
    assert headers["content-security-policy"].endswith("; frame-ancestors 'self' https://*.example.org")
    assert headers["cross-origin-resource-policy"] == "cross-origin"


def test_no_line_can_be_smuggled_into_the_header():
    assert Settings(frame_ancestors="'self'\r\n https://a.example").frame_ancestors == "'self' https://a.example"


@pytest.mark.parametrize("value", ["", "'self'; script-src *", "https://a,https://b", "'unsafe-inline'"])
def test_what_is_no_source_is_refused(value):
    with pytest.raises(ValueError, match="frame_ancestors must be CSP sources"):
        Settings(frame_ancestors=value)
