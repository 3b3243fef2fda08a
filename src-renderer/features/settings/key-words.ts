import type { RoleView } from '../../shared/machine/fleet-view.ts';
import type { Text } from '../../shared/text.ts';

/** The name of the organization, location or machine of a role; undefined if it was deleted. */
export type NameOf = (role: RoleView) => string | undefined;

/** What a role allows, as the end of a sentence: `may do everything in Lab 2`. */
export function roleWords(role: RoleView, nameOf: NameOf, t: Text): string {
  const place = nameOf(role) ?? t('settings.keys.role.gone');
  if (role.role === 'part') return t('settings.keys.role.part', { place });
  const isMachine = role.kind === 'machine' || role.kind === 'part';
  if (role.role === 'owner')
    return t(isMachine ? 'settings.keys.role.ownerMachine' : 'settings.keys.role.owner', { place });
  return t(isMachine ? 'settings.keys.role.operatorMachine' : 'settings.keys.role.operator', { place });
}

/** All roles of a key in one line. */
export function rolesWords(roles: readonly RoleView[], nameOf: NameOf, t: Text): string {
  if (roles.length === 0) return t('settings.keys.role.nothing');
  return roles
    .map((role) => roleWords(role, nameOf, t))
    .reduce((first, second) => t('settings.keys.role.and', { first, second }));
}
