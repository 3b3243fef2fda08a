"""Attributes of `tflite_cpu`: those of the built-in model `onnx_cpu`."""

import os
from dataclasses import dataclass
from typing import Any, Mapping

MAX_THREADS = 256


@dataclass(frozen=True)
class Attributes:
    """What an entry of the configuration says, with defaults filled in."""

    model_path: str
    """The .tflite file."""
    label_path: str
    """A file with a label a line, in the order of the model's outputs; empty for none."""
    num_threads: int
    """Threads that one run of the model takes; at least 1."""


def read_attributes(given: Mapping[str, Any]) -> Attributes:
    """Raises ValueError naming the attribute, what was found and what is allowed."""
    known = ("model_path", "label_path", "num_threads", "package_reference")
    for name in given:
        if name not in known:
            raise ValueError(f'"{name}" is no attribute of tflite_cpu; there are {", ".join(known)}')
    for name in ("model_path", "label_path", "package_reference"):
        value = given.get(name, "")
        if not isinstance(value, str):
            raise ValueError(f'"{name}" is {value!r}; allowed is a text')
    if not given.get("model_path"):
        raise ValueError('"model_path" is required: the path of a .tflite file')
    return Attributes(given["model_path"], given.get("label_path", ""), _threads(given.get("num_threads", 0)))


def _threads(value: Any) -> int:
    """0 is one less than this computer has processors: the machine goes on while a model runs."""
    is_whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    if not is_whole or not 0 <= value <= MAX_THREADS:
        raise ValueError(f'"num_threads" is {value!r}; allowed is a whole number from 0 to {MAX_THREADS}')
    return int(value) or max(1, (os.cpu_count() or 1) - 1)
