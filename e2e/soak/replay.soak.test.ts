import { describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { PartServiceDefinition } from '../../proto/gen/core/hub/v1/part.ts';
import { HubClient } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';

const UNAUTHENTICATED = 16;
const NOT_FOUND = 5;

/** What an attacker who has read a token off a wire, or out of a backup, can do with it elsewhere. */
describe('a token that is used again', () => {
  const asks = (fleet: Fleet, token: string, partId: string) =>
    fleet.owner.grpc.call(
      PartServiceDefinition,
      'getConfig',
      { partId, revision: '' },
      { headers: { authorization: `Bearer ${token}` } },
    );
  const secretOf = async (fleet: Fleet, partId: string): Promise<string> => {
    const { part } = await fleet.owner.call('createRobotPartSecret', { partId });
    return part?.secrets.at(-1)?.secret ?? '';
  };
  const logIn = async (fleet: Fleet, id: string, secret: string, type?: string): Promise<string> => {
    const client = await HubClient.logIn(fleet.hub.url, { id, secret }, fleet.authority, type);
    client.close();
    return client.token;
  };

  it('at another hub, for another part, after its key was rotated, after a restart: each says what is wrong', async () => {
    const [fleet, other] = [await Fleet.start(), await Fleet.start()];
    const partId = await fleet.partId();
    const { robots } = await fleet.owner.call('listRobotsForOrg', { orgId: fleet.organizationId });
    const { partId: second } = await fleet.owner.call('newRobotPart', {
      robotId: robots[0]?.id ?? '',
      partName: 'second',
    });
    const secret = await secretOf(fleet, partId);
    const token = await logIn(fleet, partId, secret, 'robot-secret');
    await asks(fleet, token, partId);
    const worthless = { code: UNAUTHENTICATED, details: expect.stringContaining('of another hub') as string };
    await expect(asks(other, token, await other.partId())).rejects.toMatchObject(worthless);
    // A part is not even told that another part exists.
    await expect(asks(fleet, token, second)).rejects.toMatchObject({ code: NOT_FOUND });
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: second })).toString('base64url');
    await expect(asks(fleet, `${head}.${forged}.${signature}`, second)).rejects.toMatchObject({
      code: UNAUTHENTICATED,
    });
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    await expect(asks(fleet, `${unsigned}.${forged}.`, second)).rejects.toMatchObject({ code: UNAUTHENTICATED });

    // After a crash of the hub a valid token stays valid, and a revoked one stays revoked.
    const rotated = await fleet.owner.call('rotateKey', { id: fleet.ownerKey.id });
    const old = fleet.owner;
    await expect(old.call('listOrganizations', {})).rejects.toMatchObject({ code: UNAUTHENTICATED });
    await fleet.hub.crash();
    await fleet.restart();
    fleet.owner = await fleet.logIn({ id: rotated.id, secret: rotated.key });
    await expect(
      fleet.owner.grpc.call(
        ConfigServiceDefinition,
        'get',
        { partId },
        { headers: { authorization: `Bearer ${old.token}` } },
      ),
    ).rejects.toMatchObject({ code: UNAUTHENTICATED });
    await asks(fleet, token, partId);
    old.close();
  });
});
