import {
  ModuleServiceDefinition,
  type ReadyRequest,
  type ReadyResponse,
} from '../../../../proto/gen/core/module/v1/module.ts';
import type { ComponentConfig } from '../../../../proto/gen/core/app/v1/robot.ts';
import { mountBuiltinApis } from '../../../apis/all.ts';
import type { Actuator, Resource } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { StatusCode } from '../../../base/status.ts';
import { CallRouter } from '../../../rpc/routing/call-router.ts';
import { localConnection } from '../../../rpc/routing/local-call.ts';
import type { Peer } from '../../../rpc/peer/peer.ts';
import type { RequestSink, Responder } from '../../../rpc/router.ts';
import type { ModuleAbsence, ModuleDirectory, OfferedModel, RunningModule } from '../../modules/run/running-module.ts';

/** For tests: a module in this process, behind a peer that transports bytes as a socket would. */

export interface ValidateAnswer {
  readonly dependencies?: readonly string[];
  readonly optional?: readonly string[];
}

/** An instance that a module has. */
export interface AddedResource {
  readonly config: ComponentConfig;
  readonly dependencies: readonly string[];
  readonly resource: Resource | undefined;
}

export interface FakeModuleOptions {
  readonly clock: Clock;
  readonly name?: string;
  readonly moduleId?: string;
  readonly models?: readonly OfferedModel[];
  /** Makes the resource of an entry; by default, something that can be stopped. */
  readonly make?: (config: ComponentConfig, name: string) => Resource | undefined;
  /** The answer to the handshake, for a process of its own. */
  readonly ready?: (request: ReadyRequest) => Promise<ReadyResponse>;
  /** Methods of ModuleService that it does not implement. */
  readonly without?: readonly ('validateConfig' | 'reconfigureResource')[];
}

/** One start of a module. Its answers can be changed at any time. */
export class FakeModule implements RunningModule {
  readonly name: string;
  readonly moduleId: string;
  readonly isFromRegistry = false;
  readonly models: readonly OfferedModel[];
  readonly router: CallRouter;
  readonly peer: FakePeer;
  /** Calls of ModuleService in order: `add motor/left`. */
  readonly calls: string[] = [];
  readonly instances = new Map<string, AddedResource>();
  /** Names whose AddResource has not succeeded. */
  readonly #given = new Set<string>();
  holds = 0;
  /** Violated rules: an instance that was added twice, or removed without having been added. */
  readonly violations: string[] = [];
  onValidate: (config: ComponentConfig) => ValidateAnswer | Promise<ValidateAnswer> = () => ({});
  onAdd: (config: ComponentConfig, signal: AbortSignal) => Promise<void> | void = () => undefined;
  onReconfigure: (config: ComponentConfig) => Promise<void> | void = () => undefined;
  onRemove: (name: string) => Promise<void> | void = () => undefined;

  constructor(options: FakeModuleOptions) {
    this.name = options.name ?? 'acme_parts';
    this.moduleId = options.moduleId ?? 'acme:parts';
    this.models = options.models ?? [motorModel];
    const { make = stillResource, without = [] } = options;
    this.router = new CallRouter({ clock: options.clock, logger: silentLogger, maxMessageBytes: 1 << 22 });
    this.peer = new FakePeer(this.router, this.name);
    mountBuiltinApis(this.router, (api) => (name) => {
      const resource = this.instances.get(`${api.replace('core:', 'rdk:')}/${name}`)?.resource;
      if (resource === undefined) throw new ArmatureError('resource.not_found', `no resource ${api}/${name} here`);
      return { kind: 'local', resource };
    });
    const has = (method: 'validateConfig' | 'reconfigureResource'): boolean => !without.includes(method);
    const { ready } = options;
    this.router.addService(ModuleServiceDefinition, {
      ...(ready === undefined ? {} : { ready }),
      ...(has('validateConfig')
        ? {
            validateConfig: async ({ config }) => {
              this.calls.push(`validate ${config?.name}`);
              const { dependencies = [], optional = [] } = await this.onValidate(config!);
              return { dependencies: [...dependencies], optionalDependencies: [...optional] };
            },
          }
        : {}),
      addResource: async ({ config, dependencies }, call) => {
        this.calls.push(`add ${config?.name}`);
        const name = fullNameOf(config!);
        this.#given.add(name);
        await this.onAdd(config!, call.signal);
        // A caller that gave up cannot know whether the instance exists.
        if (!call.isCancelled) this.#given.delete(name);
        if (this.instances.has(name)) this.violations.push(`${name} is added twice`);
        this.instances.set(name, { config: config!, dependencies, resource: make(config!, config!.name) });
        return {};
      },
      ...(has('reconfigureResource')
        ? {
            reconfigureResource: async ({ config, dependencies }) => {
              this.calls.push(`reconfigure ${config?.name}`);
              await this.onReconfigure(config!);
              const name = fullNameOf(config!);
              const before = this.instances.get(name);
              if (before === undefined) throw new ArmatureError('resource.not_found', `there is no ${name}`);
              this.instances.set(name, { ...before, config: config!, dependencies });
              return {};
            },
          }
        : {}),
      removeResource: async ({ name }) => {
        this.calls.push(`remove ${name.slice(name.indexOf('/') + 1)}`);
        await this.onRemove(name);
        const isKnown = this.instances.delete(name) || this.#given.delete(name);
        if (!isKnown) this.violations.push(`${name} is removed and is not there`);
        return {};
      },
    });
  }

