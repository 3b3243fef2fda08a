import { BinaryWriter } from '@bufbuild/protobuf/wire';

/*
 * Model files for tests, written field by field: numbers of fields and of types are those of onnx.proto3
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
 */

const elementTypes = { float32: 1, uint8: 2, int8: 3, int64: 7, float16: 10, bool: 9 } as const;
type ElementType = keyof typeof elementTypes;

const IR_VERSION = 8;
/** Of ReduceMean it is one that has its axes as an attribute. */
const OPSET = 13;
const INT = 2;
const INTS = 7;

export interface OnnxValue {
  readonly name: string;
  readonly type: ElementType;
  /** A text is a size that is free. */
  readonly shape: readonly (number | string)[];
}

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface OnnxConstant {
  readonly name: string;
  readonly shape: readonly number[];
  /** One of the two. */
  readonly floats?: readonly number[];
  readonly integers?: readonly number[];
}

export interface OnnxGraph {
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  readonly constants?: readonly OnnxConstant[];
}

/** The bytes of a model file. */
export function onnxFile({ inputs, outputs, nodes, constants = [] }: OnnxGraph): Uint8Array {
  const graph = message((writer) => {
    for (const node of nodes) part(writer, 1, nodeOf(node));
    writer.uint32(tag(2)).string('test');
    for (const constant of constants) part(writer, 5, constantOf(constant));
    for (const input of inputs) part(writer, 11, valueOf(input));
    for (const output of outputs) part(writer, 12, valueOf(output));
  });
  return message((writer) => {
    writer.uint32(number(1)).int64(IR_VERSION);
    part(writer, 7, graph);
    part(
      writer,
      8,
      message((opset) => void opset.uint32(number(2)).int64(OPSET)),
    );
  });
}

function nodeOf({ op, inputs, outputs, attributes = {} }: OnnxNode): Uint8Array {
  return message((writer) => {
    for (const input of inputs) writer.uint32(tag(1)).string(input);
    for (const output of outputs) writer.uint32(tag(2)).string(output);
    writer.uint32(tag(4)).string(op);
    for (const [name, value] of Object.entries(attributes)) {
      const attribute = message((of) => {
        of.uint32(tag(1)).string(name);
        if (typeof value === 'number') of.uint32(number(3)).int64(value);
        else for (const one of value) of.uint32(number(8)).int64(one);
        of.uint32(number(20)).int32(typeof value === 'number' ? INT : INTS);
      });
      part(writer, 5, attribute);
    }
  });
}

function constantOf({ name, shape, floats, integers = [] }: OnnxConstant): Uint8Array {
  const [type, elements] =
    floats === undefined
      ? ([elementTypes.int64, BigInt64Array.from(integers, BigInt)] as const)
      : ([elementTypes.float32, Float32Array.from(floats)] as const);
  return message((writer) => {
    for (const size of shape) writer.uint32(number(1)).int64(size);
    writer.uint32(number(2)).int32(type);
    writer.uint32(tag(8)).string(name);
    writer.uint32(tag(9)).bytes(new Uint8Array(elements.buffer));
  });
}

function valueOf({ name, type, shape }: OnnxValue): Uint8Array {
  const sizes = message((writer) => {
    for (const size of shape) {
      const dimension = message((of) => {
        if (typeof size === 'number') of.uint32(number(1)).int64(size);
        else of.uint32(tag(2)).string(size);
      });
      part(writer, 1, dimension);
    }
  });
  const tensor = message((writer) => {
    writer.uint32(number(1)).int32(elementTypes[type]);
    part(writer, 2, sizes);
  });
  return message((writer) => {
    writer.uint32(tag(1)).string(name);
    part(
      writer,
      2,
      message((of) => part(of, 1, tensor)),
    );
  });
}

function message(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}

function part(writer: BinaryWriter, field: number, bytes: Uint8Array): void {
  writer.uint32(tag(field)).bytes(bytes);
}

/** Of a field with a length, and of one that is a number (https://protobuf.dev/programming-guides/encoding/). */
function tag(field: number): number {
  return (field << 3) | 2;
}

function number(field: number): number {
  return field << 3;
}
