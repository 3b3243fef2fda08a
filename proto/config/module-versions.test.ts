import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODULE_PLATFORMS, platformFit } from './module-platforms.ts';
import {
  chooseVersion,
  compareVersions,
  isInChannel,
  isPrerelease,
  isVersion,
  parseVersionChoice,
  type PublishedVersion,
  type VersionChoice,
} from './module-versions.ts';

const here = { platform: 'linux/arm64', tags: ['distro:debian', 'os_version:12'] };

const published = (
  version: string,
  platform = 'linux/any',
  more: Partial<PublishedVersion> = {},
): PublishedVersion => ({
  version,
  yanked: '',
  files: [{ platform, tags: [] }],
  ...more,
});
const choose = (wanted: string, versions: readonly PublishedVersion[]) =>
  chooseVersion('acme:motors', wanted, versions, here);

describe('versions', () => {
  it.each(['0.0.1', '1.2.3', '10.20.30', '1.2.3-rc.1', '1.0.0-0.3.7', '1.0.0-x-y-z.4'])('%s is one', (text) =>
    expect(isVersion(text)).toBe(true),
  );
  it.each([
    '',
    '1',
    '1.2',
    'v1.2.3',
    '=1.2.3',
    ' 1.2.3',
    '1.2.3 ',
    '01.2.3',
    '1.2.03',
    '1.2.3-01',
    '1.2.3+build',
    '1.2.*',
    'latest',
    '1.2.3-',
    '1.2.99999999999999999999',
  ])('"%s" is none', (text) => expect(isVersion(text)).toBe(false));

  it.each<readonly [string, VersionChoice | undefined]>([
    ['1.2.3', { kind: 'exact', version: '1.2.3' }],
    ['1.2.3-rc.1', { kind: 'exact', version: '1.2.3-rc.1' }],
    ['1.2.*', { kind: 'patches', major: 1, minor: 2 }],
    ['0.*', { kind: 'minors', major: 0 }],
    ['latest', { kind: 'latest' }],
    ['latest-with-prerelease', { kind: 'latest-with-prerelease' }],
    ...['', '*', '1', '1.2', '1.x', '^1.2.3', '01.*', '1.2.3.*', 'Latest', '>=1.0.0', '1.*.2'].map(
      (text) => [text, undefined] as const,
    ),
  ])('"%s" is read as %j', (text, expected) => expect(parseVersionChoice(text)).toEqual(expected));

  it('the order is that of semver, prereleases before their release, numbers as numbers', () => {
    const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'];
    const all = [...ordered, '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0'];
    expect([...all].reverse().sort(compareVersions)).toEqual(all);
  });
});

describe('channels', () => {
  const releases = ['1.2.3', '1.2.4', '1.3.0', '2.0.0'].map((version) => published(version));

  it.each([
    ['1.2.3', '1.2.3', 'exactly 1.2.3'],
    ['1.2.*', '1.2.4', 'newest of 1.2.* for linux/arm64'],
    ['1.*', '1.3.0', 'newest of 1.* for linux/arm64'],
    ['latest', '2.0.0', 'newest release for linux/arm64'],
    ['latest-with-prerelease', '2.0.0', 'newest release or prerelease for linux/arm64'],
  ])('"%s" takes %s: %s', (wanted, version, reason) => {
    expect(choose(wanted, releases)).toEqual({ version, platform: 'linux/any', reason, problem: '' });
  });

  it('a prerelease is taken by the last channel and by its name alone', () => {
    const versions = [...releases, published('2.1.0-rc.1'), published('1.2.5-beta')];
    expect(choose('latest', versions).version).toBe('2.0.0');
    expect(choose('1.2.*', versions).version).toBe('1.2.4');
    expect(choose('latest-with-prerelease', versions).version).toBe('2.1.0-rc.1');
    expect(choose('1.2.5-beta', versions).version).toBe('1.2.5-beta');
    // The release comes after it.
    expect(choose('latest-with-prerelease', [...versions, published('2.1.0')]).version).toBe('2.1.0');
  });

  it('what is yanked or for others is passed over, and the reason says so', () => {
    const versions = [...releases, published('1.2.5', 'linux/amd64'), published('1.2.6', 'any', { yanked: 'burns' })];
    expect(choose('1.2.*', versions)).toMatchObject({
      version: '1.2.4',
      reason: 'newest of 1.2.* for linux/arm64; 1.2.5 is only for linux/amd64, 1.2.6 is yanked',
    });
    expect(choose('1.2.6', versions)).toMatchObject({
      version: '1.2.6',
      platform: 'any',
      reason: 'exactly 1.2.6, although it is yanked: burns',
    });
  });

  it('names three of those that it passes over, and counts the others', () => {
    const versions = [published('1.2.0'), ...[1, 2, 3, 4, 5].map((patch) => published(`1.2.${patch}`, 'darwin/any'))];
    expect(choose('1.2.*', versions).reason).toBe(
      'newest of 1.2.* for linux/arm64; 1.2.3 is only for darwin/any, 1.2.4 is only for darwin/any, 1.2.5 is only for darwin/any and 2 more',
    );
  });

  it.each([
    ['1.x', releases, '"version" of acme:motors is "1.x": write X.Y.Z, X.Y.*, X.*, latest or latest-with-prerelease.'],
    ['latest', [], 'acme:motors has no version yet: upload one.'],
    ['1.2.9', releases, 'acme:motors has no version 1.2.9; its newest is 2.0.0. Choose another version.'],
    ['3.*', releases, 'acme:motors has no version 3.*; its newest is 2.0.0. Choose another version.'],
    [
      'latest',
      [published('1.0.0-rc.1')],
      'acme:motors has prereleases only, the newest 1.0.0-rc.1: choose "latest-with-prerelease" or one of them.',
    ],
    [
      '1.0.0',
      [published('1.0.0', 'linux/amd64')],
      'acme:motors 1.0.0 is only for linux/amd64, and this machine is linux/arm64. Choose another version.',
    ],
    [
      'latest',
      [published('1.0.0', 'linux/amd64'), published('1.0.1', 'any', { yanked: 'burns' })],
      'acme:motors has nothing to run for "latest" on linux/arm64: 1.0.0 is only for linux/amd64, 1.0.1 is yanked. Choose another version, or publish one for this platform.',
    ],
  ])('"%s" of %j: %#', (wanted, versions, problem) => {
    expect(choose(wanted, versions)).toEqual({ version: '', platform: '', reason: '', problem });
  });
});

