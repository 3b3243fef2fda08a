import { noCapture } from '../../catalog/testing/no-capture.ts';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ManualClock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger, type LogFields, type Logger } from '../../../base/logger.ts';
import { ComputerHardware } from '../../../hardware/computer-hardware.ts';
import { ResourceGraph, type ResourceGraphOptions } from '../resource-graph.ts';
import type { StatusChanges } from '../state.ts';
import type { Actuator, JsonObject } from '../../../apis/resource.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { MachineConfig } from '../../config/machine-config.ts';
import type { Plan, ResourceChange } from '../../config/plan/plan.ts';
import type { BuildContext, BuiltResource, CatalogEntry, Dependencies } from '../../catalog/model.ts';

/** For tests: models whose instances fail, hang and are counted as their attributes say. */

export const API = 'core:component:generic';
export const MODEL = 'core:builtin:fake';
/** The same, but two instances may run at the same time. */
export const COEXISTING_MODEL = 'core:builtin:coexisting';

export type BuildBehaviour = 'ok' | 'throw' | 'throw-text' | 'user-error' | 'hang' | 'hang-until-abort';
export type CloseBehaviour = 'ok' | 'throw' | 'hang';

/** Attributes of the test model; `limit` takes effect in place. */
export interface FakeAttributes {
  readonly needs?: readonly string[];
  readonly uses?: readonly string[];
  readonly build?: BuildBehaviour;
  readonly close?: CloseBehaviour;
  readonly change?: 'ok' | 'throw' | 'hang';
  readonly stop?: 'ok' | 'throw' | 'hang';
  readonly limit?: number;
  readonly value?: number;
}

export interface FakeInstance extends BuiltResource, Actuator {
  readonly id: number;
  readonly model: string;
  readonly attributes: FakeAttributes;
  readonly dependencies: readonly FakeInstance[];
  readonly context: BuildContext<JsonObject>;
  limit: number | undefined;
  isClosed: boolean;
  isStopped: boolean;
}

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly name: string;
  readonly message: string;
}

class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

/** Records every instance ever made, the order of events, and violated rules. */
export class FakeWorld {
  readonly events: string[] = [];
  readonly instances: FakeInstance[] = [];
  readonly violations: string[] = [];
  readonly lines: LoggedLine[] = [];
  /** Constructors under way, by name. */
  readonly running = new Map<string, number>();
  /** Names whose builds fail whatever their attributes say. */
  readonly broken = new Set<string>();
  readonly #gates = new Map<string, Gate>();
  #hung = new Gate();
  finds = 0;

  get alive(): readonly FakeInstance[] {
    return this.instances.filter(({ isClosed }) => !isClosed);
  }

  /** Builds of `name` do not finish before {@link release}. */
  gate(name: string): void {
    if (!this.#gates.has(name)) this.#gates.set(name, new Gate());
  }

  release(name: string): void {
    this.#gates.get(name)?.open();
    this.#gates.delete(name);
  }

  /** Releases every constructor and close that hangs. */
  releaseAll(): void {
    for (const name of [...this.#gates.keys()]) this.release(name);
    this.#hung.open();
    this.#hung = new Gate();
  }

  readonly entry = this.#entry(MODEL, false);
  readonly coexistingEntry = this.#entry(COEXISTING_MODEL, true);

  readonly catalog = {
    find: (api: string, model: string): CatalogEntry | undefined => {
      this.finds++;
      return [this.entry, this.coexistingEntry].find((entry) => entry.api === api && entry.model === model);
    },
  };

  #entry(model: string, mayCoexist: boolean): CatalogEntry {
    return {
      api: API,
      model,
      summary: 'A resource for tests.',
      schema: {},
      inPlace: ['limit'],
      isActuator: true,
      mayCoexist,
      dependencies: (attributes) => dependenciesOf(attributes),
      load: async () => ({ build: (context) => this.#build(context, model) }),
    };
  }

  logger(name: string): Logger {
    const line = (level: LoggedLine['level']) => (message: string, _fields?: LogFields) =>
      void this.lines.push({ level, name, message });
    const child = (more: string): Logger => this.logger(`${name}.${more}`);
    return { name, debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), child };
  }

  async #build(context: BuildContext<JsonObject>, model: string): Promise<BuiltResource> {
    const { name, signal } = context;
    const attributes = context.attributes as FakeAttributes;
    this.events.push(`build ${name}`);
    const running = (this.running.get(name) ?? 0) + 1;
    this.running.set(name, running);
    if (running > 1) this.violations.push(`${name} is built twice at the same time`);
    this.#checkOpen(name, model);
    try {
      const dependencies = this.#dependencies(context, attributes);
      const gate = this.#gates.get(name);
      if (gate !== undefined) await gate.opened;
      await this.#behave(name, attributes.build ?? 'ok', signal);
      for (const dependency of dependencies) {
        // A build that was given up on may outlive its dependencies; its instance is closed at once.
        if (dependency.isClosed && !signal.aborted) {
          this.violations.push(`${name} is built with ${dependency.name}, which is closed`);
        }
      }
      const instance = this.#instance(context, model, attributes, dependencies);
      this.instances.push(instance);
      this.events.push(`built ${name}`);
      return instance;
    } finally {
      this.running.set(name, this.running.get(name)! - 1);
    }
  }

  async #behave(name: string, behaviour: BuildBehaviour, signal: AbortSignal): Promise<void> {
    if (this.broken.has(name)) throw new Error(`${name} is broken`);
    switch (behaviour) {
      case 'ok':
        return;
      case 'throw':
        throw new Error('no answer from the chip');
      case 'throw-text':
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what badly behaved code does
        throw 'plain text';
      case 'user-error':
        throw new ArmatureError('call.bad_argument', 'pin 99 does not exist');
      case 'hang':
        return this.#hung.opened;
      case 'hang-until-abort':
        if (signal.aborted) throw signal.reason;
        return new Promise((_resolve, reject) => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of a signal
          signal.addEventListener('abort', () => reject(signal.reason));
        });
    }
  }

