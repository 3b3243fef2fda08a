import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { HubClient, hubFolder, startHub } from '../harness/hub-process.ts';
import { MethodProbe } from '../harness/method-probe.ts';
import { benchConfig, startServer } from '../harness/server-process.ts';

it('the hub beside a machine has every service of a hub that is alone', async () => {
  const folder = await hubFolder();
  onTestFinished(folder.remove);
  const hub = await startHub({ data: folder.data, args: ['--no-tls'] });
  onTestFinished(async () => void (await hub.stop()));
  const server = await startServer({ config: await readFile(benchConfig, 'utf8') });
  onTestFinished(async () => void (await server.stop()));
  const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' });
  onTestFinished(() => owner.close());

  const servicesAt = async (url: string, token: string | undefined): Promise<readonly string[]> => {
    const probe = new MethodProbe(url, token);
    onTestFinished(() => probe.close());
    return [...new Set((await probe.methods()).map(({ service }) => service))];
  };
  const alone = await servicesAt(hub.url, owner.token);
  expect(alone).toContain('core.hub.v1.HubService');
  const beside = await servicesAt(server.url, server.token);
  expect(alone.filter((service) => !beside.includes(service))).toEqual([]);
}, 60_000);
