import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageBench, type RecordedFiles } from '../testing/package-bench.ts';

const id = 'acme:motors';
const DAY_MS = 24 * 60 * 60 * 1_000;
let bench: PackageBench;
beforeEach(async () => (bench = await PackageBench.open()));
afterEach(() => bench.close());

const kept = async (): Promise<string[]> =>
  (await readdir(path.join(bench.folder, 'modules/acme/motors')))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.split('_')[0] ?? '')
    .sort();

async function accept(motors: RecordedFiles, version: string): Promise<void> {
  await bench.registry.publish(id, version);
  motors.follower.accepted(await motors.offered(version));
}

/** Settles when the files are removed, after the log line about it. */
async function swept(version: string): Promise<void> {
  const said = `info : acme:motors ${version} was removed from this computer: nothing uses it any more`;
  while (!bench.log.includes(said)) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('packages that nobody wants', () => {
  it('are removed after a week; what runs and what ran before stays', async () => {
    const motors = bench.follow(bench.machine());
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) await accept(motors, version);
    bench.clock.advance(6 * DAY_MS);
    expect(await kept()).toEqual(['1.0.0', '1.0.1', '1.0.2']);
    bench.clock.advance(2 * DAY_MS);
    await swept('1.0.0');
    expect(await kept()).toEqual(['1.0.1', '1.0.2']);
  });

  it('stay while another machine of this home has them', async () => {
    const other = bench.machine({ machine: 'other' });
    await accept(bench.follow(other, { version: '1.*' }), '1.0.0');
    await other.close();
    const motors = bench.follow(bench.machine());
    for (const version of ['2.0.0', '2.0.1', '2.0.2']) await accept(motors, version);
    bench.clock.advance(8 * DAY_MS);
    await swept('2.0.0');
    expect(await kept()).toEqual(['1.0.0', '2.0.1', '2.0.2']);
  });

  it('go with a module that is not configured any more', async () => {
    const machine = bench.machine();
    const motors = bench.follow(machine);
    await accept(motors, '1.0.0');
    motors.follower.close();
    bench.clock.advance(8 * DAY_MS);
    await swept('1.0.0');
    expect(await kept()).toEqual([]);
  });

  it('and downloads that nobody went on with are removed', async () => {
    await bench.registry.publish(id, '1.0.0');
    bench.registry.cutAt = 100;
    const machine = bench.machine();
    const motors = bench.follow(machine);
    await motors.until(() => motors.missing.length > 0);
    motors.follower.close();
    const folder = path.join(bench.folder, 'modules/acme/motors');
    const parts = async (): Promise<string[]> =>
      (await readdir(folder)).filter((name) => name.startsWith('.part')).map((name) => path.join(folder, name));
    const [part = ''] = await parts();
    const old = (bench.clock.now() - 2 * DAY_MS) / 1_000;
    await utimes(part, old, old);
    bench.clock.advance(2 * DAY_MS);
    while ((await parts()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
