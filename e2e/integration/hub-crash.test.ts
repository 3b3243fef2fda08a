import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testStores, type TestPlace } from '../../src-main/hub/storage/testing/test-stores.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';

const KILLS = 8;
const PARTS = 3;

/** A text whose truncated or mixed-up copies are detected. */
function textOf(part: number, number: number): string {
  const filling = `${part}-${number} `.repeat(2_000);
  const sum = createHash('sha256').update(filling).digest('hex');
  return JSON.stringify({ part, number, filling, sum });
}

/** The text of a part before its first version. */
const EMPTY = '{}';

/** The number of a complete text; 0 for the text before the first. */
function numberIn(text: string, part: number): number {
  if (text === EMPTY) return 0;
  const found = JSON.parse(text) as { part: number; number: number };
  expect(text === textOf(part, found.number)).toBe(true);
  expect(found.part).toBe(part);
  return found.number;
}

describe.each(testStores)('a hub on $name that is killed in the middle of writes', (kind) => {
  let place: TestPlace;
  let folder: { readonly data: string; remove(): Promise<void> };
  let hub: HubProcess | undefined;

  beforeEach(async () => {
    place = await kind.makePlace();
    folder = await hubFolder();
  });

  afterEach(async () => {
    await hub?.stop();
    await place.remove();
    await folder.remove();
  });

  const start = async (): Promise<HubProcess> => {
    const args = place.address.startsWith('postgres:') ? ['--database', place.address] : ['--data', place.address];
    hub = await startHub({ data: folder.data, args: ['--no-tls', ...args] });
    return hub;
  };

  it(`${KILLS} times: no accepted version is lost, none is half, numbers have no gaps`, async () => {
    const first = await start();
    if (first.ownerKey === undefined) throw new Error('no owner key');
    const login = await HubClient.logIn(first.url, first.ownerKey);
    const token = login.token;
    const { locations } = await login.call('listLocations', { organizationId: first.organizationId ?? '' });
    const ids = await Promise.all(
      Array.from({ length: PARTS }, async (_, index) => {
        const { id } = await login.call('newRobot', { name: `m${index}`, location: locations[0]?.id ?? '' });
        return (await login.call('getRobotParts', { robotId: id })).parts[0]?.id ?? '';
      }),
    );
    login.close();
    /** By part: the last number whose storing was acknowledged, and the last that was sent. */
    const accepted = ids.map(() => 0);
    const sent = ids.map(() => 0);

    for (let kill = 0; kill < KILLS; kill++) {
      const running = hub ?? (await start());
      const client = new HubClient(new GrpcClient(running.url), token);
      let isKilled = false;
      const writers = ids.map(async (id, part) => {
        while (!isKilled) {
          const number = (sent[part] ?? 0) + 1;
          sent[part] = number;
          try {
            await client.call('updateRobotPart', {
              id,
              name: '',
              robotConfig: undefined,
              robotConfigJson: textOf(part, number),
            });
          } catch (thrown) {
            if (isKilled) return;
            throw thrown;
          }
          accepted[part] = number;
        }
      });
      const before = accepted.reduce((sum, number) => sum + number, 0);
      await expect
        .poll(() => accepted.reduce((sum, number) => sum + number, 0) > before + (kill % 7), {
          timeout: 10_000,
          interval: 1,
        })
        .toBe(true);
      isKilled = true;
      await running.crash();
      await Promise.all(writers);
      client.close();

      const revived = await start();
      const reader = new HubClient(new GrpcClient(revived.url), token);
      for (const [part, id] of ids.entries()) {
        const { part: stored } = await reader.call('getRobotPart', { id });
        const number = numberIn(stored?.robotConfigJson ?? '', part);
        // A version that was sent and not acknowledged may be stored or not; an acknowledged one must be.
        expect(number).toBeGreaterThanOrEqual(accepted[part] ?? 0);
        expect(number).toBeLessThanOrEqual(sent[part] ?? 0);
        sent[part] = number;
        accepted[part] = number;
      }
      reader.close();
    }

    const reader = new HubClient(new GrpcClient((hub as HubProcess).url), token);
    for (const [part, id] of ids.entries()) {
      let expected = accepted[part] ?? 0;
      let pageToken = '';
      do {
        const page = await reader.call('getRobotPartHistory', { id, pageToken, pageLimit: 100n });
        for (const { old } of page.history) {
          expected--;
          const text = old?.robotConfigJson ?? '';
          expect(expected === 0 ? text : numberIn(text, part)).toBe(expected === 0 ? '{}' : expected);
        }
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(expected).toBe(0);
    }
    reader.close();
  }, 300_000);
});
