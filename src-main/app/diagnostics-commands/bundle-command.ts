import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DiagnosticsServiceDefinition } from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { systemClock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import { openGrpcCaller } from '../../rpc/peer/grpc-caller.ts';
import { hubCodes } from '../../machine/cloud/hub-caller.ts';
import { callPeer, streamFromPeer } from '../../rpc/peer/outbound-call.ts';
import { homeFolder } from '../home.ts';
import { readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { bundleName } from '../support-bundle/bundle.ts';
import { storedBundle } from '../support-bundle/stored-bundle.ts';
import { findMachineSocket } from '../user-socket/user-socket-folder.ts';
import { chooseConfig, durationOf } from './chosen-records.ts';
import { fileOutput } from './output.ts';

/** Time limit for a health check, milliseconds: a working server always answers within it. */
const WELL_MS = 5_000;
const BUNDLE_MS = 600_000;

/** `armature diagnostics bundle` */
export async function bundleCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { since: 'string', config: 'string', output: 'string' }, 0);
  const now = systemClock.now();
  const backMs = durationOf(line, 'since', '24h');
  const configPath = await chooseConfig(line, io);
  const file = path.resolve(io.cwd, line.text('output') ?? `${bundleName(now)}.tar.gz`);
  const home = homeFolder(io.env);
  let reason = `No server runs ${configPath} with this SVC_HOME.`;
  const socket = await findMachineSocket(home, configPath);
  if (socket !== undefined) {
    try {
      await save(file, fromServer(socket, backMs, io.signal));
      return told(file, io);
    } catch (thrown) {
      const error = toArmatureError(thrown);
      if (error.code === 'file.unwritable' || io.signal.aborted) throw error;
      reason = `The server that runs ${configPath} does not give it: ${error.message}`;
    }
  }
  io.stderr(`${reason} The bundle has what is on the disk.\n`);
  const options = { configPath, home, environment: io.env, since: now - backMs, now, reason, signal: io.signal };
  await save(file, storedBundle(options));
  return told(file, io);
}

function told(file: string, io: ModuleIo): number {
  io.stdout(`${file}\n`);
  io.stderr('Secrets are masked. Look through it before you share it: README.txt says what is in it.\n');
  return 0;
}

async function* fromServer(socket: string, backMs: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const caller = openGrpcCaller({ socket });
  try {
    await callPeer(caller.start, HealthDefinition, 'check', { service: '' }, { timeoutMs: WELL_MS, codes: hubCodes });
    const options = { timeoutMs: BUNDLE_MS, codes: hubCodes, signal };
    const request = { backSeconds: Math.ceil(backMs / 1_000) };
    for await (const { data } of streamFromPeer(
      caller.start,
      DiagnosticsServiceDefinition,
      'collectBundle',
      request,
      options,
    )) {
      yield data;
    }
  } finally {
    caller.close();
  }
}

/** Writes the whole bundle or none: first to a temporary file beside it. */
async function save(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.part`;
  const out = await fileOutput(partial);
  try {
    for await (const piece of pieces) await out.write(piece);
    await out.end();
    await rename(partial, file);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}
