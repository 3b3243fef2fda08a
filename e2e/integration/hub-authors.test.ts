import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuthenticationType } from '../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { authenticate, key, keyId, withApiKey } from '../harness/api-key.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, type OwnerKey } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const { API_KEY, ROBOT_PART_SECRET } = AuthenticationType;

async function start(config: string): Promise<ServerProcess> {
  const server = await startServer({ config });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

/** The authors of a part's changes, newest first, as App History shows them. */
async function editors(owner: HubClient, id: string): Promise<readonly unknown[]> {
  const range = { pageToken: undefined, pageLimit: undefined, start: undefined, end: undefined };
  const { history } = await owner.call('getRobotPartHistory', { id, ...range });
  return history.map(({ editedBy }) => [editedBy?.type, editedBy?.value]);
}

/** Applies a text at an address, with a key, once earlier changes from elsewhere have arrived there. */
async function apply(url: string, { id, secret }: OwnerKey, partId: string, text: string, authority?: string) {
  const client = new GrpcClient(url, {}, authority);
  try {
    const headers = { authorization: `Bearer ${await authenticate(client, id, secret)}` };
    const isApplied = async (): Promise<boolean> => {
      const { revision } = await client.call(ConfigServiceDefinition, 'get', { partId }, { headers });
      const request = { partId, text, baseRevision: revision, author: 'somebody else', note: '' };
      const { outcome } = await client.call(ConfigServiceDefinition, 'apply', request, { headers });
      return outcome?.$case === 'applied';
    };
    await until(`${text} is applied`, isApplied, 15_000);
  } finally {
    client.close();
  }
}

describe('App History names whoever proved that it was they', () => {
  it('at the hub and at the own port of a machine that joined with a key: never that key', async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    await fleet.setConfig(partId, withApiKey('{}'));
    const join = await fleet.createKey('organization_owner');
    const author = await fleet.createKey('organization_owner');
    const server = await start(fleet.configWith({ id: partId, api_key: { id: join.id, key: join.secret } }));
    await until('the machine is connected', () => server.stderr().includes('connected to the hub'), 15_000);

    await apply(fleet.hub.url, author, partId, withApiKey('{"components": []}'), fleet.authority);
    await apply(server.url, author, '', withApiKey('{"services": []}'));
    await apply(server.url, { id: keyId, secret: key }, '', withApiKey('{"modules": []}'));
    await fleet.owner.call('updateRobotPart', {
      id: partId,
      name: '',
      robotConfig: undefined,
      robotConfigJson: withApiKey('{"jobs": []}'),
    });
    expect(await editors(fleet.owner, partId)).toEqual([
      [API_KEY, fleet.ownerKey.id],
      // The hub does not know a key of the configuration, so it can name only the machine.
      [ROBOT_PART_SECRET, partId],
      [API_KEY, author.id],
      [API_KEY, author.id],
      [API_KEY, fleet.ownerKey.id],
    ]);
  });

  it('also where a file of the machine has the configuration, which is told of later', async () => {
    const server = await start(JSON.stringify({ network: { bind_address: 'localhost:0' } }));
    await until('the machine is connected', () => server.stderr().includes('connected to the hub'), 15_000);
    const made = await runArmature(['hub', 'key', 'create'], { SVC_HOME: path.join(server.home, 'home') });
    const [id = '', secret = ''] = [...made.stdout.matchAll(/^key(?: id)? (\S+)$/gm)].map(([, text]) => text);
    const owner = await HubClient.logIn(server.url, { id, secret });
    onTestFinished(() => owner.close());
    const { organizations } = await owner.call('listOrganizations', {});
    const { robots } = await owner.call('listRobotsForOrg', { orgId: organizations[0]?.id ?? '' });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    const partId = parts[0]?.id ?? '';
    const text = JSON.stringify({ network: { bind_address: 'localhost:0' }, services: [] });
    await apply(server.url, { id, secret }, partId, text);
    await until('the hub knows of it', async () => (await editors(owner, partId)).length > 1, 15_000);
    expect((await editors(owner, partId))[0]).toEqual([API_KEY, id]);
  });
});
