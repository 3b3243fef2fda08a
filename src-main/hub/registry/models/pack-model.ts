import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import {
  frameworkOfFile,
  LARGEST_MODEL_BYTES,
  labelsProblem,
  MODEL_FRAMEWORKS,
  MODEL_HEAD_BYTES,
  MODEL_LABELS_FILE,
  MODEL_META_FILE,
  MODEL_TYPES,
  modelFileProblem,
  type ModelFramework,
  type ModelMeta,
  type ModelType,
} from '../../../../proto/config/model-meta.ts';
import type { ModelUpload } from '../../../../proto/gen/core/hub/v1/models.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { addFile, tarGzip } from '../../../base/tar/tar-gzip.ts';

/**
 * The content of `model.json` for an upload.
 * @param now wall-clock milliseconds
 * @throws {ArmatureError} `call.bad_argument`, `call.too_large`
 */
export function modelMeta({ name, version, modelType, framework, labels, bytes }: ModelUpload, now: number): ModelMeta {
  const type = modelType === '' ? 'unknown' : modelType;
  const form = framework === '' ? MODEL_FRAMEWORKS[0] : framework.toLowerCase();
  if (!(MODEL_TYPES as readonly string[]).includes(type)) throw refused('model type', type, MODEL_TYPES);
  if (frameworkOfFile(`.${form}`) === undefined) throw refused('framework', framework, MODEL_FRAMEWORKS);
  const problem = labelsProblem(labels);
  if (problem !== undefined) throw new ArmatureError('call.bad_argument', problem);
  if (bytes > BigInt(LARGEST_MODEL_BYTES)) {
    throw new ArmatureError('call.too_large', `The model has ${bytes} bytes; ${LARGEST_MODEL_BYTES} is the most.`);
  }
  return {
    name,
    version,
    model_type: type as ModelType,
    model_framework: form as ModelFramework,
    model_file: `${name}.${form}`,
    labels_file: labels.length === 0 ? '' : MODEL_LABELS_FILE,
    labels,
    uploaded_on: new Date(now).toISOString().slice(0, 10),
  };
}

/**
 * Packs a model: `model.json`, `labels.txt` if it has labels, and the model file. Produces the archive as fast as the
 * consumer reads.
 * @param bytes size of `contents`
 * @param card more entries for `model.json`, beside `meta`
 * @throws {ArmatureError} `call.bad_argument` if the contents are not a model or have another size
 */
export function packModel(
  meta: ModelMeta,
  bytes: number,
  contents: AsyncIterable<Uint8Array>,
  card: Readonly<Record<string, unknown>> = {},
): AsyncGenerator<Uint8Array> {
  return tarGzip((tar) => write(tar, meta, card, bytes, contents));
}

async function write(
  tar: Pack,
  meta: ModelMeta,
  card: Readonly<Record<string, unknown>>,
  bytes: number,
  contents: AsyncIterable<Uint8Array>,
): Promise<void> {
  const mtime = new Date(`${meta.uploaded_on}T00:00:00Z`);
  const addText = (name: string, text: string): Promise<void> => addFile(tar, { name, mtime, mode: 0o644 }, text);
  await addText(MODEL_META_FILE, `${JSON.stringify({ ...card, ...meta }, undefined, 2)}\n`);
  if (meta.labels_file !== '') await addText(meta.labels_file, `${meta.labels.join('\n')}\n`);
  const header = { name: meta.model_file, mtime, mode: 0o644, size: bytes };
  await pipeline(
    checked(meta, bytes, contents),
    tar.entry(header, () => undefined),
  );
  tar.finalize();
}

/** Passes the bytes of a model on. Checks its first bytes, which tell whether it is a model, and its size. */
async function* checked(
  { model_framework: framework, model_file: file }: ModelMeta,
  bytes: number,
  contents: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const wrongSize = (found: string): ArmatureError =>
    new ArmatureError('call.bad_argument', `${file} has ${found} bytes than the ${bytes} that were announced.`);
  let head: Buffer | undefined = Buffer.alloc(0);
  let count = 0;
  const checkHead = (): void => {
    const problem = modelFileProblem(framework, head ?? Buffer.alloc(0));
    if (problem !== undefined) throw new ArmatureError('call.bad_argument', problem);
  };
  for await (const chunk of contents) {
    count += chunk.length;
    if (count > bytes) throw wrongSize('more');
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < MODEL_HEAD_BYTES && count < bytes) continue;
    checkHead();
    yield head;
    head = undefined;
  }
  if (head !== undefined) checkHead();
  if (count < bytes) throw wrongSize('fewer');
}

function refused(what: string, found: string, allowed: readonly string[]): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    `The ${what} "${found.slice(0, 60)}" is not supported: it is one of ${allowed.join(', ')}.`,
  );
}
