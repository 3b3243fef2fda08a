import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardOf, noteTile } from '../../proto/config/dashboards/dashboard.fixture.ts';
import {
  DashboardServiceDefinition,
  type Dashboard,
  type WatchResponse,
} from '../../proto/gen/core/dashboard/v1/dashboard.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

describe.each([
  { name: 'with a hub in the program', args: [] },
  { name: 'without a hub', args: ['-hub=false'] },
])('dashboards of a machine $name', ({ args }) => {
  let home: string;
  let server: ServerProcess;
  let client: GrpcClient;

  const start = async (): Promise<void> => {
    server = await startServer({ config: '{"network":{"bind_address":"localhost:0"}}', home, args });
    client = new GrpcClient(server);
  };
  const put = async (text: string, baseRevision = '') => {
    const dashboard = dashboardOf('bench', 'Bench', [noteTile('note', text)]);
    const request = { partId: '', dashboard, baseRevision };
    return (await client.call(DashboardServiceDefinition, 'put', request)).dashboard;
  };
  const current = async (): Promise<readonly Dashboard[]> => {
    for await (const found of client.stream(DashboardServiceDefinition, 'watch', { partId: '' }))
      return (found as WatchResponse).dashboards;
    throw new Error('the watch has ended');
  };

  beforeEach(async () => {
    home = await temporaryFolder();
    await start();
  });
  afterEach(async () => {
    client.close();
    await server.stop();
  });

  it('are changed at its port, refuse what is old, and are there after a restart', async () => {
    const stored = await put('one');
    const changed = await put('two', stored?.revision);
    await expect(put('three', stored?.revision)).rejects.toMatchObject({ code: StatusCode.ABORTED });
    expect(await current()).toEqual([changed]);
    client.close();
    await server.stop();
    await start();
    expect(await current()).toEqual([changed]);
    await client.call(DashboardServiceDefinition, 'delete', {
      partId: '',
      id: 'bench',
      baseRevision: changed?.revision ?? '',
    });
    expect(await current()).toEqual([]);
  });
});
