import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';
import { platformFit } from './module-platforms.ts';

/** The value of a module's `version` in its parts: one version, or a channel of updates. */
export type VersionChoice =
  | { readonly kind: 'exact'; readonly version: string }
  /** `1.2.*` */
  | { readonly kind: 'patches'; readonly major: number; readonly minor: number }
  /** `1.*` */
  | { readonly kind: 'minors'; readonly major: number }
  | { readonly kind: 'latest' }
  | { readonly kind: 'latest-with-prerelease' };

/** What a newly added module has. */
export const DEFAULT_VERSION = 'latest';

/** The five forms, for messages. */
export const VERSION_FORMS = 'X.Y.Z, X.Y.*, X.*, latest or latest-with-prerelease';

const CHANNEL = /^(0|[1-9]\d{0,8})\.(?:(0|[1-9]\d{0,8})\.)?\*$/;

/**
 * Whether a text is an exact version as it may be published: by semver, as
 * short as it can be written, and without `+build`, which has no order.
 */
export function isVersion(text: string): boolean {
  return parse(text)?.version === text;
}

/** Whether an exact version comes before its release: `1.2.0-rc.1`. */
export function isPrerelease(version: string): boolean {
  return (parse(version)?.prerelease.length ?? 0) > 0;
}

/** Order by semver, the oldest first. Of exact versions only. */
export function compareVersions(a: string, b: string): number {
  return compare(a, b);
}

/** Reads the `version` of a module; undefined for what is none of the five forms. */
export function parseVersionChoice(text: string): VersionChoice | undefined {
  if (text === 'latest' || text === 'latest-with-prerelease') return { kind: text };
  const channel = CHANNEL.exec(text);
  if (channel === null) return isVersion(text) ? { kind: 'exact', version: text } : undefined;
  const major = Number(channel[1]);
  return channel[2] === undefined ? { kind: 'minors', major } : { kind: 'patches', major, minor: Number(channel[2]) };
}

/** Whether a choice may ever take this version, whatever the platform. */
export function isInChannel(choice: VersionChoice, version: string): boolean {
  if (choice.kind === 'exact') return version === choice.version;
  const parsed = parse(version);
  if (parsed === null) return false;
  if (choice.kind === 'latest-with-prerelease') return true;
  if (parsed.prerelease.length > 0) return false;
  if (choice.kind === 'latest') return true;
  return parsed.major === choice.major && (choice.kind === 'minors' || parsed.minor === choice.minor);
}

/** One package of a published version. */
export interface PublishedFile {
  /** One of {@link MODULE_PLATFORMS}. */
  readonly platform: string;
  /** A machine has to have all of them. */
  readonly tags: readonly string[];
}

export interface PublishedVersion {
  readonly version: string;
  /** Why it was taken out of every channel; '' where it was not. */
  readonly yanked: string;
  readonly files: readonly PublishedFile[];
}

/** The machine that a version is chosen for. */
export interface MachinePlatform {
  readonly platform: string;
  readonly tags: readonly string[];
}

/** The version that would run, or why there is none. */
export interface VersionAnswer {
  /** Exact; '' where there is none. */
  readonly version: string;
  /** Of the package. */
  readonly platform: string;
  /** For people: why this one. */
  readonly reason: string;
  /** For people: why there is none, and what to do. */
  readonly problem: string;
}

/** At most so many of the versions that were passed over are named in a reason. */
const MOST_NAMED = 3;

/**
 * Chooses a version of a module for a machine. Newest by semver; yanked ones
 * only where they are named exactly; prereleases only for `latest-with-prerelease`
 * or by name; those that have no package for the machine are passed over, which the reason says.
 */
