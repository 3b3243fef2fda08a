import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { DoCommandRequest, DoCommandResponse } from '../../proto/gen/core/common/v1/common.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { LogServiceDefinition, type Entry, type Filter } from '../../proto/gen/core/log/v1/log.ts';
import {
  Module_State,
  Resource_State,
  StatusServiceDefinition,
  type Module,
  type Resource,
  type WatchResponse,
} from '../../proto/gen/core/status/v1/status.ts';
import { moduleIds, moduleProgram, type ModuleKind } from '../interop/modules/programs.ts';
import { MachineClient } from './machine-client.ts';
import { startServer, type ServerOptions, type ServerProcess } from './server-process.ts';
import { until } from './until.ts';

/** An entry of `components` or `services`. */
export interface ResourceEntry {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes?: object;
  readonly depends_on?: readonly string[];
  readonly disabled?: boolean;
}

/** An entry of `modules` that runs one of the test programs. */
export interface ModuleEntry {
  readonly name: string;
  readonly kind: ModuleKind;
  /** A `module_id` other than that of its program; the models of `node-grpc` then begin with it. */
  readonly id?: string;
  /** Other keys of the entry: `env`, `log_level`, `tcp_mode`. */
  readonly more?: object;
}

export interface MachineContents {
  readonly modules: readonly ModuleEntry[];
  readonly components?: readonly ResourceEntry[];
  readonly services?: readonly ResourceEntry[];
  /** Other keys of the configuration. */
  readonly more?: object;
}

const WAIT_MS = 20_000;

/** A test program cannot run here, because Python or its packages are missing. */
export class CannotRun extends Error {}

/** A running machine with modules, and the latest status that it reported. */
export class ModuleMachine {
  readonly server: ServerProcess;
  readonly client: MachineClient;
  readonly resources = new Map<string, Resource>();
  readonly modules = new Map<string, Module>();
  readonly #folder: string;
  readonly #watching: ClientReadableStream<WatchResponse>;
  #appliedRevision = '';
  #listeners = new Set<() => void>();

  private constructor(server: ServerProcess, folder: string) {
    this.server = server;
    this.#folder = folder;
    this.client = new MachineClient(server);
    this.#watching = this.client.grpc.stream(StatusServiceDefinition, 'watch', {});
    this.#watching.on('data', (event: WatchResponse) => this.#take(event));
    this.#watching.on('error', () => undefined);
  }

