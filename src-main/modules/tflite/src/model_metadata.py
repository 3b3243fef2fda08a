"""What a model file says of its tensors beside the graph: the metadata of TensorFlow Lite, and files packed behind it.

Slots of tables are those of metadata_schema.fbs and schema.fbs
(https://github.com/google-ai-edge/LiteRT, https://ai.google.dev/edge/litert/models/metadata).
"""

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Callable, List, Mapping, Optional, Sequence

from ai_edge_litert.schema_py_generated import Model
from flatbuffers import number_types as types
from flatbuffers.table import Table

METADATA_NAME = b"TFLITE_METADATA"
MAX_LABEL_BYTES = 1 << 20

# What reading damaged tables and archives ends with.
DAMAGED = (struct.error, IndexError, TypeError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)

AXIS_LABELS = 2
VALUE_LABELS = 3


@dataclass(frozen=True)
class LabelFile:
    """Labels that are packed into the model file."""

    name: str
    description: str
    is_axis: bool
    """Whether labels stand for places along the tensor's axis, not for its values."""
    labels: Sequence[str]


@dataclass(frozen=True)
class TensorMetadata:
    """What the metadata says of one tensor."""

    name: str = ""
    description: str = ""
    label_file: Optional[LabelFile] = None


@dataclass(frozen=True)
class ModelMetadata:
    """Empty where a file has no metadata: most have none."""

    name: str = ""
    description: str = ""
    inputs: Sequence[TensorMetadata] = field(default_factory=list)
    outputs: Sequence[TensorMetadata] = field(default_factory=list)


def read_metadata(content: bytes) -> ModelMetadata:
    """Of the bytes of a model file that could be loaded. Metadata that is damaged counts as none: a model runs without."""
    try:
        metadata = _metadata(content)
        return ModelMetadata() if metadata is None else _from_table(metadata, _packed_labels(content))
    except DAMAGED:
        return ModelMetadata()


def parse_labels(text: str) -> List[str]:
    """One label a line; blank lines at the end are none."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    while lines and lines[-1] == "":
        lines.pop()
    return lines


def _metadata(content: bytes) -> Optional[Table]:
    model = Model.GetRootAs(content, 0)
    for index in range(model.MetadataLength()):
        entry = model.Metadata(index)
        if entry.Name() != METADATA_NAME:
            continue
        held = bytes(model.Buffers(entry.Buffer()).DataAsNumpy())
        (root,) = struct.unpack_from("<I", held, 0)
        return Table(held, root)
    return None


def _packed_labels(content: bytes) -> Mapping[str, Sequence[str]]:
    """Text files of the archive that is behind the model in its file."""
    source = io.BytesIO(content)
    if not zipfile.is_zipfile(source):
        return {}
    with zipfile.ZipFile(source) as archive:
        return {
            entry.filename: parse_labels(archive.read(entry).decode("utf-8"))
            for entry in archive.infolist()
            if entry.filename.endswith(".txt") and entry.file_size <= MAX_LABEL_BYTES
        }


def _from_table(metadata: Table, packed: Mapping[str, Sequence[str]]) -> ModelMetadata:
    def tensor(table: Table) -> TensorMetadata:
        files = _tables(table, 6, lambda file: _label_file(file, packed))
        label_file = next((file for file in files if file is not None), None)
        return TensorMetadata(_text(table, 0), _text(table, 1), label_file)

    graphs = _tables(metadata, 3, lambda graph: (_tables(graph, 2, tensor), _tables(graph, 3, tensor)))
    inputs, outputs = graphs[0] if graphs else ([], [])
    return ModelMetadata(_text(metadata, 0), _text(metadata, 1), inputs, outputs)


def _label_file(file: Table, packed: Mapping[str, Sequence[str]]) -> Optional[LabelFile]:
    name, kind = _text(file, 0), _byte(file, 2)
    if kind not in (AXIS_LABELS, VALUE_LABELS) or name not in packed:
        return None
    return LabelFile(name, _text(file, 1), kind == AXIS_LABELS, packed[name])


def _place(table: Table, slot: int) -> int:
    """Where a field is, 0 for one that is left out: the first slot is at 4 in a table's list of fields."""
    offset = table.Offset(4 + 2 * slot)
    return offset and table.Pos + offset


def _text(table: Table, slot: int) -> str:
    place = _place(table, slot)
    return table.String(place).decode("utf-8") if place else ""


def _byte(table: Table, slot: int) -> int:
    place = _place(table, slot)
    return table.Get(types.Int8Flags, place) if place else 0


def _tables(table: Table, slot: int, read: Callable[[Table], object]) -> list:
    offset = table.Offset(4 + 2 * slot)
    if not offset:
        return []
    start = table.Vector(offset)
    return [read(Table(table.Bytes, table.Indirect(start + 4 * index))) for index in range(table.VectorLen(offset))]
