/** The five update strategies of a module's version, from the calmest to the newest. */
export const strategies = ['patch', 'minor', 'major', 'latest', 'prerelease'] as const;
export type Strategy = (typeof strategies)[number];

const EXACT = /^(\d+)\.(\d+)\.\d+([-+].*)?$/;
const MINOR = /^(\d+)\.(\d+)\.\*$/;
const MAJOR = /^(\d+)\.\*$/;

/** What a written version chooses; undefined where it is none of them. */
export function strategyOf(version: string): Strategy | undefined {
  if (version === 'latest') return 'latest';
  if (version === 'latest-with-prerelease') return 'prerelease';
  if (EXACT.test(version)) return 'patch';
  if (MINOR.test(version)) return 'minor';
  return MAJOR.test(version) ? 'major' : undefined;
}

/** Whether an exact version is one that a written version may run. Every one is a `latest`. */
function isWithin(exact: string, version: string): boolean {
  const strategy = strategyOf(version);
  if (strategy === 'patch') return exact === version;
  if (strategy === 'minor' || strategy === 'major') return exact.startsWith(version.slice(0, -1));
  return true;
}

/** The exact version that a wish stands for: itself, else the first of those known that it allows; '' for none. */
export function baseOf(version: string, known: readonly string[]): string {
  if (strategyOf(version) === 'patch') return version;
  return known.find((exact) => EXACT.test(exact) && isWithin(exact, version)) ?? '';
}

/**
 * What each strategy would write, seen from what is written now and the exact version it stands for. '' where that
 * cannot be said yet: from `1.*` alone nobody knows which minor release to stay on.
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
