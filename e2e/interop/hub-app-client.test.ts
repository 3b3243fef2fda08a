import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hubFolder, startHub, type HubProcess, type OwnerKey } from '../harness/hub-process.ts';
import { runArmature } from '../harness/server-process.ts';
import { useGrpcTransport } from './sdk-transport.ts';

const UNAUTHENTICATED = 16;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;

/** The app client of the public TypeScript SDK against `armature hub`, over TLS and in clear text. */
describe.each([{ carrier: 'TLS' }, { carrier: 'clear text' }])(
  'the public SDK and a hub over $carrier',
  ({ carrier }) => {
    let hub: HubProcess;
    let remove: () => Promise<void>;
    let app: sdk.AppClient;

    beforeAll(async () => {
      const folder = await hubFolder();
      remove = folder.remove;
      const isTls = carrier === 'TLS';
      hub = await startHub({ data: folder.data, args: isTls ? [] : ['--no-tls'] });
      useGrpcTransport(isTls ? (await runArmature(['hub', 'ca', ...hub.place])).stdout : undefined);
      app = await appClientFor(hub.ownerKey);
    });

    afterAll(async () => {
      expect(await hub.stop()).toBe(0);
      await remove();
    });

    async function appClientFor(key: OwnerKey | undefined): Promise<sdk.AppClient> {
      const { appClient } = await sdk.createViamClient({
        serviceHost: hub.url,
        credentials: { type: 'api-key', authEntity: key?.id ?? '', payload: key?.secret ?? '' },
      });
      return appClient;
    }
    const organizationId = (): string => hub.organizationId ?? '';
    const locationId = async (): Promise<string> => (await app.listLocations(organizationId()))[0]?.id ?? '';
    const partOf = async (machine: string): Promise<sdk.appApi.RobotPart | undefined> =>
      (await app.getRobotParts(machine))[0];

    it('lists what the first start made', async () => {
      const organizations = await app.listOrganizations();
      expect(organizations.map(({ id }) => id)).toEqual([organizationId()]);
      const machines = await app.listRobots(await locationId());
      expect(machines).toHaveLength(1);
      const parts = await app.getRobotParts(machines[0]?.id ?? '');
      expect(parts.map(({ mainPart }) => mainPart)).toEqual([true]);
      expect(parts[0]?.fqdn).toContain('local');
    });

    it('makes a location, a machine and its configuration, and reads its history', async () => {
      const location = await app.createLocation(organizationId(), 'Bench two');
      const machine = await app.newRobot(location?.id ?? '', 'arm');
      const part = await partOf(machine);
      const config = { components: [{ name: 'left', model: 'fake', attributes: { max_rpm: 100 } }] };
      const first = await app.updateRobotPart(part?.id ?? '', 'arm-main', sdk.Struct.fromJson(config));
      expect(first?.robotConfig?.toJson()).toEqual(config);
      await app.updateRobotPart(part?.id ?? '', 'arm-main', sdk.Struct.fromJson({ components: [] }));
      const { part: now, configJson } = await app.getRobotPart(part?.id ?? '');
      expect([now?.robotConfig?.toJson(), JSON.parse(configJson)]).toEqual([{ components: [] }, { components: [] }]);
      const history = await app.getRobotPartHistory(part?.id ?? '');
      expect(history.map(({ old }) => old?.robotConfig?.toJson())).toEqual([config, {}]);
      expect(history[0]?.editedBy?.value).toBe(hub.ownerKey?.id);
      expect(history[0]?.when?.toDate().getTime()).toBeGreaterThan(Date.now() - 60_000);
      await app.deleteRobot(machine);
      await expect(app.getRobot(machine)).rejects.toMatchObject({ code: NOT_FOUND });
    });

    it('makes, lists, rotates and deletes keys; each holds from then on', async () => {
      const authorization = new sdk.appApi.Authorization({
        authorizationType: 'role',
        authorizationId: 'organization_operator',
        resourceType: 'organization',
        resourceId: organizationId(),
        organizationId: organizationId(),
        identityType: 'api-key',
      });
      const made = await app.createKey([authorization], 'reader');
      const reader = await appClientFor({ id: made.id, secret: made.key });
      expect(await reader.listOrganizations()).toHaveLength(1);
      await expect(reader.createLocation(organizationId(), 'Mine')).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const keys = await app.listKeys(organizationId());
      expect(keys.map(({ apiKey }) => apiKey?.name)).toContain('reader');
      const rotated = await app.rotateKey(made.id);
      await expect(reader.listOrganizations()).rejects.toMatchObject({ code: UNAUTHENTICATED });
      const again = await appClientFor({ id: rotated.id, secret: rotated.key });
      expect(await again.listOrganizations()).toHaveLength(1);
      await app.deleteKey(made.id);
      await expect(again.listOrganizations()).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('is refused with a wrong key', async () => {
      const wrong = appClientFor({ id: hub.ownerKey?.id ?? '', secret: 'wrong' });
      await expect(wrong).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });
  },
);
