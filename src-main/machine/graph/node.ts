import { isDeepStrictEqual } from 'node:util';
import { nextPhase, type LifecycleEvent, type Phase } from './lifecycle.ts';
import type { ResourceState, ResourceStatus } from './state.ts';
import type { Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';
import type { ResourceTarget } from '../../rpc/router.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { BuiltResource, CatalogEntry, Dependencies } from '../catalog/model.ts';

/** The instances that a build was given, with the generation of each at that time. */
export type DependencyGenerations = ReadonlyMap<ResourceNode, number>;

/** A built resource, and what it was built from. */
export interface Instance {
  readonly resource: BuiltResource;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** Its current configuration; updated when it takes new attributes in place. */
  config: ResourceConfig;
}

/** Why the last build failed, and when the next one is due. */
export interface Failure {
  readonly reason: string;
  readonly thrown: unknown;
  readonly attempts: number;
  /** Retried only when the configuration or a dependency changes. */
  readonly isPermanent: boolean;
  readonly held: DependencyGenerations;
  /** Wall-clock time of the next build; undefined if none is scheduled. */
  nextRetryAt: number | undefined;
  timer: Timer | undefined;
}

/** A build in progress, as far as the state of its resource depends on it. */
export interface OngoingBuild {
  readonly config: ResourceConfig;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** It only asks for the resource's dependencies, and builds nothing. */
  readonly isAskOnly: boolean;
  /** Wall-clock time, milliseconds. */
  readonly startedAt: number;
  readonly timeoutMs: number;
  /** Tells the constructor to give up, and waits at most `graceMs` more for it. */
  withdraw(reason: string, graceMs: number): void;
}

/** A name that a resource needs, as written, and which resources it means now. */
export interface Requirement {
  readonly written: string;
  /** The resources of that name; it is usable only if there is exactly one. */
  readonly found: readonly ResourceNode[];
}

/** Why a configuration alone, without looking at other resources, prevents a build. */
export type Obstacle =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'no-model' | 'no-package';
      /** What the resource waits for: its model, `module/<name>` or `package/<name>`. */
      readonly for: string;
      readonly reason: string;
      /** Whether that is in progress and will be available soon. */
      readonly isTransient: boolean;
      /** Whether that is in progress, however long it takes, and has not failed. */
      readonly isUnderWay: boolean;
    };

/** The dependencies that the model of a resource named. */
export interface DependencyAnswer {
  readonly entry: CatalogEntry;
  readonly attributes: JsonObject;
  readonly dependencies: Dependencies;
}

/** How calls reach an instance. */
export function targetOfInstance(resource: BuiltResource): ResourceTarget<Resource> {
  const { forwarder } = resource;
  return forwarder === undefined ? { kind: 'local', resource } : { kind: 'forward', forwarder };
}

/**
 * One resource: its desired state, dependencies and instance. A record
 * that the reconciler works on; the rules are in `evaluation.ts` and `lifecycle.ts`.
 */
export class ResourceNode {
  readonly fullName: string;
  readonly api: string;
  readonly name: string;
  readonly logger: Logger;

  /** Undefined once the resource is no longer configured. */
  desired: ResourceConfig | undefined;
  /** The last configuration; shown while the resource is being removed. */
  config: ResourceConfig;
  /** Revision of the configuration it was last ready with, and of the newest. */
  revision = '';
  wantedRevision = '';
  entry: CatalogEntry | undefined;
  obstacle: Obstacle | undefined;
  declared: Dependencies = { required: [], optional: [] };
  /** The last answer, if its model has to be asked what it needs. */
  answer: DependencyAnswer | undefined;
  /** The next build need not ask the model, because the previous one did. */
  isAnswerNew = false;

  required: readonly Requirement[] = [];
  /** Configured optional dependencies, without those that would close a cycle. */
  optional: readonly ResourceNode[] = [];
  /** Full names of what it needs. Names that match no resource, or several, are as written. */
  dependsOn: readonly string[] = [];
  /** `a -> b -> a`, if its required dependencies lead back to it. */
  cycle: string | undefined;
  /** Configured resources whose dependencies include this one. */
  readonly dependents = new Set<ResourceNode>();

