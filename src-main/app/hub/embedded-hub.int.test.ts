import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { RefusalLog } from '../../rpc/access/refusals.ts';
import { EmbeddedHub } from './embedded-hub.ts';

const never = new Promise<void>(() => undefined);
let scratch: string;
let clock: ManualClock;
let hub: EmbeddedHub;

beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'armature-embedded-hub-'));
  clock = new ManualClock();
  hub = new EmbeddedHub({
    folder: path.join(scratch, 'hub'),
    configPath: path.join(scratch, 'machine.json'),
    hostName: 'bench',
    clock,
    logger: silentLogger,
    allowsInsecureCreds: false,
    isEnvironmentUntrusted: false,
    refusals: new RefusalLog(silentLogger, clock),
  });
});
afterEach(async () => {
  await hub.close();
  rmSync(scratch, { recursive: true });
});

it('opens shortly after the machine has started, and the machine is connected then', async () => {
  const machine = Promise.withResolvers<void>();
  hub.startAfter(machine.promise);
  const connected = hub.connect();
  machine.resolve();
  await machine.promise;
  clock.advance(199);
  expect(existsSync(path.join(scratch, 'hub'))).toBe(false);
  clock.advance(1);
  (await connected).close();
  expect(hub.current?.partId).toMatch(/^[\da-f-]{36}$/);
});

it('opens also beside a machine that does not start', async () => {
  const machine = Promise.reject(new Error('a module is wrong'));
  hub.startAfter(machine);
  await machine.catch(() => undefined);
  clock.advance(200);
  (await hub.connect()).close();
});

it('waits a second at most for a machine that takes long', async () => {
  hub.startAfter(never);
  const connected = hub.connect();
  clock.advance(999);
  expect(existsSync(path.join(scratch, 'hub'))).toBe(false);
  clock.advance(1);
  (await connected).close();
});

it('opens at once for whoever needs it', async () => {
  hub.startAfter(never);
  expect(hub.state.kind).toBe('opening');
  expect((await hub.opened()).partId).not.toBe('');
});

it('one that is closed before its turn does not open', async () => {
  hub.startAfter(never);
  const connected = hub.connect();
  await Promise.all([hub.close(), expect(connected).rejects.toThrow('it is stopping')]);
  expect(existsSync(path.join(scratch, 'hub'))).toBe(false);
});
