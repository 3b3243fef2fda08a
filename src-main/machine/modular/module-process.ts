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
/** Dependencies that modules of the public ecosystem name and that are not resources. */
const FRAME_SYSTEM = /^(?:.*:frame_?system\/.*|\$?framesystem)$/;

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** One start of a module, as its resources see it: the calls that make, change and end them. */
export class ModuleProcess {
  readonly module: RunningModule;
  /** Passes the calls of its resources on. */
  readonly forwarder: Forwarder;
  readonly clock: Clock;
  /** Aborts when the process can no longer be called. */
  readonly closed: AbortSignal;
  /** False once it has answered that it does not have ReconfigureResource. */
  canReconfigure = true;
  /** Removals that are not answered yet, by full name. */
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
   * Asks what a resource needs, and whether its attributes are right (ValidateConfig).
   * @throws {ArmatureError} as {@link callModule}; a module that does not check anything needs nothing
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
   * Makes an instance. One that may have come into being though the call failed is removed again before this fails; one
   * that the module still has from before is removed, once: each further try would only make another and throw it away.
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
        throw thrown; // what it says it has it cannot remove: that is what has to be known
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

  /** Ends an instance. Where the process is gone there is none. */
  remove(fullName: string): Promise<void> {
    const removal = this.#remove(fullName);
    const settled = removal
      .catch(() => undefined) // told to who asked for it; the next instance only waits for its end
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

/** What the public SDKs say of a name that they have: those for Go, Python and Java, C++. None sends ALREADY_EXISTS. */
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

/** Keeps values that came from the environment out of what a module says: it may quote them. */
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

/** Names in our spelling, each once, without those of the frame system. */
function ownNames(names: readonly string[]): readonly string[] {
  const own = names.filter((name) => name !== '' && !FRAME_SYSTEM.test(name)).map((name) => tripletIn(name, 'core'));
  return [...new Set(own)];
}

function gone({ name }: RunningModule, reason: string): ArmatureError {
  return new ArmatureError('peer.unreachable', `The module ${name} is gone: ${reason}.`);
}

/**
 * The entry of a resource as modules expect it, services too: names in their spelling, without the
 * keys that only this program knows.
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