export function chooseVersion(
  moduleId: string,
  wanted: string,
  published: readonly PublishedVersion[],
  machine: MachinePlatform,
): VersionAnswer {
  const choice = parseVersionChoice(wanted);
  if (choice === undefined) return none(`"version" of ${moduleId} is "${wanted}": write ${VERSION_FORMS}.`);
  if (published.length === 0) return none(`${moduleId} has no version yet: upload one.`);
  const newestFirst = [...published].sort((a, b) => compare(b.version, a.version));
  const candidates = newestFirst.filter(({ version }) => isInChannel(choice, version));
  if (candidates.length === 0) return none(notThere(moduleId, wanted, choice, newestFirst));
  if (choice.kind === 'exact') return exactly(moduleId, candidates[0] as PublishedVersion, machine);
  const passedOver: string[] = [];
  for (const candidate of candidates) {
    const why = whyNot(candidate, machine);
    if (why === '') {
      const reason = `${wordsOf(choice, wanted)} for ${machine.platform}${listed(passedOver)}`;
      return { version: candidate.version, platform: closest(candidate, machine) ?? '', reason, problem: '' };
    }
    passedOver.push(`${candidate.version} ${why}`);
  }
  return none(
    `${moduleId} has nothing to run for "${wanted}" on ${machine.platform}${listed(passedOver, ': ')}. Choose another version, or publish one for this platform.`,
  );
}

function exactly(moduleId: string, found: PublishedVersion, machine: MachinePlatform): VersionAnswer {
  const { version, yanked } = found;
  const platform = closest(found, machine);
  if (platform === undefined) {
    const why = whyNot({ ...found, yanked: '' }, machine);
    return none(`${moduleId} ${version} ${why}, and this machine is ${machine.platform}. Choose another version.`);
  }
  const reason = `exactly ${version}${yanked === '' ? '' : `, although it is yanked: ${yanked}`}`;
  return { version, platform, reason, problem: '' };
}

/** Platform of the package that fits best. */
function closest({ files }: PublishedVersion, { platform, tags }: MachinePlatform): string | undefined {
  const fitting = files
    .map((file) => ({ platform: file.platform, fit: platformFit(file.platform, platform), file }))
    .filter(({ fit, file }) => fit > 0 && file.tags.every((tag) => tags.includes(tag)))
    .sort((a, b) => b.fit - a.fit);
  return fitting[0]?.platform;
}

/** Why a channel passes a version over; '' where it does not. */
function whyNot(version: PublishedVersion, machine: MachinePlatform): string {
  if (version.yanked !== '') return 'is yanked';
  if (closest(version, machine) !== undefined) return '';
  const fitting = version.files.filter(({ platform }) => platformFit(platform, machine.platform) > 0);
  const lacking = fitting.map(({ tags }) => tags.filter((tag) => !machine.tags.includes(tag)));
  if (lacking.length > 0) return `needs ${[...new Set(lacking.flat())].join(' and ')}`;
  if (version.files.length === 0) return 'has no package';
  return `is only for ${version.files.map(({ platform }) => platform).join(', ')}`;
}

function notThere(
  moduleId: string,
  wanted: string,
  choice: VersionChoice,
  newestFirst: readonly PublishedVersion[],
): string {
  const newest = newestFirst[0]?.version ?? '';
  const hasReleases = newestFirst.some(({ version }) => !isPrerelease(version));
  if (choice.kind === 'latest' || (choice.kind !== 'exact' && !hasReleases)) {
    return `${moduleId} has prereleases only, the newest ${newest}: choose "latest-with-prerelease" or one of them.`;
  }
  return `${moduleId} has no version ${wanted}; its newest is ${newest}. Choose another version.`;
}

function wordsOf({ kind }: VersionChoice, wanted: string): string {
  if (kind === 'latest') return 'newest release';
  return kind === 'latest-with-prerelease' ? 'newest release or prerelease' : `newest of ${wanted}`;
}

/** @param newestFirst what was passed over; listed oldest first */
function listed(newestFirst: readonly string[], before = '; '): string {
  if (newestFirst.length === 0) return '';
  const named = newestFirst.slice(0, MOST_NAMED).reverse().join(', ');
  const others = newestFirst.length - MOST_NAMED;
  return `${before}${named}${others > 0 ? ` and ${others} more` : ''}`;
}

function none(problem: string): VersionAnswer {
  return { version: '', platform: '', reason: '', problem };
}
