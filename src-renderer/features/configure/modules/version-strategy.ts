/** The five update strategies for a module's version, from the fewest updates to the most. */
export const strategies = ['patch', 'minor', 'major', 'latest', 'prerelease'] as const;
export type Strategy = (typeof strategies)[number];

const EXACT = /^(\d+)\.(\d+)\.\d+([-+].*)?$/;
const MINOR = /^(\d+)\.(\d+)\.\*$/;
const MAJOR = /^(\d+)\.\*$/;

/** The strategy of a written version; undefined if it has the form of none. */
export function strategyOf(version: string): Strategy | undefined {
  if (version === 'latest') return 'latest';
  if (version === 'latest-with-prerelease') return 'prerelease';
  if (EXACT.test(version)) return 'patch';
  if (MINOR.test(version)) return 'minor';
  return MAJOR.test(version) ? 'major' : undefined;
}

/** Whether a written version allows an exact version. `latest` allows every one. */
function isWithin(exact: string, version: string): boolean {
  const strategy = strategyOf(version);
  if (strategy === 'patch') return exact === version;
  if (strategy === 'minor' || strategy === 'major') return exact.startsWith(version.slice(0, -1));
  return true;
}

/** The exact version for a written one: itself if it is exact, else the first known one that it allows; '' for none. */
export function baseOf(version: string, known: readonly string[]): string {
  if (strategyOf(version) === 'patch') return version;
  return known.find((exact) => EXACT.test(exact) && isWithin(exact, version)) ?? '';
}

/**
 * The version that each strategy would write, given the present version and the exact version that it stands for. '' if
 * not known yet: `1.*` alone does not tell which minor release to stay on.
 */
export function versionsFor(version: string, base: string): Readonly<Record<Strategy, string>> {
  const [, major = '', minor = ''] = EXACT.exec(base) ?? MINOR.exec(version) ?? MAJOR.exec(version) ?? [];
  return {
    patch: base,
    minor: minor === '' ? '' : `${major}.${minor}.*`,
    major: major === '' ? '' : `${major}.*`,
    latest: 'latest',
    prerelease: 'latest-with-prerelease',
  };
}
