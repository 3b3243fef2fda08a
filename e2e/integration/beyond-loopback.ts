/**
 * Calls a machine over an address that is not loopback, without any traffic leaving this computer: runs in its own
 * network namespace, in which the address exists, and prints the received codes as JSON.
 *
 *   unshare --net node beyond-loopback.ts
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { authenticate, keyId, withApiKey } from '../harness/api-key.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer } from '../harness/server-process.ts';
import { webCall, webRequest } from '../harness/web-call.ts';

/** From the block for documentation (RFC 5737), which nobody uses. */
const address = '198.51.100.7';
execFileSync('ip', ['link', 'set', 'lo', 'up']);
execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);

const bench = (await readFile(benchConfig, 'utf8')).replace('localhost:0', '0.0.0.0:0');
const code = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 0,
    (error: { code: number }) => error.code,
  );

async function visit<T>(
  config: string,
  args: readonly string[],
  calls: (url: string, client: MachineClient) => Promise<T>,
) {
  const server = await startServer({ config, args });
  const url = `http://${address}:${server.port}`;
  const client = new MachineClient(url);
  try {
    return await calls(url, client);
  } finally {
    client.close();
    await server.stop();
  }
}

const withoutKeys = await visit(bench, [], async (url, client) => ({
  call: await code(client.isMoving('left')),
  web: (await webCall(url, MotorServiceDefinition, 'isMoving', { name: 'left' }, {})).grpcStatus,
  ownAddressPage: (await webRequest(`${url}/`, 'GET', {})).status,
  restartStatus: (await webRequest(`${url}/restart_status`, 'GET', {})).status,
  foreignHostPage: (await webRequest(`${url}/`, 'GET', { host: 'evil.test' })).status,
}));

const withKeys = await visit(withApiKey(bench), [], async (_url, client) => ({
  call: await code(client.isMoving('left')),
  authenticate: await code(authenticate(client.grpc)),
}));

const withInsecureCreds = await visit(withApiKey(bench), ['-allow-insecure-creds'], async (url, client) => {
  const known = new MachineClient(url, { authorization: `Bearer ${await authenticate(client.grpc)}` });
  const authenticated = await code(known.isMoving('left'));
  known.close();
  return {
    call: await code(client.isMoving('left')),
    authenticated,
    wrongKey: await code(authenticate(client.grpc, keyId, 'wrong')),
  };
});

process.stdout.write(JSON.stringify({ withoutKeys, withKeys, withInsecureCreds }));
