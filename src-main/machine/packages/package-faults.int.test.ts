import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { Listener } from '../../rpc/port/listener.ts';
import { openGrpcCaller } from '../../rpc/peer/grpc-caller.ts';
import { PackageBench } from './testing/package-bench.ts';
import { archiveOf, moduleEntries, type TestEntry } from './testing/test-archive.ts';
import { endorsement, testKey, TestLink, type PublishOptions } from './testing/test-registry.ts';
import { keyIdOf } from '../../base/ed25519.ts';

const id = 'acme:motors';
let bench: PackageBench;
beforeEach(async () => (bench = await PackageBench.open()));
afterEach(() => bench.close());

/** Bytes that cannot be compressed. */
function noise(bytes: number): Buffer {
  let seed = 1;
  return Buffer.from(Uint8Array.from({ length: bytes }, () => (seed = (seed * 48271) % 2147483647) & 0xff));
}

function bigEntries(bytes = 300_000): TestEntry[] {
  return [...moduleEntries(id), { name: 'data', content: noise(bytes) }];
}

const leftovers = async (): Promise<string[]> =>
  (await readdir(path.join(bench.folder, 'modules/acme/motors'))).filter((name) => name.startsWith('.')).sort();

describe('a download', () => {
  it.each([
    ['goes on where it was cut', false],
    ['goes on where it was cut when the machine is started again', true],
  ])('%s, at every tenth', async (_what, isRestarted) => {
    await bench.registry.publish(id, '1.0.0', { entries: bigEntries() });
    const { length } = bench.registry.published(id, '1.0.0').bytes;
    const cuts = Array.from({ length: 10 }, (_one, tenth) => Math.floor((length * tenth) / 10));
    bench.registry.beforePiece = () => {
      bench.registry.cutAt = cuts[bench.registry.downloads.length - 1];
      return undefined;
    };
    let motors = bench.follow(bench.machine());
    for (let tried = 1; tried <= cuts.length; tried++) {
      const begun = bench.registry.until(() => bench.registry.downloads.length >= tried);
      await (isRestarted ? begun : bench.passing(begun));
      await motors.until(() => motors.missing.length > 0);
      if (isRestarted) motors = bench.follow(await bench.restart());
    }
    await bench.passing(motors.offered('1.0.0'));
    expect(bench.registry.downloads.map(({ offset }) => Number(offset))).toEqual([0, ...cuts]);
    expect((await readFile(path.join(motors.last.root, 'data'))).equals(noise(300_000))).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('goes on when the hub is killed in the middle of it and comes back', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: bigEntries() });
    let listener = await listen(0);
    const { port } = listener;
    const link = new TestLink(() => openGrpcCaller({ text: '', host: '127.0.0.1', port, isEncrypted: false }));
    let killed: Promise<void> | undefined;
    bench.registry.beforePiece = (_moduleId, offset) => {
      if (offset < 150_000 || killed !== undefined) return undefined;
      killed = listener.close().then(() => link.become('offline'));
      return killed;
    };
    const motors = bench.follow(bench.machine({ link }));
    await bench.passing(motors.until(() => motors.missing.length > 0));
    listener = await listen(port);
    link.become('online');
    await bench.passing(motors.offered('1.0.0'));
    await listener.close();
    const offsets = bench.registry.downloads.map(({ offset }) => Number(offset));
    expect(offsets[0]).toBe(0);
    expect(offsets.at(-1)).toBeGreaterThan(0);
    expect(execFileSync(motors.last.executable, { encoding: 'utf8' })).toBe('hello\n');
  });

  it('that says nothing any more is given up and begun again', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: bigEntries() });
    let isHeld = true;
    bench.registry.beforePiece = (_moduleId, offset) =>
      isHeld && offset > 0 ? new Promise<void>(() => undefined) : undefined;
    const motors = bench.follow(bench.machine());
    await bench.passing(motors.until(() => motors.progress.some((one) => one !== undefined && one.doneBytes > 0)));
    await bench.passing(
      motors.until(() => motors.missing.length > 0),
      5_000,
    );
    expect(motors.missing[0]).toContain('the hub hub.test sent nothing of acme:motors 1.0.0 for 60 s');
    isHeld = false;
    await bench.passing(motors.offered('1.0.0'));
  });

  it('of what was published anew begins at the first byte', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: bigEntries() });
    bench.registry.cutAt = 200_000;
    const motors = bench.follow(bench.machine());
    await motors.until(() => motors.missing.length > 0);
    bench.registry.cutAt = undefined;
    await bench.registry.publish(id, '1.0.0', { entries: moduleEntries(id, 'other') });
    await bench.passing(motors.offered('1.0.0'));
    expect(execFileSync(motors.last.executable, { encoding: 'utf8' })).toBe('other\n');
    expect(await leftovers()).toEqual([]);
  });

  it('is not begun where the disk has no room for it', async () => {
    await bench.registry.publish(id, '1.0.0');
    const motors = bench.follow(bench.machine({ freeFloorBytes: 2 ** 60 }));
    await motors.until(() => motors.missing.length > 0);
    expect(motors.missing[0]).toMatch(
      /The disk of .* has too little space \(1099511627777 MB are needed, \d+ MB are free\)/,
    );
    expect(await leftovers()).toEqual([]);
  });

  async function listen(port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
    const listener = new Listener({
      router: bench.registry.router(),
      clock: systemClock,
      logger: silentLogger,
      webAccess: { checkRequest: () => ({ ok: true }) },
      certificate: undefined,
      onUpgrade: (_request, socket) => socket.destroy(),
      onPage: (_request, response) => response.end(),
      readiness: () => ({ isReady: true, summary: 'ready' }),
    });
    const address = await listener.listen({ host: '127.0.0.1', port });
    return { port: address.port, close: () => listener.close(0) };
  }
});

