"""A TensorFlow Lite model, loaded: its tensors, and one run after the other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from model_metadata import ModelMetadata, TensorMetadata, read_metadata
from numpy.typing import NDArray

# Where a TensorFlow Lite file says that it is one; schema.fbs.
IDENTIFIER = b"TFL3"

# Types of tensors that no message has, and what carries them.
WIRE_TYPES = {"float16": "float32", "bool": "uint8"}
KNOWN = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"float32", "float64", *WIRE_TYPES}


class BadInput(ValueError):
    """Tensors that the model does not take; the message says which it does."""


class UnusableFile(ValueError):
    """A file that is no model that can be run; the message names it."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of the model. Its name is the metadata's, else that of the only signature, else the graph's own."""

    name: str
    index: int
    """The interpreter's number of it."""
    dtype: str
    """As numpy calls it."""
    shape: Tuple[int, ...]
    """-1 is a size that is free."""
    quantisation: Optional[Tuple[float, int]]
    """Scale and zero point: a value stands for `(value - zero point) * scale`."""
    metadata: TensorMetadata

    @property
    def wire_type(self) -> str:
        """Type of the elements in a message."""
        return WIRE_TYPES.get(self.dtype, self.dtype)

    def __str__(self) -> str:
        return f'"{self.name}" ({self.wire_type} {list(self.shape)})'


class Runner:
    """Not for two threads at a time. Raises UnusableFile, with the path and the reason."""

    def __init__(self, path: str, threads: int):
        content = _read(path)
        try:
            self._interpreter = Interpreter(model_content=content, num_threads=threads)
            self._interpreter.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            raise UnusableFile(f"{path} is no model that can be run: {error}") from error
        self.metadata: ModelMetadata = read_metadata(content)
        signature_inputs, signature_outputs = self._signature()
        details = self._interpreter.get_input_details()
        self.inputs = _tensors(details, self.metadata.inputs, signature_inputs)
        self.outputs = _tensors(self._interpreter.get_output_details(), self.metadata.outputs, signature_outputs)
        for tensor in (*self.inputs, *self.outputs):
            if tensor.dtype not in KNOWN:
                raise UnusableFile(f'{path} has the tensor "{tensor.name}" of type {tensor.dtype}, which no call can carry')
        self._sizes: Dict[int, Optional[Tuple[int, ...]]] = {one["index"]: tuple(map(int, one["shape"])) for one in details}

    def run(self, given: Mapping[str, NDArray]) -> Dict[str, NDArray]:
        """
        The outputs for these inputs. Quantised outputs are given as the real numbers that they stand for.
        Raises BadInput for what the model does not take.
        """
        checked = self._checked(given)
        try:
            self._resize(checked)
            for tensor, values in checked:
                self._interpreter.set_tensor(tensor.index, values.astype(tensor.dtype, copy=False))
            self._interpreter.invoke()
        except (ValueError, RuntimeError) as error:
            raise BadInput(f"the model refused its input: {error}") from error
        return {tensor.name: _dequantised(self._interpreter.get_tensor(tensor.index), tensor) for tensor in self.outputs}

    def _resize(self, checked: Sequence[Tuple[Tensor, NDArray]]) -> None:
        changed = [(tensor, values.shape) for tensor, values in checked if self._sizes[tensor.index] != values.shape]
        for tensor, shape in changed:
            # Until memory is there for it, no size is the one in force.
            self._sizes[tensor.index] = None
            self._interpreter.resize_tensor_input(tensor.index, list(shape), strict=True)
        if changed:
            self._interpreter.allocate_tensors()
        self._sizes.update((tensor.index, shape) for tensor, shape in changed)

    def _checked(self, given: Mapping[str, NDArray]) -> List[Tuple[Tensor, NDArray]]:
        """Each input with its values. A model's only input needs no name."""
        if len(self.inputs) == 1 and len(given) == 1:
            given = {self.inputs[0].name: next(iter(given.values()))}
        wanted = ", ".join(map(str, self.inputs))
        for name in given:
            if all(tensor.name != name for tensor in self.inputs):
                raise BadInput(f'the model has no input "{name}"; it has {wanted}')
        missing = next((tensor for tensor in self.inputs if tensor.name not in given), None)
        if missing is not None:
            sent = ", ".join(f'"{name}"' for name in given) or "none"
            raise BadInput(f"the input {missing} is missing; sent were: {sent}")
        return [(tensor, _to_input(given[tensor.name], tensor)) for tensor in self.inputs]

    def _signature(self) -> Tuple[Mapping[int, str], Mapping[int, str]]:
        """Names by the interpreter's numbers, where the model has one signature."""
        signatures = list(self._interpreter.get_signature_list())
        if len(signatures) != 1:
            return {}, {}
        runner = self._interpreter.get_signature_runner(signatures[0])
        inputs, outputs = runner.get_input_details(), runner.get_output_details()
        return (
            {detail["index"]: name for name, detail in inputs.items()},
            {detail["index"]: name for name, detail in outputs.items()},
        )


def _read(path: str) -> bytes:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UnusableFile(f"model_path {path} cannot be read: {error.strerror}") from error
    if content[4:8] != IDENTIFIER:
        raise UnusableFile(f"model_path {path} is no TensorFlow Lite file ({len(content)} bytes, without its mark TFL3)")
    return content


def _tensors(details: Sequence[dict], metadata: Sequence[TensorMetadata], signature: Mapping[int, str]) -> List[Tensor]:
    """Names of one source only, and only where it tells all of them apart."""
    own = [str(detail["name"]) for detail in details]
    noted = [one.name for one in metadata] if len(metadata) == len(details) else []
    signed = [signature.get(detail["index"], "") for detail in details]
    names = next((names for names in (noted, signed) if _are_unique(names)), own)
    fitting = metadata if len(metadata) == len(details) else [TensorMetadata()] * len(details)
    return [_tensor(detail, name, one) for detail, name, one in zip(details, names, fitting)]


def _are_unique(names: Sequence[str]) -> bool:
    return len(names) > 0 and all(names) and len(set(names)) == len(names)


def _tensor(detail: dict, name: str, metadata: TensorMetadata) -> Tensor:
    scale, zero_point = detail["quantization"]
    dtype = np.dtype(detail["dtype"]).name
    shape = tuple(int(size) for size in detail["shape_signature"])
    is_quantised = scale != 0 and dtype.removeprefix("u").startswith("int")
    return Tensor(name, detail["index"], dtype, shape, (float(scale), int(zero_point)) if is_quantised else None, metadata)


def _to_input(values: NDArray, tensor: Tensor) -> NDArray:
    if values.dtype.name != tensor.wire_type:
        raise BadInput(f'the type of input "{tensor.name}" is {values.dtype.name}; allowed is {tensor.wire_type}')
    fits = len(values.shape) == len(tensor.shape) and all(
        size in (-1, found) for size, found in zip(tensor.shape, values.shape)
    )
    if not fits:
        free = ", where -1 is any size" if -1 in tensor.shape else ""
        raise BadInput(
            f'the shape of input "{tensor.name}" is {list(values.shape)}; allowed is {list(tensor.shape)}{free}'
        )
    return values


def _dequantised(values: NDArray, tensor: Tensor) -> NDArray:
    if tensor.quantisation is None:
        return values.astype(tensor.wire_type, copy=False)
    scale, zero_point = tensor.quantisation
    return ((values.astype(np.float64) - zero_point) * scale).astype(np.float32)
