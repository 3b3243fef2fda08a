import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { packageNameProblem, packageVersionProblem } from '../../../proto/config/model-meta.ts';
import { trainingScriptProblem } from '../../../proto/config/training-script.ts';
import {
  CreatePackageRequest,
  PackageServiceDefinition,
  PackageType,
} from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { packFolder } from '../module-commands/archive.ts';
import { badArgument, needed, readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { organizationOf } from '../module-commands/registry/organization.ts';
import { hubOptions, withHub, type RemoteCaller } from '../module-commands/registry/remote-caller.ts';
import { fileInPieces, sendAll } from '../module-commands/registry/send-all.ts';

const TYPES: readonly string[] = [
  'unspecified',
  'single_label_classification',
  'multi_label_classification',
  'object_detection',
];

/** `armature training upload`: stores a training script as a version that is not there yet. */
export async function trainingUploadCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const own = { name: 'string', version: 'string', type: 'string', public: 'boolean', json: 'boolean' } as const;
  const line = readCommandLine(args, { ...hubOptions, ...own }, 1);
  const place = path.resolve(io.cwd, needed(line.positionals[0], 'FOLDER'));
  const name = needed(line.text('name'), '--name');
  const version = needed(line.text('version'), '--version');
  const modelType = line.text('type') ?? 'unspecified';
  if (!TYPES.includes(modelType)) throw badArgument(`--type is "${modelType}"; it is one of ${TYPES.join(', ')}.`);
  const problem = packageNameProblem(name) ?? packageVersionProblem(version);
  if (problem !== undefined) throw badArgument(problem);
  const visibility = line.flag('public') ? 'public' : 'private';
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'armature-training-'));
  try {
    const { file, bytes } = await archiveOf(place, scratch);
    return await withHub(line, io, async (hub) => {
      const { id: organizationId } = await organizationOf(hub, line.text('organization'), undefined);
      await requireNew(hub, organizationId, name, version);
      async function* requests(): AsyncGenerator<CreatePackageRequest> {
        const metadata = { model_type: modelType, model_framework: 'unspecified', draft: false, url: '', visibility };
        const about = { organizationId, name, version, type: PackageType.ML_TRAINING, files: [], platform: undefined };
        yield { package: { $case: 'info', value: { ...about, metadata } } };
        for await (const value of fileInPieces(file, bytes, io)) yield { package: { $case: 'contents', value } };
      }
      await sendAll(hub, `/${PackageServiceDefinition.fullName}/CreatePackage`, CreatePackageRequest, requests());
      const item = `${organizationId}:${name}`;
      const told = { registry_item_id: item, version, type: 'ml_training', model_type: modelType, visibility };
      if (line.flag('json')) io.stdout(`${JSON.stringify(told, null, 2)}\n`);
      else io.stdout(`uploaded ${name} ${version}; jobs name it as "${item}"\n`);
      return 0;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @throws {ArmatureError} `call.bad_argument` for what is no training script, `file.unreadable` */
async function archiveOf(place: string, scratch: string): Promise<{ readonly file: string; readonly bytes: number }> {
  try {
    const found = await stat(place);
    if (!found.isDirectory()) {
      if (/\.(tar\.gz|tgz)$/.test(place)) return { file: place, bytes: found.size };
      throw badArgument(`${place} is no folder and no .tar.gz: name the folder with setup.py and model/training.py.`);
    }
    const { file, bytes, entries } = await packFolder(place, path.join(scratch, 'script.tar.gz'));
    const problem = trainingScriptProblem(entries);
    if (problem !== undefined) throw badArgument(`${place}: ${problem}`);
    return { file, bytes };
  } catch (cause) {
    if (cause instanceof ArmatureError) throw cause;
    throw new ArmatureError('file.unreadable', `${place} cannot be read (${toArmatureError(cause).message}).`, {
      cause,
    });
  }
}

/** Known problems are reported before anything is sent. */
async function requireNew(hub: RemoteCaller, organizationId: string, name: string, version: string): Promise<void> {
  const type = PackageType.ML_TRAINING;
  const request = { organizationId, name, version, type, includeUrl: false };
  const { packages } = await hub.call(PackageServiceDefinition, 'listPackages', request);
  if (packages.length === 0) return;
  const message = `${name} ${version} is there already, and a version never changes: upload it as the next one.`;
  throw new ArmatureError('registry.version_exists', message);
}
