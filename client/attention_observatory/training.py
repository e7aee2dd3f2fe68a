"""A training run: its curves, its maps, and the network it ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.arrays import needed, np, with_arrays
from attention_observatory.connection import ObservatoryError
from attention_observatory.figures import figure_at
from attention_observatory.progress import Bar, Progress

LOST = "the connection to the training run ended before it did"


class TrainingRun:
    """A network that learns on the server."""

    def __init__(self, api: Operations, answer: dict[str, Any]) -> None:
        self.api = api
        self.answer = answer
        """The run as the API answered when it began."""
        self.state: dict[str, Any] = answer
        """How far it is, as far as it was followed."""
        self.updates: list[dict[str, Any]] = []
        """What was recorded so far: ``step``, ``loss``, ``scores`` and ``maps`` of every head."""

    def __repr__(self) -> str:
        return f"<TrainingRun {self.id}: {self.answer['config']['task']}, {self.state['state']}>"

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.answer["id"])

    def follow(self, *, progress: Progress = True) -> TrainingRun:
        """Wait until the run is over. Raises ObservatoryError if it failed."""
        total = self.answer["config"]["steps"]
        after = self.updates[-1]["step"] if self.updates else -1
        with Bar(progress, self.answer["config"]["task"], unit="step") as bar:
            for event in self.api.get_training_events(self.id, after=after):
                if "loss" in event:
                    self.updates.append(with_arrays(event))
                    bar.show(event, event["step"], total, f"loss {event['loss']:.3f}")
                else:
                    self.state = event
        if self.state["state"] in {"starting", "running"}:
            raise ObservatoryError(LOST, code="unreachable")
        if self.state["state"] == "failed":
            raise ObservatoryError(str(self.state["message"]), code="training_failed")
        return self

    def frame(self) -> Any:
        """Loss by step as a ``pandas.DataFrame``, with the largest score of each role."""
        rows = [
            {"step": each["step"], "loss": each["loss"]}
            | {role: float(np.max(scores)) for role, scores in each["scores"].items()}
            for each in self.updates
        ]
        return needed("pandas", "tables").DataFrame(rows).set_index("step")

    def figure(self, /, curve: str = "loss", **query: Any) -> Any:
        """What was recorded so far as a ``plotly.graph_objects.Figure``."""
        address = f"/api/training/{self.api.connection.quoted(self.id)}"
        return figure_at(self.api, address, {"draw": curve, **query})

    def command(self, command: str) -> None:
        """``pause``, ``resume`` or ``stop`` the run."""
        self.state = dict(self.api.post_training_command(self.id, command))

    def publish(self) -> dict[str, Any]:
        """Add the network to the server's models; ``observatory.analyse(answer["text"], answer["model"])`` runs it."""
        return dict(self.api.post_training_model(self.id))

    def save(self, path: str | Path) -> Path:
        """Write the network as a zip file, a model folder of transformers."""
        path = Path(path)
        path.write_bytes(self.api.get_training_model(self.id))
        return path

    def delete(self) -> None:
        """Stop the run and forget it."""
        self.api.delete_training(self.id)
