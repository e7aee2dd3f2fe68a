"""Small networks trained live: start a run, follow and pause it, export its network."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.refusal import Sentence
from attention_core.training import config as training_config
from attention_core.training.config import LearnedPositions, Mechanism, TrainingConfig
from attention_core.training.export import why_not
from attention_core.training.head_roles import FORMED
from attention_core.training.run import BATCH, Update
from attention_core.training.run_facts import Facts, facts
from attention_core.training.tasks import TASKS, TaskName
from ...answers.answer_paths import Drawn
from ...answers.drawings import NATS, SCORE, Drawing, said
from ...answers.figures import Figure, curves
from ...answers.from_core import AnswerOf, FromCore
from ...answers.palette import Palette
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Seed
from ...requests.turns import in_turn
from ...stores.child_process import prepare
from ...stores.training_run import Reason, State, TrainingRun
from ...web import owners
from ...web.errors import ApiError
from ...web.i18n import Said, say
from ...web.matrices import EncodedArray, encode_base64
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/training", tags=["training"], route_class=BodyRoute)

NO_EVENTS: dict[str, Any] = {
    "description": "Refused, in the one shape of errors.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}},
}
"""FastAPI would describe refusals as events too, like the route's other answers."""

RECONNECT_MS = 1_000
MAX_SEEN = 10**9


class TrainingRequest(RequestModel):
    """A network and its task. The defaults form an induction head within seconds."""

    task: TaskName = "repeat"
    num_layers: Annotated[int, Field(ge=1, le=training_config.MAX_LAYERS)] = 2
    num_heads: Annotated[int, Field(ge=1, le=training_config.MAX_HEADS)] = 4
    num_kv_heads: Annotated[int, Field(ge=1, le=training_config.MAX_HEADS)] | None = Field(
        None, description="num_heads unless given; fewer: grouped-query attention."
    )
    d_model: Annotated[
        int, Field(ge=2, le=training_config.MAX_WIDTH, description="Width: size of a token's vector.")
    ] = 64
    positions: LearnedPositions = "rope"
    mechanism: Mechanism = "scaled"
    feed_forward: bool = Field(False, description="Without it: attention only.")
    learning_rate: Annotated[float, Field(gt=0, le=training_config.MAX_LEARNING_RATE, description="Of AdamW.")] = 1e-2
    steps: Annotated[int, Field(ge=1, le=training_config.MAX_STEPS)] = 300
    seed: Seed = 0


class TaskAnswer(BaseModel):
    """One task."""

    name: TaskName
    vocabulary: list[str] = Field(description="The word of each id.")


class TrainingOptions(BaseModel):
    """The options of a run, and their limits."""

    tasks: list[TaskAnswer]
    positions: list[LearnedPositions]
    mechanisms: list[Mechanism]
    defaults: TrainingRequest
    limits: dict[str, float] = Field(description="The largest value of each field; `runs`: how many at the same time.")
    active: int = Field(description="Runs under way.")


class RunState(FromCore):
    """The state of a run."""

    state: State
    reason: Reason | None = Field(description="Why it has stopped or failed.")
    message: str | None = Field(description="The reason as a sentence.")
    step: int


class RunAnswer(RunState, AnswerOf[Facts]):
    """A run."""

    id: str
    config: TrainingRequest
    batch: int = Field(description="Fresh sequences of each step.")
    formed: float = Field(description="A head has a role when its score is above this.")
    not_exportable: Said | None = Field(description="Why transformers cannot represent this network; null if it can.")
    yours: bool = Field(description="Whether you have started it: only then can you pause, stop, publish or delete it.")


class UpdateAnswer(AnswerOf[Update]):
    """The network after some steps. Layers and heads count from 0."""

    maps: EncodedArray


class ModelAnswer(BaseModel):
    """Where to find the network."""

    model: str = Field(description="Its id in /api/models.")
    text: str = Field(description="The example, for an analysis.")