  #dependencies(context: BuildContext<JsonObject>, { needs = [], uses = [] }: FakeAttributes): FakeInstance[] {
    const required = needs.map((name) => context.dependency<FakeInstance>(API, name));
    const optional = uses.map((name) => context.optionalDependency<FakeInstance>(API, name));
    const found = [...required, ...optional.filter((instance) => instance !== undefined)];
    for (const { isClosed, name } of found) {
      if (isClosed) this.violations.push(`${context.name} is given ${name}, which is closed`);
    }
    return found;
  }

  /**
   * A second open instance is allowed only if the model allows it and nothing was built with the first. A third never
   * is.
   */
  #checkOpen(name: string, model: string): void {
    const open = this.alive.filter((instance) => instance.name === name);
    if (open.length > 1) this.violations.push(`${name} is built while two instances of it are open`);
    for (const instance of open) {
      const mayCoexist = model === COEXISTING_MODEL && instance.model === model;
      if (!mayCoexist) this.violations.push(`${name} is built while an instance of it is open`);
      const users = this.alive.filter(({ dependencies }) => dependencies.includes(instance));
      for (const user of users) this.violations.push(`${name} is built anew while ${user.name} uses it`);
    }
  }

  #instance(
    context: BuildContext<JsonObject>,
    model: string,
    attributes: FakeAttributes,
    dependencies: readonly FakeInstance[],
  ): FakeInstance {
    const { events } = this;
    const instance: FakeInstance = {
      id: this.instances.length,
      name: context.name,
      model,
      attributes,
      dependencies,
      context,
      limit: attributes.limit,
      isClosed: false,
      isStopped: false,
      close: async () => {
        events.push(`close ${context.name}`);
        for (const dependent of this.alive) {
          if (dependent.dependencies.includes(instance) && !dependent.context.signal.aborted) {
            this.violations.push(`${context.name} closes before ${dependent.name}, which uses it`);
          }
        }
        if (instance.isClosed) this.violations.push(`${context.name} is closed twice`);
        instance.isClosed = true;
        if (attributes.close === 'throw') throw new Error('the port is gone');
        if (attributes.close === 'hang') await this.#hung.opened;
        events.push(`closed ${context.name}`);
      },
      reconfigure: async (next: JsonObject) => {
        events.push(`change ${context.name}`);
        if (instance.isClosed) this.violations.push(`${context.name} is changed after it was closed`);
        if (attributes.change === 'throw') throw new Error('not now');
        if (attributes.change === 'hang') await this.#hung.opened;
        instance.limit = (next as FakeAttributes).limit;
      },
      stop: async () => {
        events.push(`stop ${context.name}`);
        if (attributes.stop === 'throw') throw new Error('no power');
        if (attributes.stop === 'hang') await this.#hung.opened;
        instance.isStopped = true;
      },
      isMoving: async () => false,
    };
    return instance;
  }
}

function dependenciesOf(attributes: JsonObject): Dependencies {
  const { needs = [], uses = [] } = attributes as FakeAttributes;
  return { required: needs, optional: uses };
}

/** A configuration entry of the test model. */
export function resource(
  name: string,
  attributes: FakeAttributes = {},
  rest: Partial<Omit<ResourceConfig, 'attributes' | 'name'>> = {},
): ResourceConfig {
  const api = rest.api ?? API;
  return {
    fullName: `${api}/${name}`,
    name,
    api,
    model: MODEL,
    attributes: attributes as JsonObject,
    dependsOn: [],
    logLevel: undefined,
    isDisabled: false,
    notes: '',
    serviceConfigs: [],
    pointer: '',
    problems: [],
    ...rest,
  };
}

