import path from 'node:path';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { GetReadingsRequest } from '../../../proto/gen/core/common/v1/common.ts';
import { StatusServiceDefinition, type Module, type WatchResponse } from '../../../proto/gen/core/status/v1/status.ts';
import { GrpcClient, type Target } from '../../harness/grpc-client.ts';
import { moduleProgram } from '../../interop/modules/programs.ts';

/** In the spelling of clients of the public ecosystem. */
export const getReadingsPath = '/viam.component.sensor.v1.SensorService/GetReadings';

export function getReadings(name: string): readonly number[] {
  return [...GetReadingsRequest.encode({ name, extra: undefined }).finish()];
}

/** A module on plain grpc-js with a sensor, as entries of a configuration. */
export interface BenchModule {
  readonly module: object;
  readonly sensor: object;
  readonly sensorName: string;
}

/** Writes the program of a module into a separate folder and returns its entries. */
export async function benchModule(scratch: string, name: string): Promise<BenchModule> {
  const id = `acme:${name}`;
  const { executable } = await moduleProgram('node-grpc', path.join(scratch, name), id);
  const sensorName = `sensor-${name}`;
  return {
    module: { name, type: 'local', module_id: id, version: '0.0.1', executable_path: executable },
    sensor: { name: sensorName, api: 'core:component:sensor', model: `${id}:probe` },
    sensorName,
  };
}

export function modulesConfig(port: number, modules: readonly object[], components: readonly object[]): string {
  return JSON.stringify({ network: { bind_address: `127.0.0.1:${port}` }, modules, components });
}

/** A machine's reports of its modules' states. */
export class ModuleStates {
  readonly grpc: GrpcClient;
  readonly modules = new Map<string, Module>();
  readonly #stream: ClientReadableStream<WatchResponse>;

  constructor(server: Target) {
    this.grpc = new GrpcClient(server);
    this.#stream = this.grpc.stream(StatusServiceDefinition, 'watch', {});
    this.#stream.on('data', ({ event }: WatchResponse) => {
      if (event?.$case === 'snapshot') for (const one of event.value.modules) this.modules.set(one.name, one);
      if (event?.$case === 'changes') for (const one of event.value.upsertedModules) this.modules.set(one.name, one);
    });
    this.#stream.on('error', () => undefined);
  }

  end(): void {
    this.#stream.cancel();
    this.grpc.close();
  }
}
