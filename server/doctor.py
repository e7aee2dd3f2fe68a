"""``attention-observatory doctor``: what the server would find here, and what to do about what it would not.

Everything is looked at in the way the server does, but nothing is loaded, fetched or changed.
"""

import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from huggingface_hub import constants

from . import __version__
from .settings import Settings, wrong_settings
from .web.shipped import PACKAGE

if TYPE_CHECKING:  # at run time torch may be missing
    from attention_core.pretrained.models.entries import ModelEntry

SHOWN_PACKAGES = ("torch", "transformers", "fastapi", "uvicorn", "plotly", "duckdb", "ray")
OPTIONAL = frozenset({"ray"})
PREFIX = "OBSERVATORY_"
CREDENTIALS = re.compile(r"(://)[^/@\s]+@")
"""Of an address, which may be that of a shared folder."""
SCARCE_BYTES = 2**30
"""With less room on the disk, fetching a model or scanning a corpus may fail."""
WIDTH = 16


@dataclass
class Report:
    """Lines by heading, and the problems with what to do about each."""

    sections: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, section: str, name: str, said: str) -> None:
        """One line."""
        self.sections.setdefault(section, []).append((name, said))

    def text(self) -> str:
        """The whole report, for a terminal."""
        lines = [f"Attention Observatory {__version__}, {PACKAGE}"]
        for title, entries in self.sections.items():
            wide = max(WIDTH, *(len(name) for name, _ in entries))
            lines += ["", title, *(f"  {name:<{wide}}  {said}".rstrip() for name, said in entries)]
        problems = [f"  {number}. {problem}" for number, problem in enumerate(self.problems, start=1)]
        return "\n".join([*lines, "", "Problems", *(problems or ["  none"])])


def examine(host: str, port: int, environment: Mapping[str, str] = os.environ) -> Report:
    """Look at this machine as the server would."""
    report = Report()
    _packages(report)
    settings = _settings(report, environment)
    _models(report, settings)
    _folders(report, settings)
    _address(report, host, port)
    return report


def _packages(report: Report) -> None:
    report.add("Installed", "Python", f"{sys.version.split()[0]}, {sys.executable}")
    for name in SHOWN_PACKAGES:
        try:
            report.add("Installed", name, version(name))
        except PackageNotFoundError:
            report.add("Installed", name, "not here")
            if name not in OPTIONAL:
                report.problems.append(f"{name} is not installed: pip install . in the repository brings it.")


def _settings(report: Report, environment: Mapping[str, str]) -> Settings:
    """The settings, or the defaults where they cannot be used; what deviates is listed."""
    settings_given = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    for name, value in sorted(settings_given.items()):
        report.add("Settings", name, CREDENTIALS.sub(r"\1…@", value))
        if name not in known:
            report.problems.append(f"{name} is no setting and changes nothing; docs/settings.md lists them all.")
    if not settings_given:
        report.add("Settings", "all", "as by default")
    try:
        return Settings()
    except ValueError as error:
        report.problems.append(f"The settings cannot be used: {wrong_settings(error)}")
        return Settings.model_construct()


def _models(report: Report, settings: Settings) -> None:
    try:
        from attention_core.pretrained.models.sources import missing_packages  # noqa: PLC0415 - torch may be missing
        from .app import catalog_of  # noqa: PLC0415

        catalog = catalog_of(settings)
    except (ImportError, OSError, ValueError) as error:
        report.problems.append(f"No model can be loaded: {error}")
        return
    report.add("Models", "device", f"{catalog.device}, {str(catalog.dtype).removeprefix('torch.')}")
    missing = {packaged.id: packaged for packaged in missing_packages()}
    for entry in catalog.entries(ask_hub=False):
        size = f", {_bytes(entry.size_bytes)}" if entry.size_bytes else ""
        report.add("Models", entry.id, f"ready ({entry.source}{size})" if entry.available else _why_not(entry))
        if entry.id in missing:
            report.problems.append(f"{entry.id} is missing. {missing[entry.id].remedy}")
    report.problems += _damaged()


def _why_not(entry: "ModelEntry") -> str:
    if entry.source == "hub" and not entry.is_here:
        return f"not here; fetched when it is asked for{' (HF_HUB_OFFLINE forbids it)' * constants.HF_HUB_OFFLINE}"
    return f"not usable: {entry.reason}"


def _damaged() -> Iterator[str]:
    """Packaged weights that are not what was published."""
    from attention_core.pretrained.errors import ModelUnavailableError  # noqa: PLC0415
    from attention_core.pretrained.models.sources import check_hash, package_folders  # noqa: PLC0415

    for place in package_folders():
        try:
            check_hash(place)
        except (ModelUnavailableError, OSError) as error:
            yield f"{place.id}: {error}"


def _folders(report: Report, settings: Settings) -> None:
    _folder(report, "models", settings.models_dir, f"none; {PREFIX}MODELS_DIR names one", writes=False)
    _folder(report, "corpora", settings.corpora_dir, f"none; {PREFIX}CORPORA_DIR names one", writes=False)
    _folder(report, "atlases", settings.atlases_folder, "", writes=True)
    _folder(report, "hub cache", Path(constants.HF_HUB_CACHE), "", writes=True)


def _folder(report: Report, name: str, path: Path | None, otherwise: str, *, writes: bool) -> None:
    if path is None:
        report.add("Folders", name, otherwise)
        return
    there = next((each for each in (path, *path.parents) if each.exists()), path)
    if not writes:
        if not (path.is_dir() and os.access(path, os.R_OK)):
            report.problems.append(f"The folder of {name}, {path}, is not there or cannot be read.")
        report.add("Folders", name, str(path))
        return
    free = shutil.disk_usage(there).free
    report.add("Folders", name, f"{path}{'' if path.exists() else ' (to be made)'}, {_bytes(free)} free")
    if not os.access(there, os.W_OK):
        report.problems.append(f"{there} cannot be written to, so {name} cannot be kept there.")
    elif free < SCARCE_BYTES:
        report.problems.append(f"{there} has only {_bytes(free)} free.")


def _address(report: Report, host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
        report.add("Address", f"{host}:{port}", "free")
    except OSError as error:
        report.add("Address", f"{host}:{port}", error.strerror or str(error))
        report.problems.append(f"{host}:{port} cannot be had ({error.strerror}); choose another with --port or PORT.")


def _bytes(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
