import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { DataManagerServiceDefinition } from '../../proto/gen/core/service/datamanager/v1/data_manager.ts';
import { Receiver } from '../../src-main/hub/triggers/testing/receiver.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const captured = {
  type: 'data_manager',
  attributes: { capture_methods: [{ method: 'Readings', capture_frequency_hz: 20 }] },
};

/** The two examples of the specification: a value above 50, and a nested one below 50. */
const config = (url: string): string =>
  JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      {
        name: 'computer',
        api: 'core:component:sensor',
        model: 'fake',
        attributes: { readings: { cpu: 50, coordinate: { latitude: 50, longitude: 8 } } },
        service_configs: [captured],
      },
    ],
    services: [
      { name: 'data', api: 'core:service:data_manager', model: 'builtin', attributes: { sync_interval_mins: 0.005 } },
    ],
    triggers: [
      {
        name: 'busy',
        event: {
          type: 'conditional_data_ingested',
          conditional: {
            data_capture_method: 'sensor:computer:Readings',
            conditions: { evals: [{ operator: 'gt', value: { cpu: 50 } }] },
          },
        },
        notifications: [{ type: 'webhook', value: `${url}/busy`, seconds_between_notifications: 3600 }],
      },
      {
        name: 'south',
        event: {
          type: 'conditional_data_ingested',
          conditional: {
            data_capture_method: 'sensor:computer:Readings',
            conditions: { evals: [{ operator: 'lt', value: { coordinate: { latitude: 50 } } }] },
          },
        },
        notifications: [{ type: 'webhook', value: `${url}/south`, seconds_between_notifications: 3600 }],
      },
    ],
  });

describe('triggers of a machine, with the hub that is in it', () => {
  let receiver: Receiver;
  let server: ServerProcess;
  let client: MachineClient;

  beforeEach(async () => {
    receiver = await Receiver.listen();
    server = await startServer({ config: config(`http://127.0.0.1:${receiver.port}`) });
    client = new MachineClient(server.url);
  });

  afterEach(async () => {
    client.close();
    expect(await server.stop()).toBe(0);
    await receiver.close();
  });

  const reads = (set: object): Promise<unknown> =>
    client.grpc.call(SensorServiceDefinition, 'doCommand', { name: 'computer', command: { set } });
  /** Waits until everything captured so far is at the hub. */
  const synced = (): Promise<void> =>
    until(
      'what was captured is at the hub',
      () =>
        client.grpc.call(DataManagerServiceDefinition, 'sync', { name: 'data' }).then(
          () => true,
          () => false,
        ),
      20_000,
    );

  it('fire for a value above 50 and for a nested one below 50, and for neither at 50', async () => {
    await synced();
    expect(receiver.requests).toEqual([]);
    await reads({ cpu: 51 });
    await receiver.until(1);
    await synced();
    await reads({ cpu: 50, coordinate: { latitude: 49, longitude: 8 } });
    await receiver.until(2);
    await synced();
    const [busy, south, ...more] = receiver.requests;
    expect(more).toEqual([]);
    expect([busy, south].map((request) => `${request?.method} ${request?.path}`)).toEqual([
      'POST /busy',
      'POST /south',
    ]);
    expect(JSON.parse(busy?.body ?? '')).toMatchObject({
      component_name: 'computer',
      component_type: 'sensor',
      method_name: 'Readings',
      data: { data: { cpu: 51 } },
    });
    expect(JSON.parse(south?.body ?? '')).toMatchObject({ data: { data: { coordinate: { latitude: 49 } } } });
  }, 60_000);
});