/** The changes from one list of resources to another, as a planner finds them. */
export function planBetween(from: readonly ResourceConfig[], to: readonly ResourceConfig[], revision = 'r'): Plan {
  const before = new Map(from.map((config) => [config.fullName, config]));
  const after = new Map(to.map((config) => [config.fullName, config]));
  const resources: ResourceChange[] = [];
  for (const [name, config] of before) {
    if (!after.has(name)) resources.push({ kind: 'remove', name, from: config, reason: 'removed', stopsMotion: false });
  }
  for (const [name, config] of after) {
    const old = before.get(name);
    if (old === undefined) resources.push({ kind: 'add', name, to: config, reason: 'added' });
    else if (!isDeepStrictEqual(old, config)) resources.push(changeBetween(old, config));
  }
  return { from: undefined, to: machine(to, revision), resources, modules: [], settings: [], summary: '' };
}

function changeBetween(from: ResourceConfig, to: ResourceConfig): ResourceChange {
  const fields = Object.keys({ ...from.attributes, ...to.attributes }).filter(
    (key) => !isDeepStrictEqual(from.attributes[key], to.attributes[key]),
  );
  if (from.model !== to.model) fields.push('model');
  if (!isDeepStrictEqual(from.dependsOn, to.dependsOn)) fields.push('depends_on');
  const kind = fields.every((field) => field === 'limit') ? 'change' : 'rebuild';
  return { kind, name: to.fullName, from, to, fields, reason: 'changed', stopsMotion: false };
}

function machine(resources: readonly ResourceConfig[], revision: string): MachineConfig {
  return {
    resources,
    modules: [],
    packages: [],
    network: {
      fqdn: '',
      bindAddress: 'localhost:0',
      tlsCertFile: '',
      tlsKeyFile: '',
      noTls: false,
      heartbeatWindowMs: 2_000,
      stopOnDisconnect: true,
      allowedOrigins: [],
      tunnels: [],
      check: undefined,
    },
    auth: { isEnabled: false, apiKeys: [] },
    log: [],
    debug: false,
    disableLogDeduplication: false,
    triggers: [],
    remotes: [],
    jobs: [],
    enableWebProfile: false,
    tracing: { console: false, disk: false, otlp: undefined },
    maintenance: undefined,
    revision,
  };
}

/** Lets everything happen that is due now: promises, not timers. */
export function settle(): Promise<void> {
  return setImmediate();
}

/** A graph over a fake world, with the plans between configurations made for it. */
export class GraphFixture {
  readonly clock = new ManualClock();
  readonly world = new FakeWorld();
  readonly graph: ResourceGraph;
  readonly batches: StatusChanges[] = [];
  #config: readonly ResourceConfig[] = [];
  #revision = 0;

  constructor(options: Partial<ResourceGraphOptions> = {}) {
    this.graph = new ResourceGraph({
      catalog: this.world.catalog,
      clock: this.clock,
      hardware: new ComputerHardware('linux'),
      capture: noCapture,
      isEnvironmentUntrusted: false,
      random: () => 0,
      loggerFor: (name) => this.world.logger(name),
      logger: silentLogger,
      ...options,
    });
    this.graph.subscribe((changes) => this.batches.push(changes));
  }

  /** Executes the plan from the last configuration to this one, and lets everything happen that is due. */
  async apply(...config: readonly ResourceConfig[]): Promise<void> {
    void this.start(...config);
    await settle();
  }

  /** Starts to execute the plan from the last configuration to this one. */
  start(...config: readonly ResourceConfig[]): ReturnType<ResourceGraph['execute']> {
    const revision = `r${++this.#revision}`;
    const plan = planBetween(this.#config, config, revision);
    this.#config = config;
    return this.graph.execute(plan, revision);
  }

  /** Advances time in steps, and lets due work happen in between. */
  async pass(ms: number, stepMs = ms): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(stepMs, left));
      await settle();
    }
  }

  state(name: string): string {
    return this.graph.status(`${API}/${name}`)?.state.kind ?? 'gone';
  }

  reason(name: string): string {
    const state = this.graph.status(`${API}/${name}`)?.state;
    return state !== undefined && 'reason' in state ? state.reason : '';
  }

  states(): Record<string, string> {
    return Object.fromEntries(this.graph.statuses().map(({ name, state }) => [name, state.kind]));
  }

  /** What happened since the last call. */
  takeEvents(): string[] {
    return this.world.events.splice(0);
  }
}
