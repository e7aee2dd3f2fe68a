"""Modules that keep state while they run: a pass neither sees what another one left nor one that runs beside it.

Some of the library's modules assign to themselves in ``forward``: a rotation that writes its frequencies for the length
of the text (``longrope``, dynamic NTK), tables of positions that are kept for the next call or grow with it. Two passes
at a time then read each other's numbers, and a long text changes what a shorter one gets after it. Such modules are
found in the code that ``forward`` reaches, not in a list of names, and get a subclass, so that weights, hooks and their
place in the model stay as they are:

- ``apart``: each call runs on a copy of the module's attributes, so it begins with what was loaded and leaves nothing.
- ``in_turn``: one call at a time. Of modules that are known by identity (by the attention function, or as a whole
  model, to which the library adds its hooks) or that write into modules inside them.
"""

import dis
import functools
import itertools
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.pretrained.recording.replaced.calling import Replaced

TORCH = str(Path(torch.__file__).parent)
ATTENTION = "ALL_ATTENTION_FUNCTIONS"
"""Where the library's modules look up the attention function that they hand themselves to."""
REGISTERS = ("setattr", "register_buffer", "register_parameter", "add_module")
IN_PLACE = re.compile(r"[a-z]_$")
"""Names of tensors' methods that write in place, such as ``copy_``."""
NOT_STATE = ("config", "generation_config")
"""Attributes whose own attributes say how the model is to run: written for labels only, which no pass here has."""
NO_TRACE = frozenset(vars(nn.Module())) | {"_output_capturing_hooks_installed"}
"""Torch's own attributes, and the library's note that it will collect hidden states for whoever asks for them."""

_APART: dict[type[nn.Module], type[nn.Module]] = {}
"""The subclass of each class whose calls are kept apart."""
_WRITES: "dict[type[nn.Module], Writes]" = {}


@dataclass(frozen=True)
class Writes:
    """What ``forward`` of a class may write, by the code that it reaches."""

    itself: bool = False
    inside: bool = False
    """Attributes of its attributes, such as those of a module inside it."""
    in_place: bool = False
    attends: bool = False
    """Whether it asks for an attention function, to which it hands itself."""


def separate_passes(model: nn.Module) -> None:
    """Give every module that keeps state while it runs a state for each call, or one call at a time."""
    for module in list(model.modules()):
        writes = writes_of(type(module))
        hands_itself_on = writes.attends or isinstance(module, Replaced | PreTrainedModel)
        if writes.inside or (writes.itself and hands_itself_on):
            _in_turn(module, threading.RLock())
        elif writes.itself:
            _apart(module)


def take_turns(model: PreTrainedModel) -> None:
    """Let the whole model run one pass at a time, whatever of it is called."""
    turn = threading.RLock()
    for module in [each for each in model.modules() if isinstance(each, PreTrainedModel)]:
        _in_turn(module, turn)


def traces(before: Mapping[str, object], model: nn.Module) -> list[str]:
    """Names of what passes since ``state_of`` have written into the modules and left there."""
    after = state_of(model)
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def state_of(model: nn.Module) -> dict[str, object]:
    """A mark for each attribute of each module that changes when it is assigned anew, written in place or grows."""
    return {
        f"{path}.{name}": _mark(value)
        for path, module in model.named_modules()
        for name, value in (*vars(module).items(), *module._buffers.items(), *module._parameters.items())
        if name not in NO_TRACE
    }


def writes_of(library: type[nn.Module]) -> Writes:
    """What ``forward`` of this class and every method and decorator that it reaches may write."""
    if library not in _WRITES:
        _WRITES[library] = _look(library)
    return _WRITES[library]


def _look(library: type[nn.Module]) -> Writes:
    if library.__module__.partition(".")[0] == "torch":
        return Writes()  # layers of torch: without training they keep none
    itself = inside = in_place = attends = False
    for code in _reached(library):
        names = set(code.co_names)
        attends |= ATTENTION in names
        in_place |= any(IN_PLACE.search(name) for name in names)
        own, deeper = _stores(code)
        itself |= own or not names.isdisjoint(REGISTERS)
        inside |= deeper
    return Writes(itself, inside, in_place, attends)


