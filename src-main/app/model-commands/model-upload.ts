import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  frameworkOfFile,
  LARGEST_LABELS_BYTES,
  LARGEST_MODEL_BYTES,
  labelsIn,
  labelsProblem,
  MODEL_HEAD_BYTES,
  MODEL_TYPES,
  modelFileProblem,
  packageNameProblem,
  packageVersionProblem,
} from '../../../proto/config/model-meta.ts';
import { ModelServiceDefinition, UploadModelRequest } from '../../../proto/gen/core/hub/v1/models.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { badArgument, needed, readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { organizationOf } from '../module-commands/registry/organization.ts';
import { hubOptions, withHub } from '../module-commands/registry/remote-caller.ts';
import { fileInPieces, sendAll } from '../module-commands/registry/send-all.ts';

/** `armature model upload`: stores a model file as a new version. Problems are reported before it is sent. */
export async function modelUploadCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const own = { name: 'string', version: 'string', labels: 'string', type: 'string', json: 'boolean' } as const;
  const line = readCommandLine(args, { ...hubOptions, ...own }, 1);
  const file = path.resolve(io.cwd, needed(line.positionals[0], 'FILE'));
  const name = needed(line.text('name'), '--name');
  const version = needed(line.text('version'), '--version');
  const modelType = line.text('type') ?? 'unknown';
  if (!(MODEL_TYPES as readonly string[]).includes(modelType)) {
    throw badArgument(`--type is "${modelType}"; it is one of ${MODEL_TYPES.join(', ')}.`);
  }
  const problem = packageNameProblem(name) ?? packageVersionProblem(version);
  if (problem !== undefined) throw badArgument(problem);
  const { framework, bytes } = await checkedModel(file);
  const labels = await labelsOf(line.text('labels'), io);
  return withHub(line, io, async (hub) => {
    const { id: organizationId } = await organizationOf(hub, line.text('organization'), undefined);
    const { models } = await hub.call(ModelServiceDefinition, 'list', { organizationId });
    const known = models.find((model) => model.name === name)?.versions.some((one) => one.version === version);
    if (known === true) {
      const message = `${name} ${version} is there already, and a version never changes: upload it as the next one.`;
      throw new ArmatureError('registry.version_exists', message);
    }
    async function* requests(): AsyncGenerator<UploadModelRequest> {
      const value = { organizationId, name, version, modelType, framework, labels, bytes: BigInt(bytes) };
      yield { part: { $case: 'model', value } };
      for await (const piece of fileInPieces(file, bytes, io)) yield { part: { $case: 'bytes', value: piece } };
    }
    await sendAll(hub, `/${ModelServiceDefinition.fullName}/Upload`, UploadModelRequest, requests());
    const id = `${organizationId}/${name}`;
    const told = { package: id, version, type: 'ml_model', model_type: modelType, model_framework: framework, labels };
    if (line.flag('json')) io.stdout(`${JSON.stringify(told, null, 2)}\n`);
    else io.stdout(`uploaded ${name} ${version}; machines name it as "package": "${id}"\n`);
    return 0;
  });
}

/** @throws {ArmatureError} `call.bad_argument` for what is no model, `file.unreadable` */
async function checkedModel(file: string): Promise<{ readonly framework: string; readonly bytes: number }> {
  const framework = frameworkOfFile(file);
  if (framework === undefined)
    throw badArgument(`${file} is no .onnx and no .tflite file; these are the models that are taken.`);
  const head = Buffer.alloc(MODEL_HEAD_BYTES);
  const { bytes, read } = await whileReadable(file, async () => {
    const handle = await open(file);
    try {
      const { bytesRead } = await handle.read(head, 0, MODEL_HEAD_BYTES, 0);
      return { bytes: (await handle.stat()).size, read: bytesRead };
    } finally {
      await handle.close();
    }
  });
  if (bytes > LARGEST_MODEL_BYTES) throw badArgument(`${file} has ${bytes} bytes; ${LARGEST_MODEL_BYTES} is the most.`);
  const problem = modelFileProblem(framework, head.subarray(0, read));
  if (problem !== undefined) throw badArgument(`${file}: ${problem}`);
  return { framework, bytes };
}

async function labelsOf(named: string | undefined, io: ModuleIo): Promise<string[]> {
  if (named === undefined) return [];
  const file = path.resolve(io.cwd, named);
  const text = await whileReadable(file, async () => {
    const { size } = await stat(file);
    if (size > LARGEST_LABELS_BYTES)
      throw badArgument(`${file} has ${size} bytes; labels have at most ${LARGEST_LABELS_BYTES}.`);
    return readFile(file, 'utf8');
  });
  const labels = labelsIn(text);
  const problem = labels.length === 0 ? 'It has no label. Write one on each line.' : labelsProblem(labels);
  if (problem !== undefined) throw badArgument(`${file}: ${problem}`);
  return [...labels];
}

async function whileReadable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ArmatureError) throw cause;
    throw new ArmatureError('file.unreadable', `${file} cannot be read (${toArmatureError(cause).message}).`, {
      cause,
    });
  }
}
