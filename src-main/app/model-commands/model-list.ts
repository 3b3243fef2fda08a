import { PackageServiceDefinition, PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { ModelServiceDefinition, type Model } from '../../../proto/gen/core/hub/v1/models.ts';
import { ArmatureError } from '../../base/errors.ts';
import { badArgument, needed, readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { hubOptions, withHub, type RemoteCaller } from '../module-commands/registry/remote-caller.ts';

/** `armature model list`: models that the caller may use, with their versions. */
export function modelListCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, json: 'boolean' }, 0);
  return withHub(line, io, async (hub) => {
    const models = await modelsOf(hub, line.text('organization'));
    if (line.flag('json')) {
      io.stdout(`${JSON.stringify(models.map(rowOf), null, 2)}\n`);
      return 0;
    }
    if (models.length === 0) io.stdout('no models\n');
    for (const { id, name, versions } of models) {
      io.stdout(`${name}  ${id}\n`);
      for (const { version, bytes, uploadedAt, modelType, framework, labels } of versions) {
        const day = uploadedAt?.toISOString().slice(0, 10) ?? '';
        const named = labels.length === 0 ? 'no labels' : `${labels.length} labels`;
        io.stdout(`  ${version}  ${day}  ${bytes.toLocaleString('en')} bytes  ${framework}  ${modelType}  ${named}\n`);
      }
    }
    return 0;
  });
}

/** `armature model delete`: deletes one version. */
export function modelDeleteCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, hubOptions, 2);
  const name = needed(line.positionals[0], 'NAME');
  const version = needed(line.positionals[1], 'VERSION');
  return withHub(line, io, async (hub) => {
    const found = (await modelsOf(hub, line.text('organization'))).filter(
      (one) => one.name === name || one.id === name,
    );
    const [only, ...others] = found;
    if (only === undefined)
      throw new ArmatureError('call.not_found', `${hub.address} shows no model "${name}" to this key.`);
    if (others.length > 0) {
      throw badArgument(
        `Several organizations have a model "${name}": ${found.map(({ id }) => id).join(', ')}. Write one of these.`,
      );
    }
    await hub.call(PackageServiceDefinition, 'deletePackage', { id: only.id, version, type: PackageType.ML_MODEL });
    io.stdout(`deleted ${name} ${version}\n`);
    return 0;
  });
}

async function modelsOf(hub: RemoteCaller, organizationId = ''): Promise<readonly Model[]> {
  return (await hub.call(ModelServiceDefinition, 'list', { organizationId })).models;
}

function rowOf({ id, name, versions }: Model): object {
  return {
    package: id,
    name,
    versions: versions.map((one) => ({
      version: one.version,
      bytes: Number(one.bytes),
      sha256: one.sha256,
      uploaded_at: one.uploadedAt?.toISOString(),
      uploaded_by: one.uploadedBy,
      model_type: one.modelType,
      model_framework: one.framework,
      labels: one.labels,
    })),
  };
}
