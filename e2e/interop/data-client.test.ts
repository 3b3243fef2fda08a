import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'data_client.py');

/** The data client of the public Python SDK against `armature hub`. */
describe('captured data, for the public Python SDK', () => {
  let hub: HubProcess;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const folder = await hubFolder();
    remove = folder.remove;
    hub = await startHub({ data: folder.data, args: ['--no-tls'] });
  });

  afterAll(async () => {
    expect(await hub.stop()).toBe(0);
    await remove();
  });

  async function mainPart(): Promise<string> {
    const key = hub.ownerKey ?? { id: '', secret: '' };
    const owner = await HubClient.logIn(hub.url, key);
    const { robots } = await owner.call('listRobotsForOrg', { orgId: hub.organizationId ?? '' });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    owner.close();
    return parts[0]?.id ?? '';
  }

  it('is uploaded, read back, tagged, put into a dataset and deleted', async (context) => {
    const { python, whyNot } = pythonWith(viamSdk);
    if (whyNot !== undefined) context.skip(whyNot);
    const { host } = new URL(hub.url);
    const { id = '', secret = '' } = hub.ownerKey ?? {};
    const args = [script, host, id, secret, await mainPart(), hub.organizationId ?? ''];
    const { stdout } = await run(python, args, { timeout: 60_000 });
    expect(JSON.parse(stdout)).toEqual({
      tabular_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      exported: [
        [0, '2026-06-01T00:00:00'],
        [1, '2026-06-01T00:00:01'],
        [2, '2026-06-01T00:00:02'],
      ],
      resource_api: 'rdk:component:sensor',
      // The SDK reads null as 0.
      latest: { readings: { a: 2, none: 0 } },
      page: [0, 1],
      next_page: [2],
      by_sql: [2, 1].map((a) => ({
        time_received: `2026-06-01T00:00:0${a}`,
        component_type: 'rdk:component:sensor',
        tags: ['sdk'],
        a,
        data: { readings: { a } },
      })),
      refused: 'INVALID_ARGUMENT',
      binary: [
        { bytes: 'picture', name: '', ext: '.jpg', tags: ['good', 'more'], datasets: 1, boxes: ['screw'] },
        { bytes: 'text', name: '/home/me/notes.txt', ext: '.txt', tags: ['more'], datasets: 0, boxes: [] },
      ],
      tagged: true,
      tags: ['good', 'more', 'sdk'],
      labels: ['screw'],
      streamed: [[true, 200_000]],
      datasets: ['pictures'],
      deleted: 2,
      deleted_readings: 3,
    });
  }, 240_000);
});
