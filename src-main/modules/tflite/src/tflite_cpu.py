"""The machine-learning model service `tflite_cpu`."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Mapping, Optional, Sequence, Tuple

from attributes import Attributes, read_attributes
from grpclib import Status
from numpy.typing import NDArray
from runner import BadInput, Runner, Tensor, UnusableFile
from viam.errors import ViamGRPCError
from viam.proto.app.robot import ComponentConfig
from viam.proto.common import ResourceName
from viam.proto.service.mlmodel import File, LabelType, Metadata, TensorInfo
from viam.resource.base import ResourceBase
from viam.resource.easy_resource import EasyResource
from viam.services.mlmodel import MLModel
from viam.utils import dict_to_struct, struct_to_dict

# Runs that wait, the one under way included: more would only wait longer than anybody does.
MAX_QUEUED = 16


class TfliteCpu(MLModel, EasyResource):
    """A model in the TensorFlow Lite format, run by LiteRT in a thread of its own, one run after the other."""

    MODEL = "armature:tflite:tflite_cpu"

    def __init__(self, name: str, attributes: Attributes):
        super().__init__(name)
        self._attributes = attributes
        labels = attributes.label_path
        if labels and not os.access(labels, os.R_OK):
            raise UnusableFile(f"label_path {labels} is no file of this computer that can be read")
        self._runner = Runner(attributes.model_path, attributes.num_threads)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._waiting = 0

    @classmethod
    def validate_config(cls, config: ComponentConfig) -> Tuple[Sequence[str], Sequence[str]]:
        read_attributes(struct_to_dict(config.attributes))
        return [], []

    @classmethod
    def new(cls, config: ComponentConfig, dependencies: Mapping[ResourceName, ResourceBase]) -> "TfliteCpu":
        try:
            return cls(config.name, read_attributes(struct_to_dict(config.attributes)))
        except UnusableFile as error:
            raise ViamGRPCError(f'Model "{config.name}": {error}.', Status.INVALID_ARGUMENT) from error

    async def infer(
        self, input_tensors: Dict[str, NDArray], *, extra=None, timeout: Optional[float] = None, **kwargs
    ) -> Dict[str, NDArray]:
        if self._waiting >= MAX_QUEUED:
            raise ViamGRPCError(
                f'Model "{self.name}" has {MAX_QUEUED} pictures or other inputs waiting. Ask again once it has answered.',
                Status.RESOURCE_EXHAUSTED,
            )
        run = asyncio.get_running_loop().run_in_executor(self._thread, self._runner.run, input_tensors)
        self._waiting += 1
        # A caller that gives up does not end the run that it asked for.
        run.add_done_callback(self._on_done)
        try:
            return await run
        except BadInput as error:
            raise ViamGRPCError(f'Model "{self.name}": {error}.', Status.INVALID_ARGUMENT) from error

    def _on_done(self, _run) -> None:
        self._waiting -= 1

    async def metadata(self, *, extra=None, timeout: Optional[float] = None, **kwargs) -> Metadata:
        model = self._runner.metadata
        return Metadata(
            name=model.name or Path(self._attributes.model_path).stem,
            type="tflite",
            description=model.description,
            input_info=[_input_info(tensor) for tensor in self._runner.inputs],
            output_info=[self._output_info(tensor, at) for at, tensor in enumerate(self._runner.outputs)],
        )

    def _output_info(self, tensor: Tensor, at: int) -> TensorInfo:
        """Labels of the configuration are told with the first output, where clients look for them; else the file's own."""
        info = _info(tensor)
        path = self._attributes.label_path
        file = tensor.metadata.label_file
        if path:
            if at == 0:
                info.associated_files.append(
                    File(name=Path(path).name, description="labels", label_type=LabelType.LABEL_TYPE_TENSOR_VALUE)
                )
                info.extra.CopyFrom(dict_to_struct({"labels": path}))
        elif file is not None:
            kind = LabelType.LABEL_TYPE_TENSOR_AXIS if file.is_axis else LabelType.LABEL_TYPE_TENSOR_VALUE
            info.associated_files.append(File(name=file.name, description=file.description, label_type=kind))
            info.extra.CopyFrom(dict_to_struct({"labels": list(file.labels)}))
        # What is given are real numbers.
        if tensor.quantisation is not None:
            info.data_type = "float32"
        return info

    async def close(self) -> None:
        # What waits is still answered.
        self._thread.shutdown(wait=False)


def _info(tensor: Tensor) -> TensorInfo:
    return TensorInfo(
        name=tensor.name,
        description=tensor.metadata.description,
        data_type=tensor.wire_type,
        shape=tensor.shape,
    )


def _input_info(tensor: Tensor) -> TensorInfo:
    info = _info(tensor)
    if tensor.quantisation is not None:
        scale, zero_point = tensor.quantisation
        info.extra.CopyFrom(dict_to_struct({"scale": scale, "zero_point": zero_point}))
    return info
