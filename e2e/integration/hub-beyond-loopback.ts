/**
 * Calls a hub over an address that is not loopback, without any traffic leaving this computer: runs in its own network
 * namespace, in which the address exists, and prints the results as JSON.
 *
 *   unshare --net node hub-beyond-loopback.ts
 */
import { execFileSync } from 'node:child_process';
import { connect } from 'node:tls';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { hubFolder, startHub } from '../harness/hub-process.ts';
import { runArmature } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

/** From the block for documentation (RFC 5737), which nobody uses. */
const address = '198.51.100.7';
execFileSync('ip', ['link', 'set', 'lo', 'up']);
execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);

/** Codes of logging in from this computer and from another address, and whether the log mentions a rejection. */
async function visit(args: readonly string[]) {
  const { data, remove } = await hubFolder();
  const hub = await startHub({ data, args: ['--bind', '0.0.0.0:0', ...args] });
  const { port, protocol } = new URL(hub.url);
  const logIn = async (host: string): Promise<number> => {
    const client = new GrpcClient(`${protocol}//${host}:${port}`);
    const credentials = { type: 'api-key', payload: hub.ownerKey?.secret ?? '' };
    const code = await client
      .call(AuthServiceDefinition, 'authenticate', { entity: hub.ownerKey?.id ?? '', credentials })
      .then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    client.close();
    return code;
  };
  try {
    const codes = { own: await logIn('127.0.0.1'), beyond: await logIn(address) };
    await hub.stop(); // then its log is complete
    const log = hub.stderr();
    return {
      ...codes,
      isLogged: /refused.*clear text/i.test(log),
      tellsSecret: log.includes(hub.ownerKey?.secret ?? '?'),
    };
  } finally {
    await hub.stop();
    await remove();
  }
}

/** Whether the hub is reached under an address that its computer was given after the hub had started. */
async function comeLater(): Promise<boolean> {
  const { data, remove } = await hubFolder();
  const hub = await startHub({ data, args: ['--bind', '0.0.0.0:0'] });
  const authority = (await runArmature(['hub', 'ca', '--data', data])).stdout;
  const later = '198.51.100.8';
  execFileSync('ip', ['address', 'add', `${later}/32`, 'dev', 'lo']);
  const isTrusted = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: later, port: Number(new URL(hub.url).port), ca: authority }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  try {
    await until('the certificate holds the new address', isTrusted, 20_000, 200);
    return true;
  } finally {
    await hub.stop();
    await remove();
  }
}

const inClearText = await visit(['--no-tls']);
const allowed = await visit(['--no-tls', '--allow-insecure-creds']);
process.stdout.write(JSON.stringify({ inClearText, allowed, later: await comeLater() }));