describe('a package that is wrong', () => {
  const flip = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes, (byte, at) => (at === 5 ? byte ^ 1 : byte));

  async function published(options: PublishOptions): Promise<void> {
    await bench.registry.publish(id, '1.0.1', options);
  }

  it.each<[string, () => Promise<void>, string]>([
    [
      'changed on its way',
      async () => {
        await published({ entries: bigEntries() });
        const { bytes } = bench.registry.published(id, '1.0.1');
        bytes[1_000]! ^= 1;
      },
      'the bytes of acme:motors 1.0.1 have the SHA-256',
    ],
    [
      'longer than it was said to be',
      async () => {
        await published({});
        const found = bench.registry.published(id, '1.0.1');
        found.bytes = Buffer.concat([found.bytes, found.bytes]);
      },
      'the hub sends more of acme:motors 1.0.1',
    ],
    [
      'wrongly signed',
      async () => {
        await published({});
        const found = bench.registry.published(id, '1.0.1');
        found.description = { ...found.description, signature: flip(found.description.signature) };
      },
      'the signature of acme:motors 1.0.1 is wrong',
    ],
    [
      'signed by somebody else under the name of the publisher',
      async () => {
        await published({ key: testKey('release') });
        const found = bench.registry.published(id, '1.0.1');
        found.description = { ...found.description, publicKey: bench.registry.key.raw };
      },
      'the signature of acme:motors 1.0.1 is wrong',
    ],
    [
      'signed for another module',
      () => published({ statement: { moduleId: 'acme:other' } }),
      '"acme:other" as its module',
    ],
    ['signed for an older version', () => published({ statement: { version: '0.9.0' } }), '"0.9.0" as its version'],
    [
      'signed for another platform',
      () => published({ statement: { platform: 'linux/arm64' } }),
      '"linux/arm64" as its platform',
    ],
    ['signed for another purpose', () => published({ statement: { purpose: 'x' } }), '"x" as its purpose'],
    ['signed for other bytes', () => published({ statement: { sha256: new Uint8Array(32) } }), 'is for other bytes'],
    ['signed by another key', () => published({ key: testKey('other') }), 'run: armature module trust acme '],
    ['no archive', () => published({ bytes: Buffer.from('nothing') }), 'it is no whole .tar.gz'],
    [
      'full of a path that leads out',
      () => published({ entries: [...moduleEntries(id), { name: '../../../../evil', content: 'x' }] }),
      'its entry ../../../../evil leads out of the package',
    ],
    ['without a description', () => published({ entries: [{ name: 'run', content: 'x' }] }), 'it has no meta.json'],
    ['of another module', () => published({ entries: moduleEntries('acme:other') }), 'its meta.json is of acme:other'],
    [
      'without its program',
      () => published({ entries: moduleEntries(id, '', { entrypoint: 'bin/none' }) }),
      '"entrypoint" of meta.json is "bin/none", which is not in the package',
    ],
    [
      'with a program that leads out',
      () => published({ entries: moduleEntries(id, '', { entrypoint: '../../../../../../../bin/sh' }) }),
      'which leads out of the package',
    ],
    [
      'with a program that may not be run',
      () => published({ entries: moduleEntries(id, '', { entrypoint: 'meta.json' }) }),
      'which may not be run; chmod +x',
    ],
    [
      'with an entrypoint that is no text',
      () => published({ entries: moduleEntries(id, '', { entrypoint: 3 }) }),
      'meta.json: entrypoint is 3; it takes text',
    ],
  ])('%s is refused; the one before goes on, and a good one comes', async (_what, publish, why) => {
    await bench.registry.publish(id, '1.0.0');
    const motors = bench.follow(bench.machine());
    motors.follower.accepted(await motors.offered('1.0.0'));
    await publish();
    expect(await motors.refused('1.0.1')).toContain(why);
    expect(motors.versions).toEqual(['1.0.0']);
    expect(motors.missing).toEqual([]);
    expect(await readdir(bench.home)).toEqual(['packages']);
    // The package may have been damaged in transit.
    await bench.registry.publish(id, '1.0.1');
    await bench.passing(motors.offered('1.0.1'));
    expect(await leftovers()).toEqual([]);
  });

  it('is asked for again later and later', async () => {
    await bench.registry.publish(id, '1.0.0', { bytes: Buffer.from('nothing') });
    const motors = bench.follow(bench.machine());
    const refusals = (): number => motors.progress.filter((one) => one?.step === 'rejected').length;
    for (const [tried, delayMs] of [5_000, 15_000, 45_000].entries()) {
      await motors.until(() => refusals() > tried);
      bench.clock.advance(delayMs - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(bench.registry.downloads).toHaveLength(tried + 1);
      bench.clock.advance(1);
    }
    await motors.until(() => refusals() > 3);
  });
});

