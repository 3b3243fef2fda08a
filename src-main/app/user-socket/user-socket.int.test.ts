import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import type { LocalServer } from '../../rpc/port/local-server.ts';
import { findUserSocket } from './user-socket-folder.ts';
import { openUserSocket } from './user-socket.ts';

describe('the socket of the user', () => {
  let home: string;
  let warnings: string[];
  const open: LocalServer[] = [];

  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'user-socket-'));
    warnings = [];
  });
  afterEach(() => {
    for (const server of open.splice(0)) server.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function serve(port: number, config = 'machine.json', at = home): Promise<string | undefined> {
    const server = await openUserSocket({
      home: at,
      configPath: path.join(at, config),
      port,
      router: new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES }),
      clock: systemClock,
      logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
      trust: () => undefined,
    });
    if (server !== undefined) open.push(server);
    return server?.address;
  }

  const run = (): string => path.join(home, 'run');

  it('is found by the port of its server, and is gone with it', async () => {
    const socket = await serve(8080);
    expect(await findUserSocket(home, 8080)).toBe(socket);
    expect(await findUserSocket(home, 808)).toBeUndefined();
    open.splice(0).forEach((server) => server.close());
    expect(await findUserSocket(home, 8080)).toBeUndefined();
    expect(readdirSync(run())).toEqual([]);
  });

  it('of each of several servers with one home is its own, with one configuration too', async () => {
    const sockets = [await serve(1, 'a.json'), await serve(2, 'b.json'), await serve(3, 'a.json')];
    expect(new Set(sockets).size).toBe(3);
    expect(await Promise.all([1, 2, 3].map((port) => findUserSocket(home, port)))).toEqual(sockets);
  });

  it('is free for the next server as soon as its own takes no more connections', async () => {
    const socket = await serve(8080);
    open.forEach((server) => server.stopListening());
    expect(existsSync(socket ?? '')).toBe(false);
    expect(await serve(8080)).toBe(socket);
    // What is left of the first does not take the second one's away.
    open.shift()?.close();
    expect(await findUserSocket(home, 8080)).toBe(socket);
  });

  it('is not taken from a server that serves it: the second goes without, and says so', async () => {
    const first = await serve(8080);
    expect(await serve(8080)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('EADDRINUSE')]);
    expect(await findUserSocket(home, 8080)).toBe(first);
  });

  it('that a killed server left is replaced, as are those of its earlier ports', async () => {
    const socket = (await serve(8080)) ?? '';
    open.splice(0).forEach((server) => server.close());
    const left = [socket, socket.replace('8080', '4711')];
    const program = `const { createServer } = require('node:net');
      const listen = (path) => new Promise((listening) => createServer().listen({ path }, listening));
      Promise.all(process.argv.slice(1).map(listen)).then(() => process.kill(process.pid, 'SIGKILL'));`;
    expect(spawnSync(process.execPath, ['-e', program, ...left]).signal).toBe('SIGKILL');
    expect(readdirSync(run())).toHaveLength(2);
    expect(await findUserSocket(home, 8080)).toBeUndefined();
    expect(await serve(8080)).toBe(socket);
    expect(readdirSync(run())).toEqual([path.basename(socket)]);
  });

  it.each([
    ['a link', (folder: string) => symlinkSync(os.tmpdir(), folder), 'is a link'],
    ['a file', (folder: string) => writeFileSync(folder, ''), 'EEXIST'],
    [
      'a folder that others can write to',
      (folder: string) => {
        mkdirSync(folder);
        chmodSync(folder, 0o777);
      },
      'can be written by others',
    ],
  ])('is not made in %s, nor looked for there', async (_what, make, words) => {
    make(run());
    expect(await serve(8080)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(words)]);
    expect(await findUserSocket(home, 8080)).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)('is not made in the folder of another user', async () => {
    mkdirSync(run(), { mode: 0o700 });
    chownSync(run(), 65_534, 65_534);
    expect(await serve(8080)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('belongs to another user (65534)')]);
  });

  it('says so where its path would be too long', async () => {
    const deep = path.join(home, 'x'.repeat(90));
    expect(await serve(8080, 'machine.json', deep)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('longer than the 103 bytes')]);
    expect(existsSync(deep)).toBe(true);
  });
});