describe('platforms', () => {
  it('the closest package is taken: exact, system, processor, any', () => {
    const order = ['linux/arm64', 'linux/any', 'any/arm64', 'any'];
    for (let count = order.length; count > 0; count--) {
      const files = order.slice(-count).map((platform) => ({ platform, tags: [] }));
      expect(choose('latest', [published('1.0.0', '', { files: [...files].reverse() })]).platform).toBe(
        files[0]?.platform,
      );
    }
  });

  it('a package of another processor or system never runs', () => {
    for (const platform of MODULE_PLATFORMS) {
      const runs = ['any', 'any/arm64', 'linux/any', 'linux/arm64'].includes(platform);
      expect([platform, platformFit(platform, 'linux/arm64') > 0]).toEqual([platform, runs]);
    }
  });

  it('all tags of a package have to be the machine’s', () => {
    const tagged = (...tags: string[]) => published('1.0.0', '', { files: [{ platform: 'linux/arm64', tags }] });
    expect(choose('latest', [tagged('distro:debian')]).version).toBe('1.0.0');
    expect(choose('latest', [tagged('distro:debian', 'cuda:true')]).problem).toContain('1.0.0 needs cuda:true');
    const other = [tagged('cuda:true'), published('0.9.0')];
    expect(choose('latest', other)).toMatchObject({
      version: '0.9.0',
      reason: 'newest release for linux/arm64; 1.0.0 needs cuda:true',
    });
  });
});

describe('whatever was published', () => {
  const number = fc.nat(4);
  const version = fc
    .tuple(number, number, number, fc.constantFrom('', '', '-rc.1', '-rc.2', '-beta'))
    .map(([major, minor, patch, rest]) => `${major}.${minor}.${patch}${rest}`);
  const file = fc.record({
    platform: fc.constantFrom(...MODULE_PLATFORMS),
    tags: fc.constantFrom<string[]>([], [], ['distro:debian'], ['cuda:true']),
  });
  const one = fc.record({ version, yanked: fc.constantFrom('', '', 'bad'), files: fc.array(file, { maxLength: 3 }) });
  const all = fc.uniqueArray(one, { selector: (it) => it.version, maxLength: 12 });
  const wanted = fc.oneof(
    version,
    fc.tuple(number, number).map(([major, minor]) => `${major}.${minor}.*`),
    number.map((major) => `${major}.*`),
    fc.constantFrom('latest', 'latest-with-prerelease'),
  );

  it('the answer is the newest that the rules allow, or there is none and a problem', () => {
    fc.assert(
      fc.property(all, wanted, (versions, want) => {
        const choice = parseVersionChoice(want);
        if (choice === undefined) throw new Error(want);
        const runs = ({ files }: PublishedVersion): boolean =>
          files.some(
            ({ platform, tags }) =>
              platformFit(platform, here.platform) > 0 && tags.every((tag) => here.tags.includes(tag)),
          );
        const allowed = versions
          .filter((it) => isInChannel(choice, it.version) && runs(it))
          .filter(({ yanked }) => choice.kind === 'exact' || yanked === '')
          .map((it) => it.version)
          .sort(compareVersions);
        const answer = choose(want, versions);
        expect(answer.version).toBe(allowed.at(-1) ?? '');
        expect(answer.problem === '').toBe(answer.version !== '');
        expect(answer.reason === '').toBe(answer.version === '');
      }),
      { numRuns: 1_000 },
    );
  });

  it('what another machine or the order of publishing has to do with it is nothing', () => {
    fc.assert(
      fc.property(all, wanted, (versions, want) => {
        expect(choose(want, [...versions].reverse())).toEqual(choose(want, versions));
      }),
    );
  });

  it('a newer version never moves an exact choice, and a channel only forward', () => {
    fc.assert(
      fc.property(all, one, wanted, (versions, more, want) => {
        fc.pre(!versions.some((it) => it.version === more.version));
        const before = choose(want, versions).version;
        const after = choose(want, [...versions, more]).version;
        if (before === '') return;
        if (isVersion(want)) expect(after).toBe(before);
        else expect(compareVersions(after, before)).toBeGreaterThanOrEqual(0);
        if (isPrerelease(after))
          expect([want, 'latest-with-prerelease']).toContain(want === after ? want : 'latest-with-prerelease');
      }),
    );
  });
});
