"""The folders that the server writes to: what each is called where it has no room, and the bytes that are free."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from attention_core.disk_room import free_bytes
from attention_core.pretrained.models.files.hub_cache import cache_folder
from attention_core.refusal import Sentence
from ..settings import Settings

ATLASES = Sentence("The folder of atlases and uploaded corpora (OBSERVATORY_ATLASES_DIR)")
SHARED = Sentence("The shared folder (OBSERVATORY_SHARED_DIR)")
TEMPORARY = Sentence("The folder of temporary files (TMPDIR)")


class FolderMetrics(Collector):
    """The disks of these folders. May be read in any thread."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders

    def collect(self) -> Iterable[Metric]:
        """The metrics, as they are now; of a folder whose disk cannot be asked, none."""
        free = GaugeMetricFamily(
            "observatory_disk_free_bytes", "Bytes that the disk of a folder has left.", labels=["folder"]
        )
        for name, folder in self._folders.items():
            if (available := free_bytes(folder)) is not None:
                free.add_metric([name], available)
        return (free,)


def written_folders(settings: Settings) -> dict[str, Path]:
    """Where these settings have the server write, by a short name; what is no folder of this machine is left out."""
    folders = {
        "atlases": settings.atlases_folder,
        "hub": cache_folder(),
        "temporary": Path(tempfile.gettempdir()),
    }
    if settings.shared_dir is not None and "://" not in settings.shared_dir:
        folders["shared"] = Path(settings.shared_dir)
    return folders
