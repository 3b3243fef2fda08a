import { isDeepStrictEqual } from 'node:util';
import { nextPhase, type LifecycleEvent, type Phase } from './lifecycle.ts';
import type { ResourceState, ResourceStatus } from './state.ts';
import type { Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';
import type { ResourceTarget } from '../../rpc/router.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { BuiltResource, CatalogEntry, Dependencies } from '../catalog/model.ts';

/** The instances a build was given, with the generation each had then. */
export type DependencyGenerations = ReadonlyMap<ResourceNode, number>;

/** A resource that is built, and what it was built from. */
export interface Instance {
  readonly resource: BuiltResource;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** What it runs with; moves on when it takes new attributes in place. */
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
  /** Wall-clock time of the next build; undefined while none is scheduled. */
  nextRetryAt: number | undefined;
  timer: Timer | undefined;
}

/** A build under way, as far as the state of its resource follows from it. */
export interface OngoingBuild {
  readonly config: ResourceConfig;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** It finds out what the resource needs, and builds nothing. */
  readonly isAskOnly: boolean;
  /** Wall-clock time, milliseconds. */
  readonly startedAt: number;
  readonly timeoutMs: number;
  /** Tells the constructor to give up, and waits for it only `graceMs` more. */
  withdraw(reason: string, graceMs: number): void;
}

/** A name that a resource needs, as it was written, and what it means now. */
export interface Requirement {
  readonly written: string;
  /** The resources of that name; exactly one makes it usable. */
  readonly found: readonly ResourceNode[];
}

/** Why a configuration alone, without looking at any other resource, keeps a resource from being built. */
export type Obstacle =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'no-model' | 'no-package';
      /** What it waits for: its model, `module/<name>` or `package/<name>`. */
      readonly for: string;
      readonly reason: string;
      /** Whether that is on its way, and soon here. */
      readonly isTransient: boolean;
      /** Whether it is on its way, however long that takes, and has not failed. */
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
  /** The last configuration it had; what it is shown with while it is removed. */
  config: ResourceConfig;
  /** Revision of the configuration it was last ready with, and of the newest. */
  revision = '';
  wantedRevision = '';
  entry: CatalogEntry | undefined;
  obstacle: Obstacle | undefined;
  declared: Dependencies = { required: [], optional: [] };
  /** The last answer, where its model has to be asked what it needs. */
  answer: DependencyAnswer | undefined;
  /** The next build need not ask the model: the previous one did. */
  isAnswerNew = false;

  required: readonly Requirement[] = [];
  /** Optional dependencies that are configured, without those that would close a circle. */
  optional: readonly ResourceNode[] = [];
  /** Full names of what it needs; names that mean nothing, or more than one thing, as written. */
  dependsOn: readonly string[] = [];
  /** `a -> b -> a`, where its required dependencies lead back to it. */
  cycle: string | undefined;
  /** Configured resources whose dependencies include this one. */
  readonly dependents = new Set<ResourceNode>();

  phase: Phase = 'empty';
  build: OngoingBuild | undefined;
  instance: Instance | undefined;
  /** Unique to each instance that was ever built; 0 before the first. */
  generation = 0;
  /** Wants to close and waits for `holders` to close first. */
  isLeaving = false;
  /** An instance that was replaced is being closed, beside what `phase` says. At most one at a time. */
  isRetiring = false;
  /** The plan asks for a new instance. */
  isRebuildDue = false;
  failure: Failure | undefined;
  /** Resources that were built with this instance and are not closed yet. */
  readonly holders = new Set<ResourceNode>();
  held: DependencyGenerations = new Map();

  state: ResourceState = { kind: 'unconfigured' };
  since: number;
  status: ResourceStatus;
  /** True until its last change is carried out, as far as it can be. */
  isSettling = false;
  /** `isAvailable` as last reported to its dependents. */
  wasAvailable = false;
  /** Removed, and nothing but a constructor that does not return is left of it. */
  isForgotten = false;
  /** The root cause of it not being ready, for the resources that wait for it. */
  cause = '';
  /** What a lookup answers; undefined where it must refuse. */
  target: ResourceTarget<Resource> | undefined;
  /** The instance that `target` leads to. */
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

  /** `board bench`: how sentences name it. */
  get label(): string {
    return `${this.api.slice(this.api.lastIndexOf(':') + 1)} ${this.name}`;
  }

  /** Whether there is an instance that others may be built with. Not one that is about to be replaced. */
  get isAvailable(): boolean {
    return (this.phase === 'live' || this.phase === 'changing') && !this.isLeaving && this.desired !== undefined;
  }

  /** The instance for resources built with it, while all other callers are refused; undefined where there is none. */
  get leavingTarget(): ResourceTarget<Resource> | undefined {
    const { instance, holders } = this;
    return instance === undefined || holders.size === 0 ? undefined : targetOfInstance(instance.resource);
  }

  /** Whether its model must be asked for dependencies: the known answer is for other attributes, or there is none. */
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

  /** Takes a new state; false where nothing that is shown differs. */
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