  phase: Phase = 'empty';
  build: OngoingBuild | undefined;
  instance: Instance | undefined;
  /** Unique to each instance ever built; 0 before the first. */
  generation = 0;
  /** Wants to close and waits for `holders` to close first. */
  isLeaving = false;
  /** A replaced instance is being closed, independently of `phase`. At most one at a time. */
  isRetiring = false;
  /** The plan asks for a new instance. */
  isRebuildDue = false;
  failure: Failure | undefined;
  /** Resources that were built with this instance and have not closed yet. */
  readonly holders = new Set<ResourceNode>();
  held: DependencyGenerations = new Map();

  state: ResourceState = { kind: 'unconfigured' };
  since: number;
  status: ResourceStatus;
  /** True until its last change is carried out, as far as it can be. */
  isSettling = false;
  /** `isAvailable` as last reported to its dependents. */
  wasAvailable = false;
  /** Removed; only a constructor that does not return is left. */
  isForgotten = false;
  /** The root cause why it is not ready, for the resources that wait for it. */
  cause = '';
  /** What a lookup returns; undefined if it must refuse. */
  target: ResourceTarget<Resource> | undefined;
  /** The instance behind `target`. */
  targetResource: BuiltResource | undefined;

  constructor(config: ResourceConfig, logger: Logger, now: number) {
    this.fullName = config.fullName;
    this.api = config.api;
    this.name = config.name;
    this.config = config;
    this.logger = logger;
    this.since = now;
    this.status = this.#makeStatus();
  }

  /** `board bench`: its name in messages. */
  get label(): string {
    return `${this.api.slice(this.api.lastIndexOf(':') + 1)} ${this.name}`;
  }

  /** Whether there is an instance that others may be built with. False if it is about to be replaced. */
  get isAvailable(): boolean {
    return (this.phase === 'live' || this.phase === 'changing') && !this.isLeaving && this.desired !== undefined;
  }

  /**
   * The instance, for the resources that were built with it while all other callers are refused; undefined if there is
   * none.
   */
  get leavingTarget(): ResourceTarget<Resource> | undefined {
    const { instance, holders } = this;
    return instance === undefined || holders.size === 0 ? undefined : targetOfInstance(instance.resource);
  }

  /** Whether its model must be asked for dependencies, because there is no answer or it is for other attributes. */
  get isDeclaredByGuess(): boolean {
    if (this.entry?.askDependencies === undefined) return false;
    const { answer } = this;
    return answer?.entry !== this.entry || !isDeepStrictEqual(answer.attributes, this.config.attributes);
  }

  step(event: LifecycleEvent): void {
    this.phase = nextPhase(this.phase, event);
  }

  hold(held: DependencyGenerations): void {
    this.held = held;
    for (const dependency of held.keys()) dependency.holders.add(this);
  }

  /** Releases the instances it was built with. Returns their resources. */
  release(): Iterable<ResourceNode> {
    const { held } = this;
    for (const dependency of held.keys()) dependency.holders.delete(this);
    this.held = new Map();
    return held.keys();
  }

  clearFailure(): void {
    this.failure?.timer?.cancel();
    this.failure = undefined;
  }

  /** Sets a new state. Returns false if nothing visible has changed. */
  show(state: ResourceState, now: number): boolean {
    const isSameState = isDeepStrictEqual(state, this.state);
    if (!isSameState) {
      if (state.kind !== this.state.kind) this.since = now;
      this.state = state;
    }
    const { revision, model, notes, dependsOn } = this.status;
    const { config } = this;
    const isSameRest =
      revision === this.revision && model === config.model && notes === config.notes && dependsOn === this.dependsOn;
    if (isSameState && isSameRest) return false;
    this.status = this.#makeStatus();
    return true;
  }

  #makeStatus(): ResourceStatus {
    return {
      fullName: this.fullName,
      name: this.name,
      api: this.api,
      model: this.config.model,
      state: this.state,
      since: this.since,
      revision: this.revision,
      dependsOn: this.dependsOn,
      notes: this.config.notes,
    };
  }
}
