import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Transferable } from 'node:worker_threads';
import { carriedAs, checkedInputs } from './check-inputs.ts';
import type { OnnxCpuAttributes } from './schema.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { MlModel } from '../../../apis/mlmodel.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { ThreadCalls } from '../../../base/threads/thread-calls.ts';
import type {
  OnnxResponse,
  OnnxModelInfo,
  OnnxRequest,
  OnnxTensorInfo,
  OnnxThreadOptions,
} from '../../../inference/onnx/onnx-protocol.ts';
import type { ModelMetadata, TensorInfo, Tensors } from '../../../inference/tensor.ts';

/**
 * Maximum number of runs that wait for the thread, including the running one: more would wait longer than callers do.
 */
const MAX_WAITING = 16;

type Thread = ThreadCalls<OnnxRequest, OnnxResponse>;

/** Machine-learning model `onnx_cpu`: ONNX Runtime in its own thread. Runs are processed in order. */
class OnnxModel implements MlModel, BuiltResource {
  readonly name: string;
  readonly #attributes: OnnxCpuAttributes;
  readonly #thread: Thread;
  readonly #info: OnnxModelInfo;
  #waiting = 0;

  constructor(name: string, attributes: OnnxCpuAttributes, thread: Thread, info: OnnxModelInfo) {
    this.name = name;
    this.#attributes = attributes;
    this.#thread = thread;
    this.#info = info;
  }

  async infer(inputs: Tensors, { signal }: CallOptions = {}): Promise<Tensors> {
    const checked = checkedInputs(this, inputs, this.#info.inputs);
    if (this.#waiting >= MAX_WAITING) {
      const message = `Model "${this.name}" has ${MAX_WAITING} pictures or other inputs waiting. Ask again once it has answered.`;
      throw new ArmatureError('call.overloaded', message);
    }
    signal?.throwIfAborted();
    this.#waiting++;
    try {
      const answer = await this.#thread.ask(
        checked,
        checked.flatMap(([, { data }]) => ownMemoryOf(data)),
      );
      return new Map(answer.kind === 'outputs' ? answer.outputs : []);
    } catch (thrown) {
      throw withName(this.name, thrown);
    } finally {
      this.#waiting--;
    }
  }

  metadata(): Promise<ModelMetadata> {
    const { model_path: file } = this.#attributes;
    return Promise.resolve({
      name: path.basename(file, path.extname(file)),
      type: 'onnx',
      description: '',
      inputs: this.#info.inputs.map((input) => infoOf(input)),
      outputs: this.#info.outputs.map((output, index) => infoOf(output, index === 0 ? this.#labelPath : undefined)),
    });
  }

  get #labelPath(): string | undefined {
    const { label_path: labels = '' } = this.#attributes;
    return labels === '' ? undefined : labels;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Labels are attached to the first output, where clients of the public ecosystem expect them. */
function infoOf({ name, type, shape }: OnnxTensorInfo, labels?: string): TensorInfo {
  return {
    name,
    description: '',
    dataType: type === 'float16' ? type : carriedAs(type),
    shape,
    associatedFiles:
      labels === undefined ? [] : [{ name: path.basename(labels), description: 'labels', labelsOf: 'value' }],
    extra: labels === undefined ? {} : { labels },
  };
}

/** Memory that holds only these elements is transferred to the thread; otherwise the elements are copied. */
function ownMemoryOf({ buffer, byteLength }: ArrayBufferView): Transferable[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function withName(name: string, thrown: unknown): ArmatureError {
  const { code, message, details } = toArmatureError(thrown);
  return new ArmatureError(code, `Model "${name}": ${message}`, { cause: thrown, details });
}

export async function build({ name, attributes, signal }: BuildContext<JsonObject>): Promise<BuiltResource> {
  const {
    model_path: file,
    label_path: labels = '',
    num_threads: threads = 0,
  } = attributes as unknown as OnnxCpuAttributes;
  await requireFile(name, 'model_path', file);
  if (labels !== '') await requireFile(name, 'label_path', labels);
  signal.throwIfAborted();
  const options: OnnxThreadOptions = {
    path: file,
    threads: threads === 0 ? Math.max(1, availableParallelism() - 1) : threads,
  };
  const thread: Thread = new ThreadCalls(new URL('../../../inference/onnx/onnx-thread.ts', import.meta.url), {
    workerData: options,
    name: 'onnx',
  });
  try {
    const answer = await thread.ask(undefined);
    if (answer.kind !== 'info') throw new ArmatureError('internal.bug', 'The thread answered out of turn.');
    return new OnnxModel(name, attributes as unknown as OnnxCpuAttributes, thread, answer.info);
  } catch (thrown) {
    await thread.close();
    throw withName(name, thrown);
  }
}

async function requireFile(name: string, attribute: string, file: string): Promise<void> {
  await access(file).catch((cause: unknown) => {
    const { code: reason } = cause as NodeJS.ErrnoException;
    const why = reason === 'ENOENT' ? 'is no file of this computer' : `cannot be read (${String(reason)})`;
    throw new ArmatureError('file.unreadable', `Model "${name}": ${attribute} ${file} ${why}.`, {
      cause,
      details: { attribute, path: file },
    });
  });
}
