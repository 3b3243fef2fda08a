import {
  PackageServiceDefinition,
  PackageType,
  type Package,
} from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { needed, readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { organizationOf } from '../module-commands/registry/organization.ts';
import { hubOptions, withHub } from '../module-commands/registry/remote-caller.ts';

const type = PackageType.ML_TRAINING;

/** `armature training list`: training scripts of the organization, each version on a line, the newest first. */
export function trainingListCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, json: 'boolean' }, 0);
  return withHub(line, io, async (hub) => {
    const { id: organizationId } = await organizationOf(hub, line.text('organization'), undefined);
    const request = { organizationId, name: '', version: '', type, includeUrl: false };
    const { packages } = await hub.call(PackageServiceDefinition, 'listPackages', request);
    const rows = packages.map(rowOf);
    if (line.flag('json')) io.stdout(`${JSON.stringify(rows, null, 2)}\n`);
    else io.stdout(rows.length === 0 ? 'no training scripts\n' : rows.map(lineOf).join(''));
    return 0;
  });
}

/** `armature training delete`: deletes one version. */
export function trainingDeleteCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, hubOptions, 2);
  const name = needed(line.positionals[0], 'NAME');
  const version = needed(line.positionals[1], 'VERSION');
  return withHub(line, io, async (hub) => {
    const { id: organizationId } = await organizationOf(hub, line.text('organization'), undefined);
    await hub.call(PackageServiceDefinition, 'deletePackage', { id: `${organizationId}/${name}`, version, type });
    io.stdout(`deleted ${name} ${version}\n`);
    return 0;
  });
}

function rowOf({ info, createdOn, checksum }: Package) {
  return {
    registry_item_id: `${info?.organizationId ?? ''}:${info?.name ?? ''}`,
    version: info?.version ?? '',
    uploaded_at: createdOn?.toISOString(),
    sha256: checksum,
    model_type: info?.metadata?.['model_type'],
    visibility: info?.metadata?.['visibility'] === 'public' ? 'public' : 'private',
  };
}

function lineOf({
  registry_item_id: item,
  version,
  uploaded_at: at = '',
  visibility,
}: ReturnType<typeof rowOf>): string {
  return `${item}  ${version}  ${at.slice(0, 10)}  ${visibility}\n`;
}
