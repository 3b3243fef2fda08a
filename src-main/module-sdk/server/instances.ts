import { fullName } from '../../../proto/config/names.ts';
import { isActuator } from '../../apis/api.ts';
import type { Resource } from '../../apis/resource.ts';
import { onAbort } from '../../base/async/abort.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { KeyedMutex } from '../../base/async/mutex.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { ResourceResolver } from '../../rpc/router.ts';
import type { Authored } from '../builtin-resources.ts';
import { type ContextOptions, type InstanceConfig, makeContext } from '../context.ts';

type State =
  | { readonly kind: 'building' }
  | { readonly kind: 'ready'; readonly resource: Resource }
  /** It existed, but rebuilding it failed. */
  | { readonly kind: 'failed'; readonly reason: string };

interface Instance {
  readonly config: InstanceConfig;
  /** Aborts when the instance is closed or given up. */
  readonly life: AbortController;
  state: State;
}

/** Time limit for an actuator to stop, and for an instance to close, when the module ends. */
const STOP_MS = 2_000;
const CLOSE_MS = 3_000;

/**
 * The instances of a module, by API and name. Operations on one instance run in order; other instances do not wait for
 * them.
 */
export class Instances {
  readonly #options: ContextOptions;
  readonly #logger: Logger;
  readonly #all = new Map<string, Instance>();
  readonly #turns = new KeyedMutex();

  constructor(options: ContextOptions) {
    this.#options = options;
    this.#logger = options.logger;
  }

  /** Builds an instance, after closing any existing one of the same name. Gives up when `signal` aborts. */
  add(config: InstanceConfig, signal: AbortSignal): Promise<void> {
    return this.#turns.run(keyOf(config), async () => {
      await this.#close(config);
      await this.#build(config, signal);
    });
  }

  /** Changes an instance in place if its model can, otherwise rebuilds it. Builds it if it does not exist. */
  reconfigure(config: InstanceConfig, signal: AbortSignal): Promise<void> {
    return this.#turns.run(keyOf(config), async () => {
      const instance = this.#all.get(keyOf(config));
      const isSameModel = instance?.config.model === config.model;
      if (instance?.state.kind === 'ready' && isSameModel && config.model.reconfigure !== undefined) {
        const { resource } = instance.state;
        try {
          await config.model.reconfigure(resource, makeContext(this.#options, config, instance.life.signal));
          this.#all.set(keyOf(config), { ...instance, config });
          return;
        } catch (thrown) {
          const reason = toArmatureError(thrown).message;
          this.#logger.info(`${fullName(config.api, config.name)} is built anew: ${reason}`);
        }
      }
      await this.#close(config);
      await this.#build(config, signal);
    });
  }

  /** Closes an instance. @throws {ArmatureError} `resource.not_found` */
  remove(api: string, name: string): Promise<void> {
    const key = { api, name };
    return this.#turns.run(keyOf(key), async () => {
      if (!this.#all.has(keyOf(key))) throw missing(api, name);
      await this.#close(key);
    });
  }

  /** Finds the instance for each call of an API. */
  resolverFor(api: string): ResourceResolver<Resource> {
    return (name) => {
      const state = this.#all.get(keyOf({ api, name }))?.state;
      if (state?.kind === 'ready') return { kind: 'local', resource: state.resource };
      if (state === undefined) throw missing(api, name);
      const why = state.kind === 'failed' ? `could not be built: ${state.reason}` : 'is being built';
      throw new ArmatureError('resource.not_ready', `${fullName(api, name)} ${why}`);
    };
  }

  /** Stops all actuators at the same time, with a limit of 2 s each. */
  async stopActuators(): Promise<void> {
    const stops = [...this.#all.values()].map(async ({ config, state }) => {
      if (state.kind !== 'ready' || !isActuator(state.resource)) return;
      await this.#within(STOP_MS, `stop ${fullName(config.api, config.name)}`, state.resource.stop());
    });
    await Promise.all(stops);
  }

  /** Closes all instances, within 3 s. */
  async closeAll(): Promise<void> {
    const closing = [...this.#all.values()].map(({ config }) =>
      this.#within(CLOSE_MS, `close ${fullName(config.api, config.name)}`, this.#close(config)),
    );
    await Promise.all(closing);
  }

  async #build(config: InstanceConfig, signal: AbortSignal): Promise<void> {
    const life = new AbortController();
    const instance: Instance = { config, life, state: { kind: 'building' } };
    this.#all.set(keyOf(config), instance);
    const building = config.model.build(makeContext(this.#options, config, life.signal));
    try {
      const resource = asResource(await untilAborted(building, signal), config, life.signal);
      instance.state = { kind: 'ready', resource };
    } catch (thrown) {
      life.abort(thrown);
      // It may finish later anyway.
      if (signal.aborted) building.then((late) => this.#closeResource(config, late)).catch(() => undefined);
      const error = toArmatureError(thrown);
      instance.state = { kind: 'failed', reason: error.message };
      // What an author throws is the reason why the resource is not available, not a bug of the module.
      throw error.code === 'internal.bug'
        ? new ArmatureError('call.failed_precondition', error.message, { cause: thrown })
        : error;
    }
  }

  async #close(key: { readonly api: string; readonly name: string }): Promise<void> {
    const instance = this.#all.get(keyOf(key));
    if (instance === undefined) return;
    this.#all.delete(keyOf(key));
    instance.life.abort(new ArmatureError('resource.not_ready', `${fullName(key.api, key.name)} was closed.`));
    if (instance.state.kind === 'ready') await this.#closeResource(instance.config, instance.state.resource);
  }

  async #closeResource({ api, name }: InstanceConfig, resource: object): Promise<void> {
    try {
      await (resource as Authored<Resource>).close?.();
    } catch (thrown) {
      this.#logger.warn(`${fullName(api, name)} was closed with an error: ${toArmatureError(thrown).message}`);
    }
  }

  async #within(limitMs: number, what: string, work: Promise<void>): Promise<void> {
    const done = work.catch((thrown: unknown) => {
      this.#logger.error(`Failed to ${what}: ${toArmatureError(thrown).message}`);
    });
    const onTimeout = (): void =>
      this.#logger.error(`It took longer than ${limitMs / 1_000} s to ${what}; it is not waited for.`);
    await withTimeout(() => done, { clock: this.#options.clock, ms: limitMs, onTimeout });
  }
}

function keyOf({ api, name }: { readonly api: string; readonly name: string }): string {
  return fullName(api, name);
}

function missing(api: string, name: string): ArmatureError {
  return new ArmatureError('resource.not_found', `This module has no ${fullName(api, name)}.`);
}

/** Adds to an author's object what the handlers need from a resource, so that authors do not have to write it. */
function asResource(built: object, { api, name }: InstanceConfig, closed: AbortSignal): Resource {
  if (typeof built !== 'object' || built === null) {
    throw new ArmatureError(
      'internal.bug',
      `The build of ${fullName(api, name)} gave ${String(built)}; it has to give an object.`,
    );
  }
  try {
    if (!('name' in built)) Object.defineProperty(built, 'name', { value: name });
    if (!('closed' in built)) Object.defineProperty(built, 'closed', { value: closed, configurable: true });
  } catch (cause) {
    const message = `The build of ${fullName(api, name)} gave an object that is frozen; give one that is not.`;
    throw new ArmatureError('internal.bug', message, { cause });
  }
  return built as Resource;
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(toArmatureError(signal.reason)));
    work.then(resolve, reject).finally(unsubscribe);
  });
}