  /**
   * Starts the built server with this configuration. Does not wait for the modules.
   * @throws {CannotRun} if one of the programs cannot run here
   */
  static async start(contents: MachineContents, options: Partial<ServerOptions> = {}): Promise<ModuleMachine> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-modules-'));
    try {
      const config = await textOf(contents, folder);
      return new ModuleMachine(await startServer({ config, ...options }), folder);
    } catch (thrown) {
      await rm(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  /** Starts the built server as a part of a hub whose configuration it follows. */
  static async join(config: string): Promise<ModuleMachine> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-modules-'));
    return new ModuleMachine(await startServer({ config }), folder);
  }

  /** Applies another configuration, and waits until it is in force. */
  async configure(contents: MachineContents): Promise<void> {
    const wanted = await this.apply(contents);
    await this.until('the configuration is in force', () => this.#appliedRevision === wanted);
  }

  /** Applies another configuration. @returns its revision */
  async apply(contents: MachineContents): Promise<string> {
    const text = await textOf(contents, this.#folder);
    const { revision } = await this.client.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
    const { outcome } = await this.client.grpc.call(ConfigServiceDefinition, 'apply', {
      partId: '',
      text,
      baseRevision: revision,
      author: '',
      note: '',
    });
    if (outcome?.$case !== 'applied') throw new Error(`Apply: ${JSON.stringify(outcome)}`);
    return outcome.value.revision;
  }

  /** Text of a configuration whose module programs are in this machine's folder. */
  textOf(contents: MachineContents): Promise<string> {
    return textOf(contents, this.#folder);
  }

  /** Waits for a state of the machine; checks it with each status that the machine reports. */
  until(what: string, holds: () => boolean, timeoutMs = WAIT_MS): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        done();
        resolve();
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`${what}: not within ${timeoutMs} ms\n${this.#statusText()}`));
      }, timeoutMs);
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      this.#listeners.add(look);
      look();
    });
  }

  isReady(name: string): boolean {
    return this.resource(name)?.state === Resource_State.READY;
  }

  /** Waits until resources are ready, by their short names such as `probe`. */
  ready(...names: readonly string[]): Promise<void> {
    return this.until(`${names.join(', ')} ready`, () => names.every((name) => this.isReady(name)), 60_000);
  }

  /** Waits until a module is ready in a process other than `before`. @returns its process id */
  async moduleReady(name: string, before = 0): Promise<number> {
    const isReady = (): boolean => {
      const module = this.modules.get(name);
      return module?.state === Module_State.READY && module.pid !== 0 && module.pid !== before;
    };
    await this.until(`module ${name} ready`, isReady, 60_000);
    return this.modules.get(name)?.pid ?? 0;
  }

  resource(name: string): Resource | undefined {
    return [...this.resources.values()].find((one) => one.name.endsWith(`/${name}`));
  }

  async readings(sensor: string): Promise<Record<string, unknown>> {
    const { readings } = await this.client.grpc.call(SensorServiceDefinition, 'getReadings', { name: sensor });
    return readings;
  }

  /** DoCommand of a sensor, or of another component given the full name of its service. */
  async command(
    name: string,
    command: Record<string, unknown>,
    service: string = SensorServiceDefinition.fullName,
  ): Promise<Record<string, unknown>> {
    const bytes = DoCommandRequest.encode({ name, command }).finish();
    const answer = await this.client.grpc.raw(`/${service}/DoCommand`, bytes);
    return DoCommandResponse.decode(answer).result ?? {};
  }

  /** The latest lines of the log. */
  async log(filter: Partial<Filter>): Promise<readonly Entry[]> {
    const whole = { levels: [], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n, ...filter };
    const { entries } = await this.client.grpc.call(LogServiceDefinition, 'query', {
      partId: '',
      filter: { start: undefined, end: undefined, ...whole },
      limit: 200,
      pageToken: '',
      newestFirst: true,
    });
    return entries;
  }

  /** Waits for a line of the log. */
  async logged(what: string, filter: Partial<Filter>, holds: (entry: Entry) => boolean): Promise<Entry> {
    let found: Entry | undefined;
    const look = async (): Promise<boolean> => (found = (await this.log(filter)).find(holds)) !== undefined;
    await until(what, look, WAIT_MS);
    return found as unknown as Entry;
  }

  async stop(): Promise<number | null> {
    this.#watching.cancel();
    this.client.close();
    const code = await this.server.stop();
    await rm(this.#folder, { recursive: true, force: true });
    return code;
  }

  #take({ event }: WatchResponse): void {
    if (event === undefined) return;
    if (event.$case === 'snapshot') {
      this.resources.clear();
      this.modules.clear();
      this.#put(event.value.resources, event.value.modules);
    } else {
      event.value.removed.forEach((name) => this.resources.delete(name));
      event.value.removedModules.forEach((name) => this.modules.delete(name));
      this.#put(event.value.upserted, event.value.upsertedModules);
    }
    this.#appliedRevision = event.value.machine?.appliedRevision ?? this.#appliedRevision;
    for (const listener of [...this.#listeners]) listener();
  }

  #put(resources: readonly Resource[], modules: readonly Module[]): void {
    for (const one of resources) this.resources.set(one.name, one);
    for (const one of modules) this.modules.set(one.name, one);
  }

  #statusText(): string {
    const lines = [
      ...[...this.modules.values()].map((one) => `${one.name}: ${nameOf(Module_State, one.state)} ${one.reason}`),
      ...[...this.resources.values()].map((one) => `${one.name}: ${nameOf(Resource_State, one.state)} ${one.reason}`),
    ];
    return `${lines.join('\n')}\n${this.server.stderr().slice(-4_000)}`;
  }
}

async function textOf(contents: MachineContents, folder: string): Promise<string> {
  const modules: object[] = [];
  for (const { name, kind, id = moduleIds[kind], more } of contents.modules) {
    const { executable, whyNot } = await moduleProgram(kind, path.join(folder, name), id);
    if (whyNot !== undefined) throw new CannotRun(whyNot);
    const entry = { name, type: 'local', module_id: id, version: '0.0.1', executable_path: executable };
    modules.push({ ...entry, ...more });
  }
  return JSON.stringify({
    network: { bind_address: 'localhost:0' },
    modules,
    components: contents.components ?? [],
    services: contents.services ?? [],
    ...contents.more,
  });
}

function nameOf(states: Readonly<Record<string, number>>, state: number): string {
  return Object.keys(states).find((name) => states[name] === state) ?? String(state);
}
