import { permissions, roleAllows, type Role } from '../../../proto/config/permissions.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Principal } from '../principal.ts';
import type { ServerCall } from '../call.ts';
import type { AccessControl } from './access-control.ts';

/**
 * A caller's role for the machine that it calls, by its authentication. A key's role is the current one. Undefined for
 * a caller without a role.
 */
export function roleOf({ kind, entity }: Principal, { keys }: Pick<AccessControl, 'keys'>): Role | undefined {
  switch (kind) {
    case 'local':
    case 'loopback':
    case 'launch-token':
    case 'user':
    // The hub has checked requests for its callers against the same table.
    case 'hub':
      return 'owner';
    // A module of the machine: its key at the port and its own socket give the same role.
    case 'module':
      return 'operator';
    case 'api-key': {
      const role = keys.role(entity);
      return role === 'unknown' ? undefined : role;
    }
    case 'anonymous':
    case 'part-secret':
    case 'module-key':
      return undefined;
  }
}

/**
 * Checks in the table that the hub also uses whether a caller may make this call, at a machine's own port. Sets the
 * role of the call's principal.
 * @throws {ArmatureError} `access.denied`
 */
export function requirePermission(call: ServerCall, access: Pick<AccessControl, 'keys' | 'refusals'>): void {
  const { method, principal, connection } = call;
  const { needs } = method.traits;
  if (needs === 'anyone' || needs === 'hub') return;
  const role = roleOf(principal, access);
  if (role !== undefined && roleAllows(role, needs)) {
    call.principal = { ...principal, role };
    return;
  }
  const roles = permissions[needs].filter((one) => one !== 'part');
  const is = role === undefined ? 'has no role' : `is ${role}`;
  const message = `"${needs}" on this machine needs the role ${roles.join(' or ')}; this caller (${principal.kind} ${principal.entity}) ${is}. Use a key that has it.`;
  access.refusals.record('not-permitted', connection.remoteAddress, method.path, message);
  throw new ArmatureError('access.denied', message, { details: { action: needs } });
}
