"""Take the room that measures reach into the client's wheel: one implementation, in the repository's core."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOM = Path(__file__).resolve().parent.parent / "attention_core" / "reach"
INSIDE = "attention_observatory/reach_core"


class ReachHook(BuildHookInterface):  # type: ignore[type-arg,misc]  # hatchling's own types differ by version
    """Adds the room's modules where the client is built in its repository; elsewhere the client is built without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Called before a build."""
        carried = {str(path): f"{INSIDE}/{path.name}" for path in sorted(ROOM.glob("*.py"))}
        build_data["force_include"].update(carried)
