"""
Writes small models for tests, of one operation each, in the TensorFlow Lite format (schema.fbs and metadata_schema.fbs of
https://github.com/google-ai-edge/LiteRT). Nobody trained them: their answers can be told beforehand.

    model_file.py FOLDER     writes all of them there
"""

import io
import sys
import zipfile
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

FLOAT = schema.TensorType.FLOAT32
UINT8 = schema.TensorType.UINT8
INT8 = schema.TensorType.INT8

QUANTISATION = (1 / 255, 0)
"""Levels of a picture as shares of full light: scale and zero point of uint8."""
SIGNED_QUANTISATION = (1 / 255, -128)


def colour_means(kind=FLOAT, size=(8, 8), quantisation=None, metadata=None, labels=None):
    """How much of red, green and blue a picture has, as a classifier would say it. A size of -1 is free."""
    height, width = size
    model = _Model(schema.BuiltinOperator.MEAN, schema.BuiltinOptions.ReducerOptions, schema.ReducerOptionsT())
    picture = model.tensor("serving_default_image:0", kind, (1, height, width, 3), quantisation)
    axes = model.constant("axes", np.array([1, 2], dtype=np.int32))
    means = model.tensor("StatefulPartitionedCall:0", kind, (1, 3), quantisation)
    return model.bytes([picture, axes], [means], [picture], metadata, labels)


def sum_of_two(signature=None):
    """`left + right`, of two numbers each. `signature`: names of the inputs and of the output."""
    options = schema.AddOptionsT()
    model = _Model(schema.BuiltinOperator.ADD, schema.BuiltinOptions.AddOptions, options)
    left = model.tensor("left", FLOAT, (2,))
    right = model.tensor("right", FLOAT, (2,))
    total = model.tensor("total", FLOAT, (2,))
    if signature is not None:
        model.sign({name: tensor for name, tensor in zip(signature, (left, right, total))}, inputs=2)
    return model.bytes([left, right], [total], [left, right])


def metadata_of(name, input_name, output_name, label_file):
    """Metadata of a model with one input and one output, which has a file of labels for the places along its axis."""
    builder = flatbuffers.Builder(0)
    texts = {text: builder.CreateString(text) for text in (name, input_name, output_name, label_file, "what it finds")}

    def table(fields, slots):
        builder.StartObject(slots)
        for slot, value in fields.items():
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
        return builder.EndObject()

    def vector(only):
        builder.StartVector(4, 1, 4)
        builder.PrependUOffsetTRelative(only)
        return builder.EndVector()

    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(0, texts[label_file], 0)
    builder.PrependInt8Slot(2, 2, 0)
    files = vector(builder.EndObject())
    inputs = vector(table({0: texts[input_name]}, 7))
    outputs = vector(table({0: texts[output_name], 1: texts["what it finds"], 6: files}, 7))
    graphs = vector(table({2: inputs, 3: outputs}, 9))
    builder.Finish(table({0: texts[name], 3: graphs}, 8), file_identifier=b"M001")
    return bytes(builder.Output())


class _Model:
    def __init__(self, operator, kind_of_options, options):
        self._code = schema.OperatorCodeT()
        self._code.builtinCode = self._code.deprecatedBuiltinCode = operator
        self._code.version = 1
        self._operator = schema.OperatorT()
        self._operator.builtinOptionsType = kind_of_options
        self._operator.builtinOptions = options
        self._graph = schema.SubGraphT()
        self._graph.tensors = []
        self._buffers = [schema.BufferT()]
        self._signatures = []

    def tensor(self, name, kind, shape, quantisation=None, buffer=0):
        tensor = schema.TensorT()
        tensor.name = name
        tensor.type = kind
        tensor.shape = [1 if size == -1 else size for size in shape]
        if -1 in shape:
            tensor.shapeSignature = list(shape)
        tensor.buffer = buffer
        if quantisation is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [quantisation[0]]
            tensor.quantization.zeroPoint = [quantisation[1]]
        self._graph.tensors.append(tensor)
        return len(self._graph.tensors) - 1

    def constant(self, name, values):
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(values.tobytes(), dtype=np.uint8)
        self._buffers.append(buffer)
        return self.tensor(name, schema.TensorType.INT32, values.shape, buffer=len(self._buffers) - 1)

    def sign(self, tensors, inputs):
        signature = schema.SignatureDefT()
        signature.signatureKey = "serving_default"
        signature.subgraphIndex = 0
        maps = []
        for name, index in tensors.items():
            one = schema.TensorMapT()
            one.name, one.tensorIndex = name, index
            maps.append(one)
        signature.inputs, signature.outputs = maps[:inputs], maps[inputs:]
        self._signatures = [signature]

    def bytes(self, operands, results, inputs, metadata=None, labels=None):
        self._operator.inputs, self._operator.outputs = operands, results
        self._graph.operators = [self._operator]
        self._graph.inputs, self._graph.outputs = inputs, results
        model = schema.ModelT()
        model.version = 3
        model.operatorCodes = [self._code]
        model.subgraphs = [self._graph]
        model.buffers = self._buffers
        model.signatureDefs = self._signatures
        if metadata is not None:
            held = schema.BufferT()
            held.data = np.frombuffer(metadata, dtype=np.uint8)
            self._buffers.append(held)
            entry = schema.MetadataT()
            entry.name, entry.buffer = "TFLITE_METADATA", len(self._buffers) - 1
            model.metadata = [entry]
        builder = flatbuffers.Builder(0)
        builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
        return bytes(builder.Output()) + (b"" if labels is None else _archive(labels))


def _archive(files):
    """Files behind the model, as the metadata writers of TensorFlow Lite pack them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


LABELS = "red\ngreen\nblue\n"


def all_models():
    """By the names of their files."""
    metadata = metadata_of("colours", "image", "probability", "labels.txt")
    return {
        "colours.tflite": colour_means(),
        "free.tflite": colour_means(size=(-1, -1)),
        "uint8.tflite": colour_means(UINT8, quantisation=QUANTISATION),
        "int8.tflite": colour_means(INT8, quantisation=SIGNED_QUANTISATION),
        "noted.tflite": colour_means(UINT8, (16, 24), QUANTISATION, metadata, {"labels.txt": LABELS}),
        "sum.tflite": sum_of_two(),
        "signed.tflite": sum_of_two(("one", "other", "sum")),
    }


if __name__ == "__main__":
    for name, content in all_models().items():
        (Path(sys.argv[1]) / name).write_bytes(content)