async def _run(run_id: str, observatory: ObservatoryDep) -> TrainingRun:
    """The run, on the event loop's thread, where all runs are."""
    run = observatory.training.get(run_id)
    run.touch()
    return run


RunDep = Annotated[TrainingRun, Depends(_run)]


async def _own_run(run: RunDep) -> TrainingRun:
    """The run, for who has started it alone."""
    owners.check_mine({run.owner})
    return run


OwnRunDep = Annotated[TrainingRun, Depends(_own_run)]
ROLES = {
    "previous_token": Sentence("Weight on the previous token"),
    "induction": Sentence("Weight on the token after the last occurrence"),
    "answer": Sentence("Weight on the answer's position"),
}
Command = Literal["pause", "resume", "step", "stop"]


@router.get("")
async def get_training_options(settings: SettingsDep, observatory: ObservatoryDep) -> TrainingOptions:
    """The options of a run, and their limits. Also prepares the server, so that the first run starts sooner."""
    if settings.training_runs:
        await in_turn(prepare)
    limits = {
        "num_layers": training_config.MAX_LAYERS,
        "num_heads": training_config.MAX_HEADS,
        "d_model": training_config.MAX_WIDTH,
        "learning_rate": training_config.MAX_LEARNING_RATE,
        "steps": training_config.MAX_STEPS,
        "runs": settings.training_runs,
        "seconds": settings.training_time_s,
    }
    return TrainingOptions(
        tasks=[TaskAnswer(name=task.name, vocabulary=list(task.vocabulary)) for task in TASKS.values()],
        positions=list(training_config.POSITIONS),
        mechanisms=list(training_config.MECHANISMS),
        defaults=TrainingRequest(),
        limits=limits,
        active=observatory.training.active,
    )


@router.post("", status_code=201)
async def post_training(wanted: TrainingRequest, observatory: ObservatoryDep) -> RunAnswer:
    """Start a run. It stops when nobody follows its events for a while."""
    observatory.training.check_room()
    config = TrainingConfig(**wanted.model_dump())
    facts_of_run = await in_turn(facts, config)
    return _answer(await observatory.training.begin(config, facts_of_run))


@router.get("/{run_id}")
async def get_training(run: RunDep) -> RunAnswer:
    """The state of a run."""
    return _answer(run)


@dataclass(frozen=True)
class _Recorded:
    """What a run has recorded so far."""

    facts: Facts
    sizes: tuple[int, int]
    """Layers and heads."""
    updates: Sequence[Update]

    @property
    def steps(self) -> list[int]:
        """Those at which something was recorded."""
        return [update.step for update in self.updates]


async def _recorded(run: RunDep) -> _Recorded:
    """A copy, made on the event loop's thread, where it grows."""
    return _Recorded(run.facts, (run.config.num_layers, run.config.num_heads), list(run.history))


def _draw_loss(drawn: Drawn, palette: Palette, title: str) -> Figure:
    recorded: _Recorded = drawn.answer
    lines = {
        said(Sentence("loss")): (recorded.steps, [update.loss for update in recorded.updates]),
        said(Sentence("guessing")): (recorded.steps, [recorded.facts.chance_loss] * len(recorded.updates)),
    }
    return curves(lines, palette, title=title, x=said(Sentence("step")), y=said(NATS))


def _draw_scores(drawn: Drawn, palette: Palette, title: str) -> Figure:
    """The scores of every head."""
    recorded: _Recorded = drawn.answer
    scores = np.array([_rounded(update.scores[drawn.part]) for update in recorded.updates]).reshape(-1, *recorded.sizes)
    lines = {
        f"{layer}.{head}": (recorded.steps, scores[:, layer, head].tolist())
        for layer, head in np.ndindex(*recorded.sizes)
    }
    return curves(lines, palette, title=title, x=said(Sentence("step")), y=said(SCORE))


add_figures(
    router,
    _recorded,
    {
        "loss": Drawing(Sentence("Loss"), (), _draw_loss),
        **{role: Drawing(title, (), _draw_scores) for role, title in ROLES.items()},
    },
    beside=get_training,
)