describe('keys', () => {
  const other = testKey('new one');
  const refusalOf = async (version: string, options: PublishOptions): Promise<string> => {
    await bench.registry.publish(id, version, options);
    const motors = bench.follow(bench.machine());
    return motors.refused(version);
  };

  beforeEach(async () => {
    await bench.registry.publish(id, '1.0.0');
    await bench.follow(bench.machine()).offered('1.0.0');
  });

  it('are kept for their owner alone', async () => {
    const file = path.join(bench.folder, 'trusted-keys.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(Buffer.from(bench.registry.key.raw).toString('base64'));
  });

  it('take the place of another one where a chain of endorsements leads to them', async () => {
    const between = testKey('between');
    const endorsements = [endorsement(between, other), endorsement(bench.registry.key, between)];
    await bench.registry.publish(id, '1.1.0', { key: other, endorsements });
    await bench.follow(bench.machine()).offered('1.1.0');
    expect(await refusalOf('1.2.0', { key: bench.registry.key })).toContain(
      `packages of acme were signed by the key ${keyIdOf(other.raw)} ("new one")`,
    );
  });

  it.each([
    ['nobody known', () => [endorsement(testKey('stranger'), other)]],
    ['a signature that is wrong', () => [{ ...endorsement(testKey('x'), other), byKey: bench.registry.key.raw }]],
    ['itself', () => [endorsement(other, other)]],
  ])('that are endorsed by %s are refused', async (_what, endorsements) => {
    expect(await refusalOf('1.1.0', { key: other, endorsements: endorsements() })).toContain('armature module trust');
  });

  it('of a publisher are never replaced by the hub, endorsed or not', async () => {
    const hub = testKey('');
    const endorsements = [endorsement(bench.registry.key, hub)];
    expect(await refusalOf('1.1.0', { key: hub, endorsements })).toContain('of the hub, but packages of acme');
  });

  it('of a hub are replaced by the publisher that it endorses', async () => {
    const hub = testKey('');
    await bench.registry.publish('corp:arm', '1.0.0', { key: hub });
    const machine = bench.machine();
    const arm = bench.follow(machine, { name: 'arm', moduleId: 'corp:arm' });
    await arm.offered('1.0.0');
    await bench.registry.publish('corp:arm', '1.1.0', { key: other });
    expect(await arm.refused('1.1.0')).toContain('armature module trust corp');
    await bench.registry.publish('corp:arm', '1.2.0', { key: other, endorsements: [endorsement(hub, other)] });
    await arm.offered('1.2.0');
  });

  it('are accepted where a person says so, and only the one that was seen', async () => {
    await bench.registry.publish(id, '1.1.0', { key: other });
    const machine = bench.machine();
    const motors = bench.follow(machine);
    await motors.refused('1.1.0');
    await expect(machine.keys.accept('acme', keyIdOf(bench.registry.key.raw))).rejects.toThrow(keyIdOf(other.raw));
    await expect(machine.keys.accept('constructor', keyIdOf(other.raw))).rejects.toThrow('No key of constructor');
    await machine.keys.accept('acme', keyIdOf(other.raw));
    await motors.follower.refresh();
    await motors.offered('1.1.0');
    expect(await machine.keys.list()).toEqual([{ namespace: 'acme', isAccepted: true, keyId: keyIdOf(other.raw) }]);
  });

  it('are not learned anew where what is known of them is damaged', async () => {
    await writeFile(path.join(bench.folder, 'trusted-keys.json'), '{"namespaces":');
    await bench.registry.publish(id, '1.1.0', { key: other });
    const motors = bench.follow(bench.machine());
    await bench.passing(motors.offered('1.0.0'));
    expect(bench.log.join('\n')).toContain('says which keys may sign modules and cannot be read');
  });
});

describe('a machine', () => {
  it('that is killed while it unpacks has the package after its next start', async () => {
    const program = path.join(import.meta.dirname, 'testing/unpacking-machine.ts');
    const bytes = await archiveOf([
      ...moduleEntries(id),
      ...Array.from({ length: 400 }, (_one, at) => ({ name: `data/${at}`, content: noise(20_000) })),
    ]);
    const archive = path.join(bench.home, 'package.tar.gz');
    await writeFile(archive, bytes);
    const child = spawn(process.execPath, [program, bench.folder, archive], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8');
    for await (const text of child.stdout as AsyncIterable<string>) if (text.includes('unpacking')) break;
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await leftovers()).toContain('.unpack-1.0.0_linux-any');

    await bench.registry.publish(id, '1.0.0', { bytes });
    const motors = bench.follow(bench.machine());
    await motors.offered('1.0.0');
    expect(await readdir(path.join(motors.last.root, 'data'))).toHaveLength(400);
    expect(await leftovers()).toEqual([]);
    // All bytes were there: only the description was requested.
    expect(bench.registry.downloads.map(({ offset }) => Number(offset))).toEqual([bytes.length]);
  });

  it('whose disk is full while it unpacks goes on when there is room', async (context) => {
    const disk = path.join(bench.home, 'disk');
    await mkdir(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    if (mounted.status !== 0) return context.skip('a small disk needs the right to mount one');
    try {
      // A small download with large contents: the space check passes before the download.
      const zeros = { name: 'zeros', content: Buffer.alloc(8 * 1024 * 1024) };
      await bench.registry.publish(id, '1.0.0', { entries: [...moduleEntries(id), zeros] });
      const motors = bench.follow(bench.machine({ folder: path.join(disk, 'packages'), freeFloorBytes: 0 }));
      await motors.until(() => motors.missing.length > 0);
      expect(motors.missing[0]).toContain('has too little space (it is full)');
      const names = await readdir(path.join(disk, 'packages/modules/acme/motors'));
      expect(names.filter((name) => name.includes('unpack'))).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=32m', disk]);
      await bench.passing(motors.offered('1.0.0'));
      expect(bench.registry.downloads.at(-1)?.offset).toBeGreaterThan(0n);
      await bench.restart();
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });
});
