import { chooseVersion } from '../../../proto/config/module-versions.ts';
import { MACHINE_PLATFORM } from '../../../proto/config/module-platforms.ts';
import type { ModuleWant, Resolution } from '../../../proto/gen/core/hub/v1/registry.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Caller } from '../access/caller.ts';
import { readablePackage, storedType } from './models/package-calls.ts';
import { usableModule } from './module-access.ts';
import type { Registry } from './registry.ts';

/**
 * Resolves what each of these wants would run now, in their order. A want that cannot be met has a problem. Throws only
 * if the store fails.
 */
export function resolveWants(registry: Registry, caller: Caller, wants: readonly ModuleWant[]): Promise<Resolution[]> {
  return Promise.all(wants.map((want) => resolveWant(registry, caller, want)));
}

async function resolveWant(registry: Registry, caller: Caller, want: ModuleWant): Promise<Resolution> {
  const { moduleId, version, platform, platformTags: tags } = want;
  if (want.type !== '') return resolvePackage(registry, caller, want);
  const none = (problem: string): Resolution => ({ want, version: '', platform: '', reason: '', problem });
  if (!MACHINE_PLATFORM.test(platform)) {
    return none(
      `The platform "${platform.slice(0, 60)}" of the machine is not valid: write SYSTEM/PROCESSOR, for example linux/arm64.`,
    );
  }
  try {
    const { row, versions } = await usableModule(registry, caller, moduleId);
    const answer = chooseVersion(moduleId, version, versions, { platform, tags });
    const warning = row.deprecated === '' || answer.version === '' ? '' : `; deprecated: ${row.deprecated}`;
    return { want, ...answer, reason: answer.reason + warning };
  } catch (thrown) {
    const error = toArmatureError(thrown);
    if (error.code !== 'call.not_found') throw error;
    return none(`${error.message} Check "module_id".`);
  }
}

/** Packages other than modules have no platform. */
async function resolvePackage(registry: Registry, caller: Caller, want: ModuleWant): Promise<Resolution> {
  const { moduleId: id, version } = want;
  const none = (problem: string): Resolution => ({ want, version: '', platform: '', reason: '', problem });
  try {
    const name = { ...readablePackage(caller, id), type: storedType(want.type) };
    return { want, ...(await registry.others.resolve(name, version)) };
  } catch (thrown) {
    const error = toArmatureError(thrown);
    if (error.code === 'call.not_found') return none(`${error.message} Check "package".`);
    if (error.code === 'call.bad_argument') return none(error.message);
    throw error;
  }
}
