import type { JsonObject, Resource } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ComputerHardware } from '../../hardware/computer-hardware.ts';
import type { Forwarder } from '../../rpc/router.ts';
import type { CaptureHost } from './capture-host.ts';
import type { ResourceConfig } from './resource-config.ts';
import type { ModelSchema, ModelSummary } from '../../../proto/config/models/model-schema.ts';

/** Names of the resources a model instance needs, short or full. */
export interface Dependencies {
  /** Must be ready before the instance is built. */
  readonly required: readonly string[];
  /** Passed when ready; the instance is rebuilt when one appears or disappears. */
  readonly optional: readonly string[];
}

export const noDependencies: Dependencies = { required: [], optional: [] };

/** Additional input for a constructor in another process. */
export interface BuildRequest {
  readonly config: ResourceConfig;
  /** Full names of the resources it is built with. */
  readonly held: readonly string[];
}

/** Another resource of the machine, in its current state. */
export interface FoundResource<R extends Resource> {
  readonly resource: R;
  /** Triplet in our spelling. */
  readonly model: string;
  readonly attributes: JsonObject;
}

/** Resources that calls name at run time. They are not dependencies: no instance is rebuilt because of them. */
export interface OtherResources {
  /**
   * Call it at each use: the next use may get another instance.
   * @throws {ArmatureError} `resource.not_found`, `resource.not_ready` or `resource.disabled`
   */
  find<R extends Resource>(api: string, name: string): FoundResource<R>;
}

/** What a model's constructor is given. */
export interface BuildContext<A> {
  /** Short name of the instance. */
  readonly name: string;
  readonly attributes: A;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The GPIO, buses and PWM of this computer. */
  readonly hardware: ComputerHardware;
  /** Data capture of this machine. */
  readonly capture: CaptureHost;
  readonly others: OtherResources;
  /** `-untrusted-env`: a model that needs a process refuses to be built. */
  readonly isEnvironmentUntrusted: boolean;
  /** Aborts when the time for configuration is over or the resource is no longer wanted. */
  readonly signal: AbortSignal;
  /** A dependency by the name the attributes use. Throws `resource.not_found` for a name not declared. */
  dependency<R extends Resource>(api: string, name: string): R;
  /** An optional dependency, or undefined where it is not ready. */
  optionalDependency<R extends Resource>(api: string, name: string): R | undefined;
}

/** A built resource, with members that the graph uses beyond its API. */
export interface BuiltResource extends Resource {
  /**
   * Takes new attributes without stopping. Called only when every changed key is among the model's `inPlace`. Throwing
   * leaves the old attributes in force and makes the graph rebuild.
   * @param config the whole entry that contains them; the graph always passes it
   */
  reconfigure?(attributes: JsonObject, config?: ResourceConfig): Promise<void>;
  /** Set if the instance lives in another process: its calls are forwarded unchanged. */
  readonly forwarder?: Forwarder;
  /** It belongs to another machine: others may be using it, so it is not stopped when this machine shuts down. */
  readonly isElsewhere?: boolean;
}

/**
 * The cheap part of a model: enough to validate, plan and describe it. The driving code is loaded only when a
 * configuration names the model.
 */
export interface ModelDescription extends ModelSummary, Pick<ModelSchema, 'mayCoexist'> {
  /** Top-level attributes that take effect without a rebuild; `all` if only the instance can decide. */
  readonly inPlace: readonly string[] | 'all';
  /** Whether rebuilding it stops motion; shown in the plan. */
  readonly isActuator: boolean;
  /** Name of the module that serves it; absent for built-in models. */
  readonly module?: string;
  /**
   * What an instance needs. For a model that has to be asked ({@link CatalogEntry.askDependencies}) this is the last
   * answer, which may be about other attributes.
   * @param fullName of the instance
   */
  dependencies?(attributes: JsonObject, fullName?: string): Dependencies;
}

export interface Model extends ModelDescription {
  build(context: BuildContext<JsonObject>, request: BuildRequest): Promise<BuiltResource>;
}

/** Whether an attribute takes effect without a rebuild. */
export function isInPlace({ inPlace }: Pick<ModelDescription, 'inPlace'>, key: string): boolean {
  return inPlace === 'all' || inPlace.includes(key);
}

/** An entry of the catalog: the description is loaded, the code is behind a dynamic import. */
export interface CatalogEntry extends ModelDescription {
  load(): Promise<Pick<Model, 'build'>>;
  /**
   * Asks for the dependencies of an instance besides its `depends_on`, and checks its attributes. Called at the start
   * of each build; if the answer differs from the known dependencies, the resource is built again with the answer's.
   * @throws {ArmatureError} problems of the attributes, or why the model could not be asked
   */
  askDependencies?(config: ResourceConfig, signal: AbortSignal): Promise<Dependencies>;
}
