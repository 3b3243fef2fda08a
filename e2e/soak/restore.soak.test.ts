import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition, type WatchResponse } from '../../proto/gen/core/config/v1/config.ts';
import { revisionOf } from '../../src-main/base/revision.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { quantile, spread, tell } from './figures.ts';

const TIMES = 20;

it('restoring version 3 brings the bench back to it in under a second, over TLS, in homes of their own', async () => {
  const fleet = await Fleet.start();
  const partId = await fleet.partId();
  const server = await startServer({ config: await fleet.configOf(partId) });
  const machine = new MachineClient(server);
  onTestFinished(async () => {
    machine.close();
    await server.stop();
  });
  const bench = JSON.parse(await readFile(benchConfig, 'utf8')) as {
    components: { name: string; attributes?: object }[];
  };
  const { network: _network, ...rest } = bench as typeof bench & { network?: unknown };
  const textOf = (version: number): string =>
    JSON.stringify(
      {
        ...rest,
        components: rest.components.map((component) =>
          component.name === 'left'
            ? { ...component, attributes: { ...component.attributes, max_rpm: 100 + version } }
            : component,
        ),
      },
      undefined,
      2,
    );
  const revision = async (): Promise<string> => (await fleet.call(ConfigServiceDefinition, 'get', { partId })).revision;
  for (let version = 1; version <= 5; version++) {
    const request = { partId, text: textOf(version), baseRevision: await revision(), author: '', note: '' };
    await fleet.call(ConfigServiceDefinition, 'apply', request);
  }

  /** The configuration that the machine itself reports; updated on each change. */
  let latest: WatchResponse | undefined;
  let changed: () => void = () => undefined;
  const watch = machine.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
  watch.on('data', (state: WatchResponse) => {
    latest = state;
    changed();
  });
  watch.on('error', () => undefined);
  onTestFinished(() => watch.cancel());
  const runs = async (text: string): Promise<void> => {
    while (latest?.appliedRevision !== revisionOf(text) || latest.text !== text) {
      await new Promise<void>((resolve) => (changed = resolve));
    }
  };
  await runs(textOf(5));
  await until('its motor is ready', async () => (await machine.resourceNames()).length > 3, 10_000);

  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const number = time % 2 === 0 ? 3 : 5;
    const base = await revision();
    const startedAt = performance.now();
    const request = { partId, number: BigInt(number), baseRevision: base, author: '', note: '' };
    const answered = fleet.call(ConfigServiceDefinition, 'restore', request);
    await runs(textOf(number));
    times.push(performance.now() - startedAt);
    expect((await answered).result?.outcome?.$case).toBe('applied');
  }
  tell(
    `restore of an earlier version until the bench of ${rest.components.length} components runs it: ${spread(times)}`,
  );
  expect(quantile(times, 0.5)).toBeLessThan(1_000);
  const [newest] = (
    await fleet.call(ConfigServiceDefinition, 'history', {
      partId,
      limit: 1,
      pageToken: '',
      text: '',
      tagged: false,
      resource: '',
    })
  ).versions;
  expect(newest).toMatchObject({ number: BigInt(5 + TIMES), restoredFrom: 5n });
});
