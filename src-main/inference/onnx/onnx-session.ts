import type { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import type { OnnxModelInfo, OnnxTensorInfo, OnnxThreadOptions } from './onnx-protocol.ts';
import type { Tensor, TensorType } from '../tensor.ts';
import { ArmatureError } from '../../base/errors.ts';

// Only a thread or a process that runs models may import this file.
// The binding of ONNX Runtime knows half floats as 16-bit integers, and its JavaScript would hand it the engine's own array
// of them where there is one.
const Halves = Float16Array;
Reflect.deleteProperty(globalThis, 'Float16Array');
const runtime = await import('onnxruntime-node');

type NamedTensors = readonly (readonly [name: string, tensor: Tensor])[];

/** A model file that was loaded. ONNX Runtime computes in the thread that calls it, for as long as a run takes. */
export class OnnxSession {
  readonly info: OnnxModelInfo;
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
    const { inputMetadata, outputMetadata } = session;
    this.info = { inputs: inputMetadata.flatMap(tensorInfo), outputs: outputMetadata.flatMap(tensorInfo) };
  }

  /** @throws {ArmatureError} `file.unreadable` for what is no model that can be run, with the message of the runtime */
  static async load({ path, threads }: OnnxThreadOptions): Promise<OnnxSession> {
    const session = await runtime.InferenceSession.create(path, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      // Threads that spin while idle would take the processor from everything else.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    }).catch((thrown: unknown) => {
      throw new ArmatureError('file.unreadable', `${path} is no model that can be run: ${messageOf(thrown)}`);
    });
    return new OnnxSession(session);
  }

  /**
   * Runs the model once. Outputs are in their own memory, which can be transferred; text outputs are left out.
   * @throws {ArmatureError} `call.bad_argument` for inputs that it refuses
   */
  async run(inputs: NamedTensors): Promise<NamedTensors> {
    const session = this.#session;
    const types = new Map(session.inputMetadata.flatMap((input) => (input.isTensor ? [[input.name, input.type]] : [])));
    const feeds = Object.fromEntries(inputs.map(([name, tensor]) => [name, toOnnx(tensor, types.get(name))]));
    const found = await session.run(feeds).catch((thrown: unknown) => {
      throw new ArmatureError('call.bad_argument', `the model refused its input: ${messageOf(thrown)}`);
    });
    return session.outputNames.flatMap((name) => {
      const tensor = fromOnnx(found[name]);
      return tensor === undefined ? [] : [[name, tensor] as const];
    });
  }
}

function tensorInfo(metadata: InferenceSession.ValueMetadata): OnnxTensorInfo[] {
  if (!metadata.isTensor) return [];
  const shape = metadata.shape.map((size) => (typeof size === 'number' ? size : -1));
  return [{ name: metadata.name, type: metadata.type, shape }];
}

/** @param wanted type of the model: half floats and truth values have no type of their own in our tensors */
function toOnnx({ type, shape, data }: Tensor, wanted: string | undefined): OnnxTensor {
  if (wanted === 'float16') {
    const halves = Halves.from(data as Float32Array);
    return new runtime.Tensor('float16', new Uint16Array(halves.buffer), shape);
  }
  if (wanted === 'bool') return new runtime.Tensor('bool', data as Uint8Array, shape);
  return new runtime.Tensor(type, data as never, shape);
}

/** In its own memory, which can be transferred. Undefined for text, which our tensors cannot hold. */
function fromOnnx(tensor: OnnxTensor | undefined): Tensor | undefined {
  if (tensor === undefined) return undefined;
  const { type, dims: shape, data } = tensor;
  switch (type) {
    case 'float16': {
      const { buffer, byteOffset, length } = data as unknown as Uint16Array<ArrayBuffer>;
      return { type: 'float32', shape, data: Float32Array.from(new Halves(buffer, byteOffset, length)) };
    }
    case 'bool':
      return { type: 'uint8', shape, data: Uint8Array.from(data as Uint8Array) };
    case 'string':
    case 'int4':
    case 'uint4':
      return undefined;
    default:
      return { type: type satisfies TensorType, shape, data: (data as Uint8Array).slice() } as Tensor;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
