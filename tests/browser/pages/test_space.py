"""A Hugging Face Space: its front matter, and the server with exactly its settings in a frame of another origin."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import Browser, Route, expect

SPACE = "https://someone-attention-observatory.hf.space"
USER = 1000
OWN = os.geteuid() == 0


def front_matter(root: Path) -> dict[str, object]:
    return dict(yaml.safe_load((root / "deploy/space/README.md").read_text(encoding="utf-8").split("---\n")[1]))


def instructions(root: Path) -> list[tuple[str, str]]:
    """Those of the Dockerfile of a Space: the repository's own, and the lines put behind it."""
    texts = [(root / name).read_text(encoding="utf-8") for name in ("Dockerfile", "deploy/space/settings.Dockerfile")]
    lines = re.sub(r"\\\n", " ", "".join(texts)).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines if line and line[0].isupper())]


def environment(root: Path) -> dict[str, str]:
    words = [word for name, rest in instructions(root) if name == "ENV" for word in shlex.split(rest)]
    return dict(word.split("=", 1) for word in words)


def test_front_matter_and_dockerfile_agree(root: Path) -> None:
    said = front_matter(root)
    assert (said["sdk"], said["license"], said["app_port"]) == ("docker", "mit", 7860)
    assert {said["colorFrom"], said["colorTo"]} <= {
        "red",
        "yellow",
        "green",
        "blue",
        "indigo",
        "purple",
        "pink",
        "gray",
    }
    assert len(str(said["short_description"])) <= 60  # the Hub's limit
    last = dict(instructions(root))
    assert last["USER"] == f"{USER}:{USER}"
    assert int(last["EXPOSE"]) == said["app_port"] == int(environment(root)["PORT"])
    assert environment(root)["HOST"] == "0.0.0.0"  # noqa: S104 - inside the container


def can_run(python: str) -> bool:
    """Whether the user of a Space may run this Python."""
    try:
        return subprocess.run([python, "-c", ""], user=USER, group=USER, extra_groups=[], check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture(scope="module")
def space(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server's own address. It runs as the user of a Space where that user may run this Python."""
    folder = tmp_path_factory.mktemp("space")
    home, atlases = folder / "hub", folder / "atlases"
    as_user = {"user": USER, "group": USER, "extra_groups": []} if OWN and can_run(sys.executable) else {}
    for made in (home, atlases):
        made.mkdir()
        made.chmod(0o1777)
    for above in (folder, folder.parent) if as_user else ():
        above.chmod(0o755)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "OBSERVATORY_"))}
    settings = environment(root) | {
        "HOST": "127.0.0.1",
        "PORT": "0",
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "OBSERVATORY_ATLASES_DIR": str(atlases),
        "OBSERVATORY_PREPARE_ATLASES": "false",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "server"],
            cwd=root,
            env=inherited | settings,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            **as_user,  # type: ignore[call-overload]
        ) as server,
    ):
        said = server.stdout.readline()
        if not said:
            pytest.fail(f"the server did not start:\n{(folder / 'log').read_text()}")
        yield said.split()[-1]
        server.terminate()
    assert "Traceback" not in (folder / "log").read_text()


def asked(
    address: str, path: str, host: str, method: str = "GET", body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    """What the server answers to the proxy of the Hub, which ends TLS."""
    headers = {"Host": host, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7", "Accept": "*/*"}
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=60)) as connection:
        connection.request(method, path, body, headers | ({"Content-Type": "application/json"} if body else {}))
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


@pytest.mark.parametrize(
    ("parent", "is_shown"),
    [("https://huggingface.co/spaces/someone/attention-observatory", True), ("https://elsewhere.example/page", False)],
)
def test_it_stands_in_a_frame_of_the_hub_and_of_no_other(
    browser: Browser,
    space: str,
    parent: str,
    is_shown: bool,
) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    host = urlsplit(SPACE).netloc
    errors: list[str] = []

    def answer(route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.netloc != host:
            frame = f'<!doctype html><title>Hub</title><iframe src="{SPACE}/" width="1300" height="700"></iframe>'
            route.fulfill(content_type="text/html", body=frame)
            return
        path = url.path + (f"?{url.query}" if url.query else "")
        status, headers, body = asked(space, path, host, route.request.method, route.request.post_data_buffer)
        route.fulfill(status=status, headers=headers, body=body)

    context.route("**/*", answer)
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    heading = page.frame_locator("iframe").locator("h1").first
    if is_shown:
        page.goto(parent)
        expect(heading).to_be_attached(timeout=30_000)
        expect(page.frame_locator("iframe").locator("canvas").first).to_be_visible(timeout=60_000)
        assert errors == []
    else:
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(parent)
        expect(heading).to_have_count(0)
    context.close()


def test_hosts_and_scheme_behind_its_proxy(space: str) -> None:
    host = urlsplit(SPACE).netloc
    status, _, body = asked(space, f"/api/oembed?url={SPACE}/circle&format=json", host)
    assert (status, SPACE in body.decode()) == (200, True)
    assert asked(space, "/", "evil.example")[0] == 400
    assert asked(space, "/healthz", urlsplit(space).netloc)[0] == 200
