import { expect } from 'vitest';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import type { ModuleMachine } from '../harness/module-machine.ts';
import { ReflectedClient, type Answer } from '../harness/reflected-client.ts';
import { until } from '../harness/until.ts';
import { quantile } from './figures.ts';

/** A module next to the failing ones, which is watched all the time. */
export const steady = { name: 'steady', kind: 'node-grpc' } as const;
export const steadyResources = {
  components: [{ name: 'calm', api: 'core:component:sensor', model: 'acme:bare:probe', attributes: { value: 1 } }],
  services: [{ name: 'steps', api: 'acme:service:counter', model: 'acme:bare:counter' }],
};
const CALL_EVERY_MS = 20;

/** Calls and a stream of the steady module, while other modules fail. None of them may fail. */
export class SteadyModule {
  readonly #machine: ModuleMachine;
  readonly #client: ReflectedClient;
  readonly #stream: ClientReadableStream<Answer>;
  readonly #failures: string[] = [];
  readonly #callMs: number[] = [];
  #answers = 0;
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(machine: ModuleMachine, client: ReflectedClient) {
    this.#machine = machine;
    this.#client = client;
    this.#stream = client.serverStream('Watch', { name: 'steps', count: 0, intervalMs: 5 });
    this.#stream.on('data', () => (this.#answers += 1));
    this.#stream.on('end', () => this.#failures.push('the stream ended'));
    this.#stream.on('error', (error) => {
      if (!this.#isOver) this.#failures.push(`the stream broke: ${error.message}`);
    });
  }

  static async watch(machine: ModuleMachine): Promise<SteadyModule> {
    await machine.ready('calm', 'steps');
    const client = await ReflectedClient.of(machine.server.url, 'acme.service.counter.v1.CounterService');
    const watched = new SteadyModule(machine, client);
    watched.#loop = watched.#call();
    await until('the stream flows', () => watched.#answers > 5, 10_000);
    return watched;
  }

  /** Checks that none of its calls has failed since the start. Returns median and p99 of its calls in ms. */
  async end(): Promise<{ readonly medianMs: number; readonly p99Ms: number }> {
    const had = this.#answers;
    await until('the stream still flows', () => this.#answers > had + 5 || this.#failures.length > 0, 10_000);
    this.#isOver = true;
    await this.#loop;
    this.#stream.cancel();
    this.#client.close();
    expect(this.#failures).toEqual([]);
    return { medianMs: quantile(this.#callMs, 0.5), p99Ms: quantile(this.#callMs, 0.99) };
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now();
      try {
        await this.#machine.client.grpc.call(SensorServiceDefinition, 'getReadings', { name: 'calm' });
        this.#callMs.push(performance.now() - startedAt);
      } catch (thrown) {
        this.#failures.push(`a call failed: ${String(thrown)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, CALL_EVERY_MS));
    }
  }
}