  hold(): () => void {
    this.holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.holds--;
      isHeld = false;
    };
  }

  /** The calls since the last time this was called. */
  takeCalls(): string[] {
    return this.calls.splice(0);
  }
}

function stillResource(_config: ComponentConfig, name: string): Actuator {
  return { name, stop: async () => undefined, isMoving: async () => false, close: async () => undefined };
}

function fullNameOf({ api, name }: ComponentConfig): string {
  return `${api}/${name}`;
}

/** A peer whose other side is a router in this process. Paths must be in the spelling of modules. */
export class FakePeer implements Peer {
  readonly #router: CallRouter;
  readonly #connection;
  readonly #closed = new Emitter<string>();
  readonly #running = new Map<Responder, RequestSink>();
  readonly wrongPaths: string[] = [];
  isClosed = false;
  #reason = '';

  constructor(router: CallRouter, name: string) {
    this.#router = router;
    this.#connection = localConnection(name);
  }

  readonly start: Peer['start'] = (path, metadata, timeoutMs, responder) => {
    if (path.startsWith('/core.')) this.wrongPaths.push(path);
    if (this.isClosed) {
      responder.end({ code: StatusCode.UNAVAILABLE, message: this.#reason }, {});
      return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
    }
    const back: Responder = {
      headers: (record) => responder.headers(record),
      message: (bytes, isLast) => responder.message(Uint8Array.from(bytes), isLast),
      end: (status, trailers) => {
        if (this.#running.delete(back) || !this.isClosed) responder.end(status, trailers);
      },
    };
    const head = { path, metadata, timeoutMs, connection: this.#connection };
    const sink = this.#router.start(head, back);
    this.#running.set(back, sink);
    return sink;
  };

  onClose(listener: (reason: string) => void): () => void {
    return this.#closed.on(listener);
  }

  close(reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#reason = reason;
    this.#closed.emit(reason);
    const running = [...this.#running];
    for (const [responder, sink] of running) {
      responder.end({ code: StatusCode.UNAVAILABLE, message: reason }, {});
      sink.cancel(reason);
    }
  }
}

/** Modules, as a supervisor would report them. */
export class FakeDirectory implements ModuleDirectory {
  #running: readonly RunningModule[] = [];
  readonly #absences = new Map<string, ModuleAbsence>();
  readonly #changed = new Emitter();

  get running(): readonly RunningModule[] {
    return this.#running;
  }

  absenceOf(moduleId: string): ModuleAbsence | undefined {
    return this.#absences.get(moduleId);
  }

  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Sets the modules that run from now on, in the order of the configuration. */
  run(...modules: readonly RunningModule[]): void {
    this.#running = modules;
    for (const { moduleId } of modules) this.#absences.delete(moduleId);
    this.#changed.emit();
  }

  /** Makes a module unavailable, with a reason. A running one ends with that reason. */
  lose(moduleId: string, kind: ModuleAbsence['kind'], reason = ''): void {
    const lost = this.#running.find((module) => module.moduleId === moduleId);
    const name = lost?.name ?? this.#absences.get(moduleId)?.name ?? moduleId.replace(':', '_');
    this.#running = this.#running.filter((module) => module !== lost);
    this.#absences.set(moduleId, { name, kind, reason });
    lost?.peer.close(reason);
    this.#changed.emit();
  }

  /** Removes a module from the configuration. A running one ends. */
  forget(moduleId: string): void {
    const lost = this.#running.find((module) => module.moduleId === moduleId);
    this.#running = this.#running.filter((module) => module !== lost);
    this.#absences.delete(moduleId);
    this.#changed.emit();
    lost?.peer.close('it is not configured any more');
  }
}

export const motorModel: OfferedModel = {
  api: 'core:component:motor',
  model: 'acme:parts:turner',
  service: 'core.component.motor.v1.MotorService',
};
export const sensorModel: OfferedModel = {
  api: 'core:component:sensor',
  model: 'acme:parts:thermo',
  service: 'core.component.sensor.v1.SensorService',
};
export const boardModel: OfferedModel = {
  api: 'core:component:board',
  model: 'acme:parts:board',
  service: 'core.component.board.v1.BoardService',
};
