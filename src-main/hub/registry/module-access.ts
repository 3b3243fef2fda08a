import type { Caller } from '../access/caller.ts';
import { organizationPlace } from '../places/place.ts';
import type { CatalogModule, ModuleRow } from './catalog.ts';
import { noModule } from './module-ids.ts';
import type { Registry } from './registry.ts';

/** Whether a caller may see and run a module: everybody if it is public or unlisted, else only its organization. */
export function mayUse(caller: Caller, row: ModuleRow): boolean {
  return row.visibility !== 'private' || caller.may('module.read', organizationPlace(row.organization_id));
}

export function mayPublish(caller: Caller, row: ModuleRow): boolean {
  return caller.may('module.publish', organizationPlace(row.organization_id));
}

/** @throws {ArmatureError} `call.not_found`, the same for a missing module and one that the caller may not use */
export async function usableModule(registry: Registry, caller: Caller, moduleId: string): Promise<CatalogModule> {
  const found = await registry.get(moduleId);
  if (!mayUse(caller, found.row)) throw noModule(moduleId);
  return found;
}

/** @throws {ArmatureError} `call.not_found`; `access.denied` if the caller may use the module but not publish it */
export async function ownModule(registry: Registry, caller: Caller, moduleId: string): Promise<CatalogModule> {
  const found = await usableModule(registry, caller, moduleId);
  if (mayPublish(caller, found.row)) return found;
  throw caller.denied('module.publish', { type: 'organization', id: found.row.organization_id });
}
