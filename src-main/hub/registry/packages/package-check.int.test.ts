import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarLimits } from '../../../base/tar/read-tar.ts';
import { makeTar, paxHeader, type MadeEntry } from '../../../base/tar/testing/make-tar.ts';
import { checkPackageInThread } from './check-aside.ts';
import { checkPackage } from './package-check.ts';
import { makePackage, packageEntries } from '../testing/make-package.ts';

const ID = 'acme:motors';

describe('a package', () => {
  let folder = '';
  const check = (bytes: Uint8Array, limits = tarLimits) => {
    const file = path.join(folder, 'package');
    writeFileSync(file, bytes);
    return checkPackage(file, ID, limits);
  };
  const refusal = async (bytes: Uint8Array, limits = tarLimits): Promise<string> => {
    const thrown: unknown = await check(bytes, limits).then(
      () => new Error('it was accepted'),
      (reason: unknown) => reason,
    );
    expect(thrown).toMatchObject({ code: 'registry.bad_package' });
    return (thrown as Error).message;
  };

  beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'armature-package-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that is valid gives its models, each with its section of the README, in our spelling', async () => {
    const readme =
      '# Motors\n\nAll of them.\n\n## Model fast\n\nGoes fast.\n```\n# no heading\n```\n\n## Model slow\n\nGoes.\n';
    const meta = {
      description: 'Motors',
      models: [
        {
          api: 'rdk:component:motor',
          model: `${ID}:fast`,
          markdown_link: 'README.md#model-fast',
          short_description: 'F',
        },
        { api: 'acme:service:mapper', model: `${ID}:map`, markdown_link: 'https://example.com/x.md' },
      ],
    };
    const facts = await check(makePackage(meta, [{ name: 'README.md', content: readme }]));
    expect(facts.readme).toBe(readme);
    expect(facts.models).toEqual([
      {
        api: 'core:component:motor',
        model: `${ID}:fast`,
        description: 'F',
        documentation: '## Model fast\n\nGoes fast.\n```\n# no heading\n```',
      },
      { api: 'acme:service:mapper', model: `${ID}:map`, description: '', documentation: '' },
    ]);
  });

  it('of GNU tar, in each of its formats, with long names, links and large numbers', async () => {
    const root = path.join(folder, 'module');
    const deep = path.join(
      root,
      ...Array.from({ length: 12 }, (_, index) => `a-rather-long-name-of-a-folder-${index}`),
    );
    mkdirSync(deep, { recursive: true });
    writeFileSync(path.join(deep, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync(path.relative(root, path.join(deep, 'run.sh')), path.join(root, 'run'));
    execFileSync('ln', [path.join(deep, 'run.sh'), path.join(root, 'same')]);
    writeFileSync(
      path.join(root, 'meta.json'),
      JSON.stringify({ module_id: ID, entrypoint: 'run', first_run: './same' }),
    );
    for (const format of ['gnu', 'pax', 'posix']) {
      const file = path.join(folder, `${format}.tar.gz`);
      execFileSync('tar', ['--format', format, '-czf', file, '-C', root, '.']);
      expect((await checkPackage(file, ID)).meta.entrypoint).toBe('run');
    }
  });

  const link = (name: string, linkName: string, type = '2'): MadeEntry => ({ name, linkName, type });
  it.each<readonly [string, readonly MadeEntry[], RegExp]>([
    ['a name that leads out', [{ name: '../evil' }], /"\.\.\/evil" leads out of it/],
    ['one that leads out further down', [{ name: 'bin/../../evil' }], /leads out of it/],
    ['an absolute name', [{ name: '/etc/cron.d/evil' }], /"\/etc\/cron\.d\/evil" is absolute/],
    [
      'an absolute link',
      [link('passwd', '/etc/passwd')],
      /the link "passwd" leads to "\/etc\/passwd", which is absolute/,
    ],
    ['a link that leads out', [link('bin/up', '../../etc')], /"bin\/up" leads out of it/],
    ['a file beneath a link', [link('lib', 'bin'), { name: 'lib/x' }], /"lib\/x" is beneath "lib", which is a symlink/],
    ['a file beneath a link that comes later', [{ name: 'lib/x' }, link('lib', 'bin')], /which is a symlink/],
    ['a file beneath a file', [{ name: 'meta.json/x' }], /beneath "meta\.json", which is a file/],
    ['a link through a link that leads out', [link('bin/top', '..'), link('z', 'bin/top/..')], /"z" leads out of it/],
    ['links in a circle', [link('a', 'b'), link('b', 'a')], /lead in a circle/],
    ['a hard link that leads out', [link('x', '../../etc/passwd', '1')], /leads out of it/],
    ['an absolute hard link', [link('x', '/etc/passwd', '1')], /is absolute/],
    ['a hard link to a link', [link('a', 'bin'), link('x', 'a', '1')], /is no file before it/],
    ['a device', [{ name: 'sda', type: '4' }], /"sda" is a block device; a package has only files, folders and links/],
    ['a pipe', [{ name: 'fifo', type: '6' }], /"fifo" is a fifo/],
    ['a sparse file', [{ name: 'holes', type: 'S' }], /"holes" is a sparse file \(pack it without --sparse\)/],
    ['a sparse file of pax', [paxHeader([['GNU.sparse.major', '1']]), { name: 'x' }], /it has sparse files/],
    [
      'a name that is too long',
      [paxHeader([['path', 'x'.repeat(1_001)]]), { name: 'x' }],
      /1001 bytes, the most is 1000/,
    ],
    ['a link that is too long', [paxHeader([['linkpath', 'x'.repeat(1_001)]]), link('x', 'y')], /the most is 1000/],
    [
      'a name that is too deep',
      [paxHeader([['path', 'x/'.repeat(101)]]), { name: 'x' }],
      /lies 101 folders deep, the most is 100/,
    ],
    [
      'a header that is too long',
      [paxHeader([['comment', 'x'.repeat(65_536)]]), { name: 'x' }],
      /a header of it has \d+ bytes, the most is 65536/,
    ],
    [
      'headers for nothing',
      Array.from({ length: 5 }, () => paxHeader([['comment', 'x']])),
      /an entry has more than 4 headers before it/,
    ],
    [
      'too much in headers',
      Array.from({ length: 300 }, (_, index) => [
        paxHeader([['comment', 'x'.repeat(60_000)]]),
        { name: `f${index}` },
      ]).flat(),
      /its headers have more than 16777216 bytes, which is the most/,
    ],
    [
      'links that lead through each other',
      [
        { name: 'a/x', content: 'x' },
        ...Array.from({ length: 36 }, (_, index) => link(`l${index}`, index === 0 ? 'a' : `l${index - 1}`)),
        ...Array.from({ length: 16_000 }, (_, index) => link(`m${index}`, 'l35')),
      ],
      /its links lead through more than 500000 names/,
    ],
    ['a file twice', [{ name: 'meta.json', content: '{}' }], /"meta\.json" is in it twice/],
    [
      'a name in a pax header that leads out',
      [{ name: 'p', type: 'x', content: '16 path=../evil\n' }, { name: 'x' }],
      /"\.\.\/evil" leads out of it/,
    ],
  ])('with %s is refused', async (_what, entries, message) => {
    expect(await refusal(makePackage({}, entries))).toMatch(message);
  });

  it.each<readonly [string, Parameters<typeof makePackage>[0], RegExp]>([
    [
      'another module',
      { module_id: 'acme:other' },
      /uploaded as acme:motors, but "module_id" of its meta\.json is "acme:other"/,
    ],
    [
      'a program that is not there',
      { entrypoint: 'run' },
      /"entrypoint" of its meta\.json is "run", which is no file in it/,
    ],
    ['a folder as its program', { entrypoint: 'bin' }, /is no file in it/],
    ['a program outside', { entrypoint: '../../bin/sh' }, /entrypoint is "\.\.\/\.\.\/bin\/sh"; name the program/],
    [
      'a program that is not executable',
      { entrypoint: 'meta.json' },
      /"meta\.json", its "entrypoint", is not executable/,
    ],
    ['a first run that is not there', { first_run: 'setup.sh' }, /"first_run" of its meta\.json is "setup\.sh"/],
    [
      'a model that is built in',
      { models: [{ api: 'rdk:component:motor', model: 'rdk:builtin:gpio' }] },
      /write it as acme:motors:NAME/,
    ],
    [
      'a model with too many words',
      { models: [{ api: 'rdk:component:motor', model: `${ID}:a:b` }] },
      /models\[0\]\.model is "acme:motors:a:b"; write a triplet/,
    ],
    ['an API that is none', { models: [{ api: 'motor', model: `${ID}:fast` }] }, /models\[0\]\.api is "motor"; write/],
    ['models that are no list', { models: 'fast' as never }, /models is "fast"; it takes an array/],
    ['a program that is no text', { entrypoint: 3 as never }, /entrypoint is 3; it takes text/],
  ])('whose meta.json names %s is refused', async (_what, meta, message) => {
    expect(await refusal(makePackage(meta))).toMatch(message);
  });

  it('with models that do not begin with its id is accepted, and these models are listed', async () => {
    const models = [`${ID}:fast`, 'acme:other:fast'].map((model) => ({ api: 'rdk:component:motor', model }));
    const { foreign, models: all } = await check(makePackage({ models }));
    expect(foreign).toEqual(['acme:other:fast']);
    expect(all.map(({ model }) => model)).toEqual([`${ID}:fast`, 'acme:other:fast']);
  });

  it('without a meta.json, or with one that is not JSON, is refused', async () => {
    expect(await refusal(gzipSync(makeTar(packageEntries().slice(2))))).toMatch(/has no meta\.json/);
    const broken = [{ name: 'meta.json', content: '{' }, ...packageEntries().slice(2)];
    expect(await refusal(gzipSync(makeTar(broken)))).toMatch(/meta\.json: it is no JSON/);
    expect(await refusal(gzipSync(makeTar([{ name: 'meta.json', content: '[]' }])))).toMatch(
      /meta\.json: it is \[\]; it takes an object/,
    );
  });

  it('that is larger unpacked than allowed, or has more files, is refused before it is read whole', async () => {
    const bomb = makePackage({}, [{ name: 'zeros', content: Buffer.alloc(8 * 1024 * 1024) }]);
    expect(bomb.length).toBeLessThan(64 * 1024);
    expect(await refusal(bomb, { ...tarLimits, bytes: 1024 * 1024 })).toMatch(/more than 1048576 bytes come out of it/);
    const tail = gzipSync(Buffer.concat([makeTar(packageEntries()), Buffer.alloc(8 * 1024 * 1024)]));
    expect(await refusal(tail, { ...tarLimits, bytes: 1024 * 1024 })).toMatch(/more than 1048576 bytes come out of it/);
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` }));
    expect(await refusal(makePackage({}, many), { ...tarLimits, entries: 10 })).toMatch(
      /more than 10 entries, which is the most/,
    );
  });

  it('with a README that is too long is refused, and one with another long text is not', async () => {
    const long = '# Long\n'.repeat(40_000);
    expect(await refusal(makePackage({}, [{ name: 'README.md', content: long }]))).toMatch(
      /"README\.md" has 280000 bytes; a text that is shown has at most 262144/,
    );
    expect((await check(makePackage({}, [{ name: 'CHANGELOG.md', content: long }]))).readme).toBe('');
  });

  it('that is cut off anywhere is refused', async () => {
    const whole = makePackage({}, [
      { name: 'data', content: Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 251)) },
    ]);
    for (let tenth = 0; tenth < 10; tenth++) {
      expect(await refusal(whole.subarray(0, Math.floor((whole.length * tenth) / 10)))).toMatch(/gzip|meta\.json/);
    }
    expect(await refusal(whole.subarray(0, -1))).toMatch(/no whole gzip/);
    const tar = makeTar([...packageEntries(), { name: 'data', content: 'x'.repeat(2_000) }]);
    expect(await refusal(gzipSync(tar.subarray(0, -3_000)))).toMatch(/ends in the middle of a file/);
  });

  it('is read in a thread of its own with the same result', async () => {
    const file = path.join(folder, 'package');
    writeFileSync(file, makePackage({ description: 'Motors' }, [{ name: 'README.md', content: '# Motors' }]));
    expect(await checkPackageInThread(file, ID)).toEqual(await checkPackage(file, ID));
    await expect(checkPackageInThread(file, 'acme:other')).rejects.toMatchObject({
      code: 'registry.bad_package',
      message: expect.stringContaining('it is uploaded as acme:other') as string,
    });
    await expect(checkPackageInThread(path.join(folder, 'none'), ID)).rejects.toThrow(/ENOENT/);
  });

  it('with any byte changed is refused or gives the same result, and never causes an internal error', async () => {
    const tar = makeTar(packageEntries());
    await fc.assert(
      fc.asyncProperty(fc.nat(tar.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(tar);
        changed[at] = (changed[at] ?? 0) ^ change;
        const ended = await check(gzipSync(changed)).then(
          ({ meta }) => meta.module_id,
          (thrown: unknown) => (thrown as { code: string }).code,
        );
        expect([ID, 'registry.bad_package']).toContain(ended);
      }),
      { numRuns: 150 },
    );
  });
});
