import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { authenticate, key, keyId, withApiKey } from '../harness/api-key.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import type { OwnerKey } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { moduleKeyOf } from '../harness/module-key.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const { PERMISSION_DENIED } = StatusCode;

/** A configuration with an arbitrary program: applying it runs that program. */
const withProgram = JSON.stringify({ modules: [{ name: 'mine', executable_path: '/bin/true' }] });

describe('keys of a hub at the own port of a machine with an auth block', () => {
  let fleet: Fleet;
  let partId: string;
  let server: ServerProcess;

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    await fleet.setConfig(partId, withApiKey('{}'));
  });

  const join = async (config: string, home?: string): Promise<void> => {
    const { url, ...started } = await startServer(home === undefined ? { config } : { config, home });
    server = { url, ...started };
    onTestFinished(async () => void (await server.stop()));
  };

  const logIn = async ({ id, secret }: OwnerKey) => {
    const client = new GrpcClient(server.url);
    onTestFinished(() => client.close());
    const headers = { authorization: `Bearer ${await authenticate(client, id, secret)}` };
    const config = { service: ConfigServiceDefinition, headers };
    return {
      get: () => client.call(config.service, 'get', { partId: '' }, { headers }),
      apply: async (text: string) => {
        const { revision } = await client.call(config.service, 'get', { partId: '' }, { headers });
        const request = { partId: '', text, baseRevision: revision, author: '', note: '' };
        const { outcome } = await client.call(config.service, 'apply', request, { headers });
        return outcome?.$case;
      },
      restore: () => {
        const request = { partId: '', number: 1n, baseRevision: '', author: '', note: '' };
        return client.call(config.service, 'restore', request, { headers });
      },
      names: () => client.call(RobotServiceDefinition, 'resourceNames', {}, { headers }),
      logs: () => {
        const request = { partId: '', filter: undefined, limit: 1, pageToken: '', newestFirst: true };
        return client.call(LogServiceDefinition, 'query', request, { headers });
      },
    };
  };

  const known = ({ id, secret }: OwnerKey) =>
    until(
      'the machine knows the key',
      async () => {
        const client = new GrpcClient(server.url);
        try {
          return (await authenticate(client, id, secret)) !== '';
        } catch {
          return false;
        } finally {
          client.close();
        }
      },
      15_000,
    );

  it('an operator sees, reads and operates, and changes nothing; an owner changes', async () => {
    const operator = await fleet.createKey('organization_operator');
    const owner = await fleet.createKey('organization_owner');
    await join(await fleet.configOf(partId));
    await known(operator);

    const asOperator = await logIn(operator);
    await asOperator.names();
    await asOperator.logs();
    await asOperator.get();
    await expect(asOperator.apply(withProgram)).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await expect(asOperator.restore()).rejects.toMatchObject({ code: PERMISSION_DENIED });

    const asModules = await logIn(await moduleKeyOf(server));
    await asModules.names();
    await expect(asModules.apply(withProgram)).rejects.toMatchObject({ code: PERMISSION_DENIED });

    expect(await (await logIn(owner)).apply(withApiKey('{"components": []}'))).toBe('applied');
    expect(await (await logIn({ id: keyId, secret: key })).apply(withApiKey('{"services": []}'))).toBe('applied');
  });

  it('a key under auth, which would make an owner of them, is shown to owners alone, here and at the hub', async () => {
    const operator = await fleet.createKey('organization_operator');
    await join(await fleet.configOf(partId));
    await known(operator);
    const atHub = await fleet.logIn(operator);
    const headers = { authorization: `Bearer ${atHub.token}` };
    const ask = { service: ConfigServiceDefinition, request: { partId } };
    const watch = atHub.grpc.stream(ask.service, 'watch', ask.request, { headers });
    const watched = await new Promise<{ readonly text: string }>((resolve, reject) => {
      watch.once('data', resolve).once('error', reject);
    });
    watch.on('error', () => undefined).cancel();
    const range = { pageToken: undefined, pageLimit: undefined, start: undefined, end: undefined };
    await fleet.setConfig(partId, withApiKey('{"components": []}'));
    const seen = [
      await (await logIn(operator)).get(),
      await (await logIn(await moduleKeyOf(server))).get(),
      watched,
      await atHub.grpc.call(ask.service, 'get', ask.request, { headers }),
      await atHub.grpc.call(ask.service, 'getVersion', { partId, number: 1n }, { headers }),
      await atHub.call('getRobotPart', { id: partId }),
      await atHub.call('getRobotParts', { robotId: await fleet.robotId() }),
      await atHub.call('getRobotPartHistory', { id: partId, ...range }),
    ].map((answer) => JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)));
    for (const answer of seen) {
      expect(answer).not.toContain(key);
      expect(answer).toContain(keyId);
    }
    expect((await (await logIn({ id: keyId, secret: key })).get()).text).toContain(key);
    expect((await fleet.call(ConfigServiceDefinition, 'get', { partId })).text).toContain(key);
  });

  it('mean the same while the hub is away, and after a start without it', async () => {
    const operator = await fleet.createKey('organization_operator');
    const owner = await fleet.createKey('organization_owner');
    const config = await fleet.configOf(partId);
    const home = await temporaryFolder();
    await join(config, home);
    await known(operator);
    await fleet.hub.stop();
    const check = async (): Promise<void> => {
      const asOperator = await logIn(operator);
      await asOperator.names();
      await expect(asOperator.apply(withProgram)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      // The role permits it: that the text cannot be stored is a different error.
      await expect((await logIn(owner)).apply(withProgram)).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    };
    await check();
    await server.stop();
    await join(config, home);
    await check();
  });

  it('follow what their hub says: a key that becomes an owner key may change at once', async () => {
    const { id, secret } = await fleet.createKey('organization_operator');
    await join(await fleet.configOf(partId));
    await known({ id, secret });
    const caller = await logIn({ id, secret });
    await expect(caller.apply(withApiKey('{"jobs": []}'))).rejects.toMatchObject({ code: PERMISSION_DENIED });
    const authorization = {
      authorizationType: 'role',
      authorizationId: 'organization_owner',
      resourceType: 'organization',
      resourceId: fleet.organizationId,
      identityId: id,
      organizationId: fleet.organizationId,
      identityType: 'api-key',
    };
    await fleet.owner.call('addRole', { authorization });
    const isApplied = () =>
      caller.apply(withApiKey('{"jobs": []}')).then(
        (outcome) => outcome === 'applied',
        () => false,
      );
    await until('the machine has heard of it', isApplied, 15_000);
  });
});
