/**
 * A module for tests, as a process. Argument 1 is the address to listen on. The variable `BEHAVIOUR` lists what is
 * wrong with it, as words separated by spaces. Without it, the module serves one sensor model and ends on SIGTERM.
 */
import { spawn } from 'node:child_process';
import http2 from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import { GrpcHttp2 } from '../../../rpc/grpc/grpc-http2.ts';
import { openPeer } from '../../../rpc/peer/http2-peer.ts';
import { callPeer } from '../../../rpc/peer/outbound-call.ts';
import type { Peer, PeerAddress } from '../../../rpc/peer/peer.ts';
import { TrackedConnection } from '../../../rpc/tracked-connection.ts';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { ModuleServiceDefinition, type ReadyResponse } from '../../../../proto/gen/core/module/v1/module.ts';
import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';

const behaviour = new Set((process.env['BEHAVIOUR'] ?? '').split(' '));
const listenAt = process.argv[2] ?? '';
const codes = { unreachable: 'peer.unreachable', refused: 'peer.unreachable' } as const;

let readyAsked = 0;

async function parentAt(address: string): Promise<Peer> {
  const options = { clock: systemClock, maxMessageBytes: MAX_MESSAGE_BYTES };
  const colon = address.lastIndexOf(':');
  const where: PeerAddress = address.startsWith('/')
    ? { kind: 'unix', path: address }
    : { kind: 'tcp', host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  const peer = await openPeer(where, options);
  peer.onClose(() => {
    if (!behaviour.has('outlives-parent')) process.exit(0);
  });
  return peer;
}

/** As SDKs do, while Ready is being called: the machine must already be serving. */
async function callParent(address: string): Promise<void> {
  if (behaviour.has('tells-parent')) process.stdout.write(`its machine is at ${address}\n`);
  const parent = await parentAt(address);
  await callPeer(parent.start, RobotServiceDefinition, 'resourceNames', {}, { timeoutMs: 2_000, codes });
  const message = process.env['LOGS'];
  if (message !== undefined) {
    const entry = {
      host: '',
      level: 'warn',
      time: undefined,
      loggerName: 'of.the.module',
      message,
      caller: undefined,
      stack: '',
      fields: [],
    };
    const request = { logs: [entry] };
    await callPeer(parent.start, RobotServiceDefinition, 'log', request, { timeoutMs: 2_000, codes });
  }
  const motor = process.env['DRIVES'];
  if (motor !== undefined) {
    const request = { name: motor, powerPct: 1, extra: undefined };
    await callPeer(parent.start, MotorServiceDefinition, 'setPower', request, { timeoutMs: 2_000, codes });
  }
}

function answer(ready: boolean): ReadyResponse {
  const subtype = {
    subtype: { namespace: 'rdk', type: 'component', subtype: 'sensor', name: '' },
    protoService: 'viam.component.sensor.v1.SensorService',
  };
  const broken = { subtype: { subtype: undefined, protoService: '' }, models: ['acme:test:lost'] };
  const handlers = [{ subtype, models: ['acme:test:sensor', 'no triplet'] }, broken];
  return { ready, handlermap: { handlers }, webrtcAnswer: '' };
}

function afterReady(): void {
  if (behaviour.has('dies-after-ready')) setTimeout(() => process.exit(7), 100);
  if (behaviour.has('hangs')) setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
  if (behaviour.has('blocks'))
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500), 50);
  if (behaviour.has('hangs-up')) setTimeout(() => sockets.forEach((socket) => socket.destroy()), 50);
  if (behaviour.has('floods')) flood(Number(process.env['LINES'] ?? '1000000'));
}

function flood(lines: number): void {
  let left = lines;
  const write = (): void => {
    while (left > 0) {
      const count = Math.min(left, 1_000);
      const text = Array.from(
        { length: count },
        (_, at) => `line ${lines - left + at} of what nobody asked for\n`,
      ).join('');
      left -= count;
      if (!process.stdout.write(text)) {
        process.stdout.once('drain', write);
        return;
      }
    }
    process.stderr.write('flood over\n');
  };
  write();
}

const sockets = new Set<Socket>();

function serve(): void {
  const router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addService(ModuleServiceDefinition, {
    async ready(request) {
      if (behaviour.has('never-ready')) return answer(false);
      if (behaviour.has('ready-at-third') && ++readyAsked < 3) return answer(false);
      if (behaviour.has('ready-fails')) throw new Error('the arm is not connected');
      await callParent(request.parentAddress);
      setImmediate(afterReady);
      return answer(true);
    },
  });
  const grpc = new GrpcHttp2({
    router,
    clock: systemClock,
    logger: silentLogger,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    keepalive: { intervalMs: 60_000, timeoutMs: 10_000 },
    onOtherStream: (stream) => stream.close(),
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (behaviour.has('garbage')) {
      socket.end('220 mail.example ESMTP ready\r\n');
      return;
    }
    const connection = new TrackedConnection(socket, 'grpc', false, true);
    const session = http2.performServerHandshake(socket);
    session.on('error', () => undefined);
    session.once('close', () => connection.close());
    grpc.serve(session, connection);
  });
  const colon = listenAt.lastIndexOf(':');
  if (listenAt.startsWith('/')) server.listen({ path: listenAt });
  else server.listen({ host: listenAt.slice(0, colon), port: Number(listenAt.slice(colon + 1)) });
}

if (behaviour.has('tells')) {
  const facts = { msg: 'started with', args: process.argv.slice(2), cwd: process.cwd(), env: process.env };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
if (behaviour.has('leaks')) process.stdout.write(`my token is ${process.env['CAMERA_TOKEN'] ?? ''}\n`);
if (behaviour.has('writes')) {
  process.stdout.write('WARN the battery is nearly empty\nDEBUG too much detail\n');
  process.stderr.write(
    'Traceback (most recent call last):\n  File "main.py", line 3, in new\n    pins["pin"]\nKeyError: \'pin\'\n',
  );
}
if (behaviour.has('busy')) {
  setInterval(() => {
    const until = performance.now() + 50;
    while (performance.now() < until);
  }, 60);
}
if (behaviour.has('forks')) spawn('sleep', ['1000'], { stdio: 'inherit' });
if (behaviour.has('ignores-term')) process.on('SIGTERM', () => undefined);
else process.on('SIGTERM', () => process.exit(0));
if (behaviour.has('crashes')) throw new Error('no such port: /dev/ttyUSB9');
if (behaviour.has('never-listens')) setInterval(() => undefined, 60_000);
else serve();
