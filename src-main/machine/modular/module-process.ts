import { valueAt } from '../../../proto/config/text/json-pointer.ts';
import { MASK } from '../../../proto/config/secrets.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Forwarder } from '../../rpc/router.ts';
import { type Dependencies, noDependencies } from '../catalog/model.ts';
import type { RunningModule } from '../modules/run/running-module.ts';
import { callModule } from './module-calls.ts';
import type { ComponentConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import { parseTriplet } from '../../../proto/config/names.ts';
import { namespaceIn, tripletIn } from '../../base/dialect.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';

const REMOVE_MS = 30_000;
/** Dependencies that modules of the public ecosystem name but that are not resources. */
const FRAME_SYSTEM = /^(?:.*:frame_?system\/.*|\$?framesystem)$/;

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** One start of a module, as its resources use it: calls that create, change and remove them. */
export class ModuleProcess {
  readonly module: RunningModule;
  /** Passes on the calls to its resources. */
  readonly forwarder: Forwarder;
  readonly clock: Clock;
  /** Aborts when the process can no longer be called. */
  readonly closed: AbortSignal;
  /** False once the module has answered that it has no ReconfigureResource. */
  canReconfigure = true;
  /** Removals that have not been answered yet, by full name. */
  readonly #removals = new Map<string, Promise<void>>();

  constructor(module: RunningModule, forwarder: Forwarder, clock: Clock) {
    this.module = module;
    this.forwarder = forwarder;
    this.clock = clock;
    const closed = new AbortController();
    this.closed = closed.signal;
    if (module.peer.isClosed) closed.abort(gone(module, 'its connection is closed'));
    else module.peer.onClose((reason) => closed.abort(gone(module, reason)));
  }

  /**
   * Asks which dependencies a resource has, and whether its attributes are valid (ValidateConfig).
   * @throws {ArmatureError} as {@link callModule}; a module that does not implement ValidateConfig has no dependencies
   */
  async validate(config: ResourceConfig, options: CallOptions): Promise<Dependencies> {
    try {
      const request = { config: toComponentConfig(config) };
      const answer = await maskSecrets(config, callModule(this.module, 'validateConfig', request, options));
      const required = ownNames(answer.dependencies);
      const optional = ownNames(answer.optionalDependencies).filter((name) => !required.includes(name));
      return { required, optional };
    } catch (thrown) {
      if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') return noDependencies;
      throw thrown;
    }
  }

  /**
   * Creates an instance. If the call fails but may have created it, the instance is removed before this fails. If the
   * module still has an earlier instance of the name, that is removed, once: each further attempt would only create
   * another one and discard it.
   */
  async add(config: ResourceConfig, held: readonly string[], options: CallOptions): Promise<void> {
    await this.#removals.get(config.fullName);
    options.signal?.throwIfAborted();
    try {
      await this.#add(config, held, options);
    } catch (thrown) {
      if (!isDuplicate(thrown)) throw thrown;
      try {
        await this.remove(config.fullName);
      } catch {
        throw thrown; // the module cannot remove what it claims to have; that error is the one to report
      }
      await this.#add(config, held, options);
    }
  }

  async #add(config: ResourceConfig, held: readonly string[], options: CallOptions): Promise<void> {
    try {
      await maskSecrets(config, callModule(this.module, 'addResource', requestOf(config, held), options));
    } catch (thrown) {
      const isUnsure = thrown instanceof ArmatureError && thrown.code === 'peer.unreachable';
      if (isUnsure && !this.closed.aborted) await this.remove(config.fullName).catch(() => undefined);
      throw thrown;
    }
  }

  async reconfigure(config: ResourceConfig, held: readonly string[], options: CallOptions): Promise<void> {
    await maskSecrets(config, callModule(this.module, 'reconfigureResource', requestOf(config, held), options));
  }

  /** Removes an instance. If the process is gone, so is the instance. */
  remove(fullName: string): Promise<void> {
    const removal = this.#remove(fullName);
    const settled = removal
      .catch(() => undefined) // reported to the caller; the next instance only waits for the end
      .then(() => {
        if (this.#removals.get(fullName) === settled) this.#removals.delete(fullName);
      });
    this.#removals.set(fullName, settled);
    return removal;
  }

  async #remove(fullName: string): Promise<void> {
    if (this.closed.aborted) return;
    try {
      await callModule(this.module, 'removeResource', { name: tripletIn(fullName, 'viam') }, { timeoutMs: REMOVE_MS });
    } catch (thrown) {
      if (!this.closed.aborted) throw thrown;
    }
  }
}

/** What the public SDKs (Go, Python and Java, C++) say about a name that exists already. None sends ALREADY_EXISTS. */
const DUPLICATE = /\bresource\b.*\b(?:duplicate name|already exist(?:s|ed))\b/;

function isDuplicate(thrown: unknown): boolean {
  return thrown instanceof ArmatureError && thrown.code === 'module.refused' && DUPLICATE.test(thrown.message);
}

function requestOf(
  config: ResourceConfig,
  held: readonly string[],
): { readonly config: ReturnType<typeof toComponentConfig>; readonly dependencies: string[] } {
  return { config: toComponentConfig(config), dependencies: held.map((name) => tripletIn(name, 'viam')) };
}

/** Removes values that came from the environment from a module's messages, which may quote them. */
async function maskSecrets<T>({ attributes, fromEnvironment = [] }: ResourceConfig, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (thrown) {
    if (!(thrown instanceof ArmatureError) || fromEnvironment.length === 0) throw thrown;
    const secrets = fromEnvironment
      .map((pointer) => valueAt(attributes, pointer))
      .filter((value) => typeof value === 'string')
      .filter((text) => text.length > 2);
    const message = secrets.reduce((words, secret) => words.replaceAll(secret, MASK), thrown.message);
    throw new ArmatureError(thrown.code, message);
  }
}

/** Names in our spelling, without duplicates and without those of the frame system. */
function ownNames(names: readonly string[]): readonly string[] {
  const own = names.filter((name) => name !== '' && !FRAME_SYSTEM.test(name)).map((name) => tripletIn(name, 'core'));
  return [...new Set(own)];
}

function gone({ name }: RunningModule, reason: string): ArmatureError {
  return new ArmatureError('peer.unreachable', `The module ${name} is gone: ${reason}.`);
}

/**
 * The entry of a resource as modules expect it, also for services: with names in their spelling, and without the keys
 * that only this program knows.
 */
function toComponentConfig(config: ResourceConfig): ComponentConfig {
  const { name, api, model, attributes, dependsOn, logLevel, serviceConfigs } = config;
  const triplet = parseTriplet(api);
  return {
    name,
    namespace: namespaceIn(triplet?.namespace ?? '', 'viam'),
    type: triplet?.name ?? '',
    api: tripletIn(api, 'viam'),
    model: tripletIn(model, 'viam'),
    frame: undefined, // kept in the file, not supported yet
    dependsOn: dependsOn.map((one) => tripletIn(one, 'viam')),
    serviceConfigs: serviceConfigs.map(({ type, attributes: inner }) => ({
      type: tripletIn(typeof type === 'string' ? type : '', 'viam'),
      attributes: typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {},
    })),
    attributes,
    logConfiguration: logLevel === undefined ? undefined : { level: logLevel },
  };
}
