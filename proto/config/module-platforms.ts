/** Platforms that a module's package may be for, in the words of Go. */
export const MODULE_PLATFORMS = [
  'any',
  'any/amd64',
  'any/arm64',
  'linux/any',
  'darwin/any',
  'linux/amd64',
  'linux/arm64',
  'linux/arm32v7',
  'linux/arm32v6',
  'darwin/amd64',
  'darwin/arm64',
] as const;

/** A platform that a machine has: `linux/arm64`. */
export const MACHINE_PLATFORM = /^[a-z0-9]{1,20}\/[a-z0-9]{1,20}$/;

/** Tags of a machine or a package: `distro:debian`, `cuda:true`. */
export const PLATFORM_TAG = /^[a-z0-9_]{1,40}:[a-zA-Z0-9_.+-]{1,60}$/;

/**
 * How closely a package's platform fits a machine's: 0 not at all, 4 exactly.
 * Of several that fit, the closest is taken.
 */
export function platformFit(offered: string, machine: string): 0 | 1 | 2 | 3 | 4 {
  const [system = '', processor = ''] = machine.split('/');
  if (offered === machine) return 4;
  if (offered === `${system}/any`) return 3;
  if (offered === `any/${processor}`) return 2;
  return offered === 'any' ? 1 : 0;
}
