import { stat } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

let fleet: Fleet;
let partId: string;
let server: ServerProcess;

beforeEach(async () => {
  fleet = await Fleet.start();
  partId = await fleet.partId();
});

afterEach(async () => {
  await server.stop();
});

/** Checks the certificate like a client that trusts the hub's authority. */
async function handshake(servername: string, ca = fleet.authority): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: server.port, ca, servername });
  await once(socket, 'secureConnect');
  return socket;
}

/** The part's name at the hub. */
async function nameOfPart(): Promise<string> {
  return (await fleet.owner.call('getRobotPart', { id: partId })).part?.fqdn ?? '';
}

const isEncrypted = (servername: string) => (): Promise<boolean> =>
  handshake(servername).then(
    (socket) => {
      socket.destroy();
      return true;
    },
    () => false,
  );

describe('a machine of a hub', () => {
  it('speaks TLS with a certificate that the hub signs for its name, and clear text with this computer', async () => {
    server = await startServer({ config: await fleet.configOf(partId) });
    const name = await nameOfPart();
    expect(name).toMatch(/\.armature\.local$/);
    await until('it shows a certificate', isEncrypted(name), 10_000);
    // Under no other name, so that clients that try TLS first and do not know the hub's authority continue in clear
    // text.
    for (const other of ['localhost', 'somebody.else']) {
      await expect(handshake(other)).rejects.toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    }
    const byName = { 'grpc.ssl_target_name_override': name };
    const overTls = new GrpcClient(`localhost:${server.port}`, byName, fleet.authority);
    expect(await overTls.call(RobotServiceDefinition, 'getCloudMetadata', {})).toMatchObject({ machinePartId: partId });
    overTls.close();
    const plain = new GrpcClient(server.url);
    expect(await plain.call(RobotServiceDefinition, 'getCloudMetadata', {})).toMatchObject({ machinePartId: partId });
    plain.close();
  });

  it('shows the one it kept while the hub is away', async () => {
    const json = { id: partId, name: '', robotConfig: undefined, robotConfigJson: '{}' };
    await fleet.owner.call('updateRobotPart', json);
    const name = await nameOfPart();
    server = await startServer({ config: await fleet.configOf(partId) });
    await until('it shows a certificate', isEncrypted(name), 10_000);
    const { home } = server;
    removeAfterTest(home);
    const kept = path.join(home, 'home', 'cloud', partId, 'certificate.json');
    await until(
      'it is kept',
      () =>
        stat(kept).then(
          () => true,
          () => false,
        ),
      5_000,
    );
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    await server.crash();
    await fleet.hub.crash();
    server = await startServer({ config: '', home });
    await until('it shows the kept one', isEncrypted(name), 10_000);
  });

  it('has none with -no-tls', async () => {
    server = await startServer({ config: await fleet.configOf(partId), args: ['-no-tls'] });
    const client = new GrpcClient(server.url);
    expect(await client.call(RobotServiceDefinition, 'getCloudMetadata', {})).toMatchObject({ machinePartId: partId });
    client.close();
    await expect(handshake(await nameOfPart())).rejects.toThrow();
  });

  it('with a hub of its own has its certificate, which "armature hub ca" lets clients check', async () => {
    server = await startServer({ config: JSON.stringify({ network: { bind_address: 'localhost:0' } }) });
    const environment = { SVC_HOME: path.join(server.home, 'home') };
    let ca = '';
    const hasCa = async (): Promise<boolean> => (ca = (await runArmature(['hub', 'ca'], environment)).stdout) !== '';
    await until('the hub is there', hasCa, 10_000);
    const isTrusted = (): Promise<boolean> =>
      handshake(hostname(), ca).then(
        (socket) => {
          socket.destroy();
          return true;
        },
        () => false,
      );
    await until('its certificate is shown', isTrusted, 10_000);
  });
});
