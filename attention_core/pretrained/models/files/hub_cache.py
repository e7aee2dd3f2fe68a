"""The models in the local cache of the Hugging Face Hub's client, read from its folders; no network.

A repository is ``models--<owner>--<name>`` with ``refs/main``, which names a commit, and ``snapshots/<commit>``.
"""

import logging
from contextlib import suppress
from pathlib import Path

from huggingface_hub import constants

from attention_core import foreign_files
from attention_core.foreign_files import ForeignFileError, changed_at, is_folder
from attention_core.pretrained.models.files.adapters import is_adapter
from attention_core.pretrained.models.files.folders import is_whole

PREFIX = "models--"
REFERENCE_BYTES = 1024
"""Of a file that names a commit."""

logger = logging.getLogger(__name__)


def cache_folder(cache_dir: Path | None = None) -> Path:
    """The folder of a cache: the client's own (HF_HOME) unless one is given."""
    return Path(cache_dir or constants.HF_HUB_CACHE)


def repository_of(cache: Path, model_id: str) -> Path:
    """Where a cache has a model."""
    return cache / f"{PREFIX}{model_id.replace('/', '--')}"


def cached_models(cache_dir: Path | None) -> dict[str, Path]:
    """The snapshot of every model in the cache, whole or not, by id; the client's own cache unless one is given."""
    root = cache_folder(cache_dir)
    try:
        repositories = [path for path in foreign_files.entries(root) if path.name.startswith(PREFIX)]
    except ForeignFileError as error:
        if foreign_files.is_there(root):
            logger.warning("the hub's cache cannot be read: %s", error)
        return {}
    snapshots = ((_model_id(path), _snapshot(path)) for path in repositories)
    return {model_id: snapshot for model_id, snapshot in snapshots if model_id and snapshot}


def _model_id(repository: Path) -> str | None:
    model_id = repository.name.removeprefix(PREFIX).replace("--", "/")
    return model_id if model_id.isprintable() and model_id.count("/") <= 1 else None


def _snapshot(repository: Path) -> Path | None:
    """The snapshot that ``refs/main`` names if it can be used; else the newest that can; else main's, or the newest.

    Main's may be a partial download, or the configuration alone of a commit that came after the weights.
    """
    snapshots = repository / "snapshots"
    main: Path | None = None
    with suppress(ForeignFileError, ValueError):  # no such reference
        commit = foreign_files.read(repository / "refs" / "main", REFERENCE_BYTES).decode("utf-8").strip()
        if commit and Path(commit).name == commit and is_folder(snapshots / commit):
            main = snapshots / commit
    try:
        newest = sorted(filter(is_folder, foreign_files.entries(snapshots)), key=_changed, reverse=True)
    except ForeignFileError:
        return main
    ordered = [*([main] if main else []), *newest]
    return next((path for path in ordered if is_whole(path) or is_adapter(path)), ordered[0] if ordered else None)


def _changed(path: Path) -> tuple[int, str]:
    return changed_at(path), path.name
