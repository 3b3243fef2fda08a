/** Triggers of a part, and the receivers of their webhooks. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { TriggerServiceDefinition } from '../../../proto/gen/core/hub/v1/trigger.ts';
import type { BenchHub } from '../servers/hub.ts';

/** Name of the sensor in these measurements. */
export const SENSOR = 'thermometer';
/** A reading above it triggers a webhook. */
export const LIMIT = 900;

/** A trigger that fires where the reading `celsius` of {@link SENSOR} is above a number. */
export function triggerAbove(name: string, celsius: number, targets: readonly string[]): object {
  return {
    name,
    event: {
      type: 'conditional_data_ingested',
      conditional: {
        data_capture_method: `sensor:${SENSOR}:Readings`,
        conditions: { evals: [{ operator: 'gt', value: { celsius } }] },
      },
    },
    notifications: targets.map((value) => ({ type: 'webhook', value, seconds_between_notifications: 0 })),
  };
}

/** Configures these triggers for a part, and allows webhooks to this computer. */
export async function configureTriggers(
  { owner }: BenchHub,
  partId: string,
  triggers: readonly object[],
): Promise<void> {
  const headers = { authorization: `Bearer ${owner.token}` };
  await owner.grpc.call(TriggerServiceDefinition, 'setAllowedNetworks', { networks: ['127.0.0.0/8'] }, { headers });
  const components = [
    {
      ...{ name: SENSOR, api: 'core:component:sensor', model: 'fake' },
      service_configs: [
        { type: 'data_manager', attributes: { capture_methods: [{ method: 'Readings', capture_frequency_hz: 1 }] } },
      ],
    },
  ];
  const robotConfigJson = JSON.stringify({ components, triggers });
  await owner.call('updateRobotPart', { id: partId, name: 'main', robotConfig: undefined, robotConfigJson });
}

/** A received webhook. */
export interface Arrival {
  /** Number of the address that it was sent to: 127.0.0.N. */
  readonly target: number;
  /** `performance.now()`. */
  readonly at: number;
  /** `count` of the reading in its body. */
  readonly count: number;
}

/** Receivers at 127.0.0.1, 127.0.0.2 and so on: to a hub each is a separate host. */
export class Targets {
  readonly #server: http.Server;
  readonly #hanging: ReadonlySet<number>;
  #onArrival: (arrival: Arrival) => void = () => undefined;

  private constructor(hanging: readonly number[]) {
    this.#hanging = new Set(hanging);
    this.#server = http.createServer((request, response) => {
      const at = performance.now();
      const target = Number(request.socket.localAddress?.split('.').at(-1));
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        if (this.#hanging.has(target)) return;
        response.end();
        const { data } = JSON.parse(body) as { data: { data: { count: number } } };
        this.#onArrival({ target, at, count: data.data.count });
      });
    });
  }

  /** @param hanging numbers of those that accept a request and never answer */
  static async listen(hanging: readonly number[] = []): Promise<Targets> {
    const targets = new Targets(hanging);
    await new Promise<void>((resolve) => targets.#server.listen(0, '0.0.0.0', resolve));
    return targets;
  }

  /** @param target its number, from 1 on */
  url(target: number): string {
    return `http://127.0.0.${target}:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves with this many webhooks that arrive from now on, at the targets that answer. */
  arrivals(count: number): Promise<readonly Arrival[]> {
    const arrived: Arrival[] = [];
    return new Promise((resolve) => {
      this.#onArrival = (arrival) => {
        arrived.push(arrival);
        if (arrived.length === count) resolve(arrived);
      };
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
