"""Choose the device and dtype models run in."""

from dataclasses import dataclass

import torch

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def choose_device(choice: str | None = None) -> torch.device:
    """The operator's choice, else CUDA if present, then MPS, then the CPU.

    Raises ValueError if the chosen device does not exist here, so that an operator finds out at start-up.
    """
    if choice is None:
        return torch.device(_best_device_type())
    try:
        device = torch.device(choice)
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"device must be cpu, mps, cuda or cuda:N, not {choice!r}") from error
    if device.type not in {"cpu", "mps", "cuda"}:
        raise ValueError(f"device must be cpu, mps, cuda or cuda:N, not {choice!r}")
    count = _device_count(device.type)
    if (device.index or 0) >= count:
        raise ValueError(f"device {choice!r} is not here: this machine has {count} of type {device.type}")
    return device


def choose_dtype(choice: str | None = None) -> torch.dtype:
    """The operator's choice, else float32 on every device, the precision in which parity is guaranteed."""
    if choice is None:
        return torch.float32
    if choice not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {choice!r}")
    return DTYPES[choice]


@dataclass(frozen=True)
class DeviceMemory:
    """Memory of a graphics card, in bytes."""

    size: int
    free: int
    """Left over by all processes."""
    reserved: int
    """Taken from the card by this process, caches included."""
    allocated: int
    """Held by tensors of this process."""


def device_memory(device: torch.device) -> DeviceMemory | None:
    """The memory of a graphics card; None for the CPU, and where the card does not answer."""
    try:
        if device.type == "cuda":
            free, size = torch.cuda.mem_get_info(device)
            reserved, allocated = torch.cuda.memory_reserved(device), torch.cuda.memory_allocated(device)
        elif device.type == "mps":
            size, allocated = torch.mps.recommended_max_memory(), torch.mps.current_allocated_memory()
            reserved = torch.mps.driver_allocated_memory()
            free = size - reserved
        else:
            return None
    except RuntimeError:
        return None
    return DeviceMemory(size=size, free=free, reserved=reserved, allocated=allocated)


def _best_device_type() -> str:
    return next(kind for kind in ("cuda", "mps", "cpu") if _device_count(kind) > 0)


def _device_count(kind: str) -> int:
    if kind == "cuda":
        return torch.cuda.device_count() if torch.cuda.is_available() else 0
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    return 1
