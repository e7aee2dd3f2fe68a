"""The image, built by a real engine from a checkout under umask 077, and run as compose.yaml has it.

`deploy/image/README.md` says what it needs; where that is missing, it is skipped.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import image_engine as engine
import pytest

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(engine.missing()), reason=engine.missing()),
]

PRIVATE = ("/app/models", "/app/corpora")
NAME = "localhost/attention-observatory:test"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image."""
    folder = tmp_path_factory.mktemp("image")
    engine.with_base(folder)
    engine.build(engine.strict_checkout(folder), NAME)
    return NAME


@pytest.fixture(scope="module")
def container(image: str) -> Iterator[engine.Container]:
    """One that has started."""
    found = engine.Container(image, "observatory-test", "observatory-test", engine.free_port())
    engine.run("podman", "volume", "create", found.volume)
    try:
        found.start()
        yield found
    finally:
        engine.run("podman", "rm", "--force", found.name, is_checked=False)
        engine.run("podman", "volume", "rm", "--force", found.volume, is_checked=False)


def test_it_holds_what_it_runs_and_nothing_private(container: engine.Container) -> None:
    listed = container.inside("find", "/app", "-path", "/app/.venv", "-prune", "-o", "-print")
    assert "/app/server/__main__.py" in listed
    assert not [line for line in listed.splitlines() if line.startswith(PRIVATE) or "/.env" in line]
    assert "/app/tests" not in listed


def test_it_runs_as_nobody_in_particular_and_writes_nothing(container: engine.Container) -> None:
    assert container.inside("id", "-u").strip() == "10001"
    status = container.inside("cat", "/proc/1/status")
    capabilities = [line.split()[1] for line in status.splitlines() if line.startswith(("CapEff", "CapBnd"))]
    assert [int(one, 16) for one in capabilities] == [0, 0]
    refused = container.inside("sh", "-c", "touch /app/server/x 2>&1 || true")
    assert "Read-only" in refused


def test_it_is_healthy_by_its_own_check(container: engine.Container) -> None:
    said = json.loads(engine.run("podman", "inspect", container.image))[0]
    assert "tools/healthcheck.py" in str(said["Healthcheck"])
    engine.run("podman", "healthcheck", "run", container.name)


def test_pages_analyses_and_a_training_run_answer(container: engine.Container) -> None:
    assert "<title>" in container.ask("/")
    model = container.ask("/api/models")["default"]
    found = container.ask("/api/analyses", {"model": model, "text": "The cat sat."})
    assert [token["text"] for token in found["tokens"]][1:4] == ["the", "cat", "sat"]
    started = container.ask("/api/training", {"steps": 20})
    assert container.ask(f"/api/training/{started['id']}")["id"] == started["id"]


def test_what_was_uploaded_outlives_a_stop(container: engine.Container) -> None:
    uploaded = container.ask("/api/corpora?name=cats.txt", b"The cat sat.\n\nThe dog ran.\n")
    assert container.stop() < 12
    container.start()
    assert uploaded["id"] in [one["id"] for one in container.ask("/api/corpora")["corpora"]]


def test_the_checkout_was_a_strict_one(tmp_path: Path) -> None:
    place = engine.strict_checkout(tmp_path)
    assert {path.stat().st_mode & 0o077 for path in [place, *place.rglob("*")]} == {0}
