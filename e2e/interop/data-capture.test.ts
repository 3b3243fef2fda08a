import * as sdk from '@viamrobotics/sdk';
import { describe, expect, it } from 'vitest';
import { DataServiceDefinition, type ExportTabularDataResponse } from '../../proto/gen/core/app/data/v1/data.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { startServer } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

/** As in the public ecosystem. */
const config = JSON.stringify({
  components: [
    {
      name: 'climate',
      api: 'rdk:component:sensor',
      model: 'rdk:builtin:fake',
      attributes: { readings: { celsius: 21.5 } },
      service_configs: [
        {
          type: 'data_manager',
          attributes: {
            capture_methods: [{ method: 'Readings', capture_frequency_hz: 20, additional_params: {}, disabled: false }],
          },
        },
      ],
    },
  ],
  services: [
    {
      name: 'data_manager-1',
      api: 'rdk:service:data_manager',
      model: 'rdk:builtin:builtin',
      attributes: { sync_disabled: true, tags: ['bench'], additional_sync_paths: [] },
    },
  ],
});

describe('data capture, for the public SDK', () => {
  it('is synced when a program says so, and is at the hub then', async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    await fleet.setConfig(partId, config);
    const server = await startServer({ config: await fleet.configOf(partId) });
    try {
      const robot = new sdk.RobotClient();
      await until(
        'the machine has its configuration',
        async () => {
          await robot.dial({ host: server.url, noReconnect: true });
          return (await robot.resourceNames()).some(({ name }) => name === 'climate');
        },
        15_000,
      );
      try {
        const manager = new sdk.DataManagerClient(robot, 'data_manager-1');
        const exported = async (): Promise<ExportTabularDataResponse[]> => {
          const all: ExportTabularDataResponse[] = [];
          const request = {
            partId,
            resourceName: 'climate',
            resourceSubtype: 'rdk:component:sensor',
            methodName: 'Readings',
            interval: undefined,
            additionalParameters: undefined,
          };
          for await (const row of fleet.stream(DataServiceDefinition, 'exportTabularData', request)) {
            all.push(row as ExportTabularDataResponse);
          }
          return all;
        };
        let rows: ExportTabularDataResponse[] = [];
        await until(
          'ten readings are at the hub',
          async () => {
            await manager.sync();
            rows = await exported();
            return rows.length >= 10;
          },
          15_000,
        );
        expect(rows[0]).toMatchObject({
          partId,
          resourceName: 'climate',
          methodName: 'Readings',
          tags: ['bench'],
          payload: { readings: { celsius: 21.5 } },
        });
        const times = rows.map(({ timeCaptured }) => timeCaptured?.getTime() ?? 0);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
      } finally {
        await robot.disconnect();
      }
    } finally {
      expect(await server.stop()).toBe(0);
    }
  }, 60_000);
});
