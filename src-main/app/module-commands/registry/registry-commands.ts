import path from 'node:path';
import { RegistryServiceDefinition, type RegistryModule } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { systemClock } from '../../../base/clock.ts';
import { TrustedKeys } from '../../../machine/packages/registry/trusted-keys.ts';
import { homeFolder } from '../../home.ts';
import { needed, readCommandLine, UsageError, type ModuleIo } from '../module-io.ts';
import { hubOptions, withHub, type RemoteCaller } from './remote-caller.ts';

const PAGE = 200;

/** `armature module search`: modules that the caller may use, the best match first. */
export function searchCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, json: 'boolean' }, 1);
  return withHub(line, io, async (hub) => {
    print(await modulesOf(hub, line.positionals[0] ?? ''), line.flag('json'), io);
    return 0;
  });
}

/** `armature module list`: modules that the caller may publish. */
export function listCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, json: 'boolean' }, 0);
  return withHub(line, io, async (hub) => {
    print(
      (await modulesOf(hub, '')).filter(({ mayPublish }) => mayPublish),
      line.flag('json'),
      io,
    );
    return 0;
  });
}

/** `armature module yank`: takes a version out of every update channel, or puts it back. */
export function yankCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, reason: 'string', undo: 'boolean' }, 2);
  const moduleId = needed(line.positionals[0], 'MODULE');
  const version = needed(line.positionals[1], 'VERSION');
  const isUndone = line.flag('undo');
  const reason = line.text('reason') ?? '';
  if (!isUndone && reason === '')
    throw new UsageError('--reason is missing: everybody who used the version is shown it.');
  return withHub(line, io, async (hub) => {
    await hub.call(RegistryServiceDefinition, 'yank', { moduleId, version, reason, isUndone });
    io.stdout(isUndone ? `${moduleId} ${version} is offered again\n` : `${moduleId} ${version} is no longer offered\n`);
    return 0;
  });
}

/** `armature module trust`: which keys sign modules on this computer, and a person's word for another one. */
export async function trustCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { json: 'boolean' }, 2);
  const keys = new TrustedKeys(path.join(homeFolder(io.env), 'packages'), systemClock);
  const [namespace, keyId] = line.positionals;
  if (namespace !== undefined && keyId !== undefined) {
    await keys.accept(namespace, keyId);
    io.stdout(`modules of ${namespace} may be signed by the key ${keyId} from now on\n`);
    return 0;
  }
  const known = (await keys.list()).filter((one) => namespace === undefined || one.namespace === namespace);
  if (line.flag('json')) {
    const rows = known.map((one) => ({ namespace: one.namespace, key: one.keyId, is_accepted: one.isAccepted }));
    io.stdout(`${JSON.stringify(rows, null, 2)}\n`);
  } else if (known.length === 0) io.stdout('no key is known on this computer\n');
  for (const one of line.flag('json') ? [] : known) {
    const next = one.isAccepted ? '' : `  refused; to accept it: armature module trust ${one.namespace} ${one.keyId}`;
    io.stdout(`${one.namespace}  ${one.keyId}${next}\n`);
  }
  return 0;
}

async function modulesOf(hub: RemoteCaller, text: string): Promise<readonly RegistryModule[]> {
  const found: RegistryModule[] = [];
  let pageToken = '';
  do {
    const request = { text, namespaces: [], api: '', limit: PAGE, pageToken };
    const page = await hub.call(RegistryServiceDefinition, 'search', request);
    found.push(...page.modules);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
}

function print(modules: readonly RegistryModule[], isJson: boolean, io: ModuleIo): void {
  if (isJson) {
    const rows = modules.map((one) => ({
      module_id: one.moduleId,
      latest: one.latest || null,
      latest_prerelease: one.latestPrerelease || null,
      description: one.description,
      platforms: one.platforms,
      models: one.models.map(({ api, model }) => ({ api, model })),
      machines: one.machines,
      may_publish: one.mayPublish,
    }));
    io.stdout(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  if (modules.length === 0) io.stdout('no modules\n');
  for (const { moduleId, latest, latestPrerelease, description } of modules) {
    const version = latest || latestPrerelease || 'no version yet';
    io.stdout(`${moduleId}  ${version}${description === '' ? '' : `  ${description}`}\n`);
  }
}