def _reached(library: type[nn.Module]) -> Iterator[CodeType]:
    """The code of ``forward``, of the methods it names, and of decorators around and functions inside them."""
    seen: set[CodeType] = set()
    names, done = ["forward"], {"__init__"}
    while names:
        name = names.pop()
        if name in done:
            continue
        done.add(name)
        for base in library.__mro__:
            if base in (nn.Module, object) or name not in vars(base):
                continue
            for code in _codes(vars(base)[name]):
                if code not in seen:
                    seen.add(code)
                    yield code
                    names += _called(code)


def _called(code: CodeType) -> list[str]:
    """Attributes of ``self``, or of whatever the code names if it goes on to a class above."""
    if "super" in code.co_names:
        return list(code.co_names)
    steps = _steps(code)
    return [
        str(step.argval)
        for before, step in itertools.pairwise(steps)
        if step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and _loads_self(before)
    ]


def _codes(found: object) -> Iterator[CodeType]:
    """The code of a method, and of the functions inside it and around it (decorators)."""
    functions, seen = [found], set[int]()
    while functions:
        each = functions.pop()
        each = each.fget if isinstance(each, property) else each
        each = each.__func__ if isinstance(each, staticmethod | classmethod) else each
        if not isinstance(each, FunctionType) or id(each) in seen:
            continue
        seen.add(id(each))
        functions += [_content(cell) for cell in each.__closure__ or ()]
        if not each.__code__.co_filename.startswith(TORCH):
            yield from _nested(each.__code__)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # still empty: a function that names itself
        return None


def _stores(code: CodeType) -> tuple[bool, bool]:
    """Whether attributes of ``self`` are written, and whether attributes of its attributes are."""
    own = deeper = False
    steps = _steps(code)
    for index, step in enumerate(steps):
        if step.opname not in {"STORE_ATTR", "DELETE_ATTR"}:
            continue
        behind = [*itertools.takewhile(lambda each: each.opname == "LOAD_ATTR", reversed(steps[:index]))]
        chain = [str(each.argval) for each in behind]
        owner = steps[index - 1 - len(chain)]
        if owner.opname == "SWAP" or _loads_self(owner):  # the former: self.calls += 1
            own |= not chain
            deeper |= bool(chain) and chain[-1] not in NOT_STATE
    return own, deeper


def _steps(code: CodeType) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname not in {"CACHE", "EXTENDED_ARG"}]


def _loads_self(step: dis.Instruction) -> bool:
    return step.opname.startswith("LOAD_") and (step.argval == "self" or step.argval[-1:] == ("self",))


def _apart(module: Any) -> None:
    library = type(module)
    in_place = writes_of(library).in_place

    @functools.wraps(library.forward)
    def forward(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return library.forward(_copy(self, library, in_place=in_place), *args, **kwargs)

    module.__class__ = _APART.setdefault(library, _subclass(library, forward))


def _copy(module: nn.Module, library: type[nn.Module], *, in_place: bool) -> nn.Module:
    """The module with attributes of its own; its weights and the modules inside are shared."""
    own: nn.Module = library.__new__(library)
    for name, value in vars(module).items():
        own.__dict__[name] = value.copy() if isinstance(value, dict | list | set) else value
    if in_place:
        for kept in (own.__dict__, own._buffers):
            kept.update({name: value.clone() for name, value in kept.items() if isinstance(value, Tensor)})
    return own


def _in_turn(module: Any, turn: AbstractContextManager[object]) -> None:
    library = type(module)

    @functools.wraps(library.forward)
    def forward(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        with turn:
            return library.forward(self, *args, **kwargs)

    module.__class__ = _subclass(library, forward)


def _subclass(library: type[nn.Module], forward: Any) -> type[nn.Module]:
    """Named as the library's, by which some of its functions and ours know a class."""
    names = {"__module__": library.__module__, "__qualname__": library.__qualname__}
    return type(library.__name__, (library,), {**names, "forward": forward})


def _mark(value: object) -> object:
    if isinstance(value, Tensor):
        return _Same(value, 0 if value.is_inference() else value._version)
    if isinstance(value, dict | list | set):
        return _Same(value, len(value))
    return value if isinstance(value, bool | int | float | str | None) else _Same(value)


class _Same:
    """Equal for the same object, which it keeps: a new one would else be given its address."""

    def __init__(self, value: object, count: int = 0) -> None:
        self.value = value
        self.count = count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value and self.count == other.count

    def __hash__(self) -> int:
        return hash((id(self.value), self.count))
