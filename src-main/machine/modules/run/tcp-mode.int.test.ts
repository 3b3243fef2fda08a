import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerOf } from './module-connections.ts';
import type { ModuleTiming } from './module-timing.ts';
import { moduleBench, type ModuleBench } from '../testing/module-bench.ts';

const quick: Partial<ModuleTiming> = { readyPauseMs: 20, groupTermMs: 200, killMs: 600, releaseMs: 500 };
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Other users of this computer: always the same user, and a different one if the tests can become one. */
const strangers: readonly [string, number | undefined][] = [
  ['of the same user', undefined],
  ...(isRoot ? [['of another user', NOBODY] as [string, number]] : []),
];

/** Runs Node, which any user can find. */
const node = (uid: number | undefined) => ({
  argv0: 'node',
  cwd: '/',
  ...(uid === undefined ? {} : { uid, gid: uid }),
});

/** Connects to `process.argv[1]:process.argv[2]`, announces HTTP/2, and reports the result. */
const caller = `
  const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1]);
  socket.on('connect', () => socket.write('PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n' + '\\0\\0\\0\\4\\0\\0\\0\\0\\0'));
  socket.on('data', () => { console.log('answered'); process.exit(); });
  socket.on('error', () => undefined);
  socket.on('close', () => { console.log('closed'); process.exit(); });`;

describe('a module in TCP mode', () => {
  let bench: ModuleBench;
  afterEach(() => bench.close());

  it.each(strangers)('is not mistaken for a program %s that finds the port of its machine', async (_who, uid) => {
    bench = moduleBench({ timing: quick });
    const config = bench.config('test', 'tells-parent');
    bench.manager.apply([{ ...config, raw: { ...config.raw, tcp_mode: true } }]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    const { message } = await bench.logged((entry) => entry.message.startsWith('its machine is at '));
    const port = message.slice(message.lastIndexOf(':') + 1);
    const stranger = spawn('/proc/self/exe', ['-e', caller, '127.0.0.1', port], { ...node(uid), stdio: 'pipe' });
    const [said] = (await once(createInterface({ input: stranger.stdout }), 'line')) as [string];
    expect(said).toBe('closed');
    expect(bench.trusted).toHaveLength(1);
    await bench.logged((entry) => entry.message.includes('it is of no process of this module'));
  });

  it.each(strangers)('is not mistaken for a program %s that took its port before it', async (_who, uid) => {
    bench = moduleBench({ timing: { ...quick, startupMs: 3_000 } });
    if (uid !== undefined) chmodSync(bench.home, 0o755);
    const script = path.join(bench.home, 'too-late');
    writeFileSync(script, '#!/bin/sh\necho "wants $1"\nexec sleep 60\n');
    chmodSync(script, 0o755);
    const config = bench.config('test', '', { executablePath: script });
    bench.manager.apply([{ ...config, raw: { ...config.raw, tcp_mode: true } }]);
    const { message } = await bench.logged((entry) => entry.message.startsWith('wants '));
    const program = `
      const server = require('node:http2').createServer();
      server.on('stream', (stream) => { console.log('asked'); stream.respond({ ':status': 200 }); });
      server.listen(Number(process.argv[1].split(':')[1]), '127.0.0.1', () => console.log('listens'));`;
    const stranger = spawn('/proc/self/exe', ['-e', program, message.slice(6)], { ...node(uid), stdio: 'pipe' });
    const lines: string[] = [];
    createInterface({ input: stranger.stdout }).on('line', (line) => lines.push(line));
    const { state } = await bench.until('test', (status) => status.state.kind === 'failed');
    stranger.kill();
    expect(state.reason).toContain('what listens there is no process of this module');
    expect(lines).toEqual(['listens']);
  });
});

describe('the owner of a connection', () => {
  let server: Server;
  let port: number;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    server = createServer({ pauseOnConnect: true });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    for (const { pid } of children.splice(0)) spawnSync('kill', ['-9', '--', `-${pid ?? 0}`]);
    server.close();
  });

  /** Starts a shell that leads its own group and runs `line`, in which `$CONNECT` is a program that connects. */
  async function connectedBy(line: string, uid?: number, host = '127.0.0.1'): Promise<[ChildProcess, Socket]> {
    const connect = `'${process.execPath}' -e "require('node:net').connect(${port}, '${host}').on('error', () => 0)"`;
    const child = spawn('/bin/sh', ['-c', line.replace('$CONNECT', connect)], {
      detached: true,
      stdio: 'inherit',
      cwd: '/',
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    children.push(child);
    const [socket] = (await once(server, 'connection')) as [Socket];
    return [child, socket];
  }

  it.each([
    ['the process itself', 'exec $CONNECT', '127.0.0.1'],
    ['one that it started', '$CONNECT; true', '127.0.0.1'],
    ['one that left its group', 'setsid -w $CONNECT; true', '127.0.0.1'],
    ['one whose parent is gone', '($CONNECT &) ; sleep 60', '127.0.0.1'],
    ['one that writes the address as IPv6', 'exec $CONNECT', '::ffff:127.0.0.1'],
  ])('is the module where it is %s', async (_what, line, host) => {
    const [child, socket] = await connectedBy(line, undefined, host);
    expect(await ownerOf(socket, child.pid ?? 0)).toBe('module');
    socket.destroy();
  });

  it('is somebody else where it is another process, or has hung up, or no process was started yet', async () => {
    const [child, socket] = await connectedBy('exec $CONNECT');
    const [other] = await connectedBy('exec $CONNECT');
    expect(await ownerOf(socket, other.pid ?? 0)).toBe('somebody-else');
    expect(await ownerOf(socket, 0)).toBe('somebody-else');
    expect(await ownerOf(socket, process.pid)).toBe('module');
    child.kill('SIGKILL');
    socket.resume();
    await once(socket, 'end');
    expect(await ownerOf(socket, child.pid ?? 0)).toBe('somebody-else');
    socket.destroy();
  });
});
