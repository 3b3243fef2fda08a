import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BinaryDataByIDsResponse, DataServiceDefinition } from '../../../proto/gen/core/app/data/v1/data.ts';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import type { ServiceDefinition } from '../../rpc/service.ts';
import { callOnce } from '../../rpc/testing/local-caller.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { connectionFrom } from '../testing/test-hub.ts';
import { camera, DataBench, picture, reading } from './testing/data-bench.ts';

const { NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED } = StatusCode;
const START = Date.UTC(2026, 5, 1);

describe.each(testStores)('captured data on $name', (kind) => {
  let bench: DataBench;

  beforeEach(async () => {
    bench = await DataBench.open(kind, new ManualClock(START));
  });

  afterEach(() => bench.test.end());

  const valueOf = (payload: Record<string, unknown> | undefined): unknown =>
    (payload?.['readings'] as { a: unknown } | undefined)?.a;
  const takePicture = (atMs: number, more: object = {}) =>
    bench.upload([picture(atMs, Buffer.from(`picture ${atMs}`))], { ...camera, ...more });

  it('has component types in the spelling of the caller', async () => {
    const id = await takePicture(START);
    const { requestType } = DataServiceDefinition.methods.binaryDataByIDs;
    const request = encodeMessage(requestType, { binaryDataIds: [id], binaryIds: [], includeBinary: false });
    const call = callOnce(bench.test.router, '/viam.app.data.v1.DataService/BinaryDataByIDs', request, {
      connection: connectionFrom('127.0.0.1'),
      metadata: { authorization: `Bearer ${bench.ownerToken}` },
    });
    await call.ended;
    const { data } = BinaryDataByIDsResponse.decode(call.messages[0] as Uint8Array);
    expect(data[0]?.metadata?.captureMetadata?.componentType).toBe('rdk:component:camera');
  });

  describe('is visible to and changed by callers with a role for it:', () => {
    it('of the organization, of a location with those in it, of the machine, and by nobody else', async () => {
      const { organizationId, machineId } = bench.test.first;
      const place = async (name: string, parentLocationId = '') =>
        (
          await bench.owner('createLocation', {
            organizationId,
            name,
            ...(parentLocationId === '' ? {} : { parentLocationId }),
          })
        ).location?.id ?? '';
      const hall = await place('Hall');
      const corner = await place('Corner', hall);
      const elsewhere = await place('Elsewhere');
      await bench.upload([reading(START, { a: 'before' })]);
      await bench.owner('updateRobot', { id: machineId, name: 'bench', location: corner });
      await bench.upload([reading(START + 1, { a: 'in the corner' })], {}, { token: bench.ownerToken });
      const { id: otherMachine } = await bench.owner('newRobot', { name: 'other', location: hall });
      const { organization } = await bench.owner('createOrganization', { name: 'Other' });
      const seenBy = async (role: string, id: string): Promise<unknown[]> => {
        const token = await bench.tokenFor(role, id);
        const { data } = await bench.data('tabularDataByFilter', {}, token);
        const exported = await bench.export({}, token);
        expect(exported.map(({ payload }) => valueOf(payload))).toEqual(
          data.map(({ data: one }) => valueOf(one)).reverse(),
        );
        return exported.map(({ payload }) => valueOf(payload));
      };
      expect(await seenBy('organization_operator', organizationId)).toEqual(['before', 'in the corner']);
      expect(await seenBy('location_operator', hall)).toEqual(['in the corner']);
      expect(await seenBy('location_owner', corner)).toEqual(['in the corner']);
      expect(await seenBy('location_owner', elsewhere)).toEqual([]);
      expect(await seenBy('robot_operator', machineId)).toEqual(['before', 'in the corner']);
      expect(await seenBy('robot_owner', otherMachine)).toEqual([]);
      expect(await seenBy('organization_owner', organization?.id ?? '')).toEqual([]);
    });

    it('an operator labels and does not delete; another organization finds nothing', async () => {
      const { organizationId, machineId } = bench.test.first;
      const id = await takePicture(START);
      const operator = await bench.tokenFor('robot_operator', machineId);
      await bench.data('addTagsToBinaryDataByIDs', { binaryDataIds: [id], tags: ['x'] }, operator);
      const denied = { code: PERMISSION_DENIED };
      await expect(bench.data('deleteBinaryDataByIDs', { binaryDataIds: [id] }, operator)).rejects.toMatchObject(
        denied,
      );
      await expect(bench.data('deleteBinaryDataByFilter', {}, operator)).rejects.toMatchObject(denied);
      await expect(bench.data('deleteTabularData', { organizationId }, operator)).rejects.toMatchObject(denied);

      const { organization } = await bench.owner('createOrganization', { name: 'Other' });
      const stranger = await bench.tokenFor('organization_owner', organization?.id ?? '');
      expect((await bench.data('binaryDataByIDs', { binaryDataIds: [id] }, stranger)).data).toEqual([]);
      expect((await bench.data('binaryDataByFilter', { countOnly: true }, stranger)).count).toBe(0n);
      expect((await bench.data('tagsByFilter', {}, stranger)).tags).toEqual([]);
      expect((await bench.data('deleteBinaryDataByIDs', { binaryDataIds: [id] }, stranger)).deletedCount).toBe(0n);
      expect((await bench.data('deleteBinaryDataByFilter', {}, stranger)).deletedCount).toBe(0n);
      const deleting = bench.data('deleteTabularData', { organizationId }, stranger);
      await expect(deleting).rejects.toMatchObject({ code: NOT_FOUND });
      const tagging = bench.data('addTagsToBinaryDataByIDs', { binaryDataIds: [id], tags: ['mine'] }, stranger);
      await expect(tagging).rejects.toMatchObject({ code: NOT_FOUND });
      const missing = bench.data('addTagsToBinaryDataByIDs', { binaryDataIds: ['none'], tags: ['mine'] }, stranger);
      await expect(missing).rejects.toMatchObject({ code: NOT_FOUND });
      expect(
        (await bench.data('binaryDataByIDs', { binaryDataIds: [id] })).data[0]?.metadata?.captureMetadata?.tags,
      ).toEqual(['x']);
    });
  });

  it('the README lists correctly which calls are answered', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const services: readonly [string, ServiceDefinition][] = [
      ['core.app.data.v1.DataService', DataServiceDefinition],
      ['core.app.dataset.v1.DatasetService', DatasetServiceDefinition],
    ];
    for (const [name, definition] of services) {
      const [, text = ''] = readme.split(`\`${name}\` answers: `);
      const [answered = '', rest = ''] = text.split('It does not answer: ');
      const namesIn = (part: string): string[] => [...part.matchAll(/`(\w+)`/g)].map(([, method = '']) => method);
      const unanswered = namesIn(rest.split('.\n')[0] ?? '');
      const methods = Object.values(definition.methods).map((method) => method.name);
      expect([...namesIn(answered), ...unanswered].sort()).toEqual(methods.sort());
      for (const [key, method] of Object.entries(definition.methods)) {
        const call = bench.test.start(definition, key, {}, { token: bench.ownerToken });
        const { code } = await call.ended;
        expect([method.name, code === UNIMPLEMENTED]).toEqual([method.name, unanswered.includes(method.name)]);
      }
    }
  });
});