@router.get("/{run_id}/events", response_class=EventSourceResponse, responses={422: NO_EVENTS, "default": NO_EVENTS})
async def get_training_events(
    run: RunDep,
    after: Annotated[int, Query(ge=-1, le=MAX_SEEN, description="The last step that the client has.")] = -1,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Every update since the first, or since `after` or the browser's `Last-Event-ID`, then each new one.

    Events are `update` (its id is its step) and `state`; the stream ends with the state in which the run is over.
    """
    seen = int(last_event_id) if last_event_id is not None and last_event_id.isdecimal() else after
    async with run.watched():
        async for message in run.follow(min(seen, MAX_SEEN)):
            if isinstance(message, Update):
                yield ServerSentEvent(event="update", id=str(message.step), data=_update(message), retry=RECONNECT_MS)
            else:
                yield ServerSentEvent(event="state", data=_state(run))


@router.post("/{run_id}/model")
async def post_training_model(run: OwnRunDep, observatory: ObservatoryDep) -> ModelAnswer:
    """Add the network of a paused or ended run to the models, where the Explorer finds it."""
    _check_exportable(run)
    return ModelAnswer(model=await observatory.training.publish(run), text=" ".join(run.facts.example))


@router.get("/{run_id}/model", response_class=Response, responses={200: {"content": {"application/zip": {}}}})
async def get_training_model(run: RunDep, observatory: ObservatoryDep) -> Response:
    """The network of a paused or ended run as a folder in transformers' format, zipped."""
    _check_exportable(run)
    name, packed = await observatory.training.packed(run)
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(packed, media_type="application/zip", headers=headers)


@router.post("/{run_id}/{command}", status_code=202)
async def post_training_command(run: OwnRunDep, command: Command) -> RunState:
    """Pause, resume, take one step and wait, or stop for good. The events report the effect."""
    run.command(command)
    return _state(run)


@router.delete("/{run_id}", status_code=204)
async def delete_training(run: OwnRunDep, observatory: ObservatoryDep) -> None:
    """Stop the run and delete it with its history and its model."""
    await observatory.training.remove(run.id)


def _check_exportable(run: TrainingRun) -> None:
    if (reason := why_not(run.config)) is not None:
        raise ApiError(409, "not_exportable", "This network cannot be exported: {reason}", reason, field="run_id")


def _state(run: TrainingRun) -> RunState:
    return RunState.of(run, message=_message(run))


def _message(run: TrainingRun) -> str | None:
    match run.reason:
        case None:
            return None
        case "diverged":
            return say(
                Sentence(
                    "After step {step} the loss went far above that of guessing: the steps were too large. "
                    "Try a learning rate below {learning_rate}.",
                    run.step,
                    f"{run.config.learning_rate:g}",
                )
            )
        case "crashed":
            return say(
                Sentence("The process in which the network learned has ended unexpectedly. Start the run again.")
            )
        case "time":
            return say(Sentence("The run used up its time (OBSERVATORY_TRAINING_TIME_S). What was recorded is kept."))
        case "unwatched":
            return say(Sentence("Nobody was watching any more, so the run was stopped. What was recorded is kept."))
        case "asked":
            return say(Sentence("The run was stopped."))


def _update(update: Update) -> UpdateAnswer:
    scores = {role: _rounded(array) for role, array in update.scores.items()}
    return UpdateAnswer.of(update, scores=scores, maps=encode_base64(update.maps, "u1"))


def _rounded(scores: NDArray[np.floating[Any]]) -> list[list[float]]:
    return scores.round(4).tolist()


def _answer(run: TrainingRun) -> RunAnswer:
    reason = why_not(run.config)
    return RunAnswer.of(
        run,
        run.facts,
        message=_message(run),
        config=TrainingRequest(**{name: getattr(run.config, name) for name in TrainingRequest.model_fields}),
        batch=BATCH,
        formed=FORMED,
        not_exportable=None if reason is None else say(reason),
        yours=owners.is_mine({run.owner}),
    )
