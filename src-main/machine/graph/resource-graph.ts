import { isDeepStrictEqual } from 'node:util';
import { parseFullName } from '../../../proto/config/names.ts';
import { ArmatureError } from '../../base/errors.ts';
import { isActuator } from '../../apis/api.ts';
import { PendingApplies, type ApplyResult } from './building/pending-applies.ts';
import { DependencyIndex } from './dependency-index.ts';
import { allDependencies, readDesiredState, type ModelSource, type PackageSource } from './building/desired.ts';
import { Lookup, targetOf } from './lookup.ts';
import { ResourceNode } from './node.ts';
import { Reconciler } from './building/reconciler.ts';
import { shutDown, type ShutdownResult } from './building/shutdown.ts';
import { StatusFeed, type StatusListener } from './status-feed.ts';
import type { ResourceStatus } from './state.ts';
import type { Actuator, Resource } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ComputerHardware } from '../../hardware/computer-hardware.ts';
import type { ResourceResolver, ResourceTarget } from '../../rpc/router.ts';
import type { CaptureHost } from '../catalog/capture-host.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { Plan, ResourceChange } from '../config/plan/plan.ts';
import { noSpans, type SpanRecorder } from '../telemetry/traced.ts';

export interface ResourceGraphOptions {
  readonly catalog: ModelSource;
  /** Files that attributes name; undefined if none do. */
  readonly packages?: PackageSource | undefined;
  readonly clock: Clock;
  /** The hardware of this computer, for boards. */
  readonly hardware: ComputerHardware;
  /** Data capture of this machine. */
  readonly capture: CaptureHost;
  /** `-untrusted-env`: models must not start processes. */
  readonly isEnvironmentUntrusted: boolean;
  /** A random number in [0, 1), to spread retries. */
  readonly random: () => number;
  /** The logger of a resource, by its full name. */
  readonly loggerFor: (resourceFullName: string) => Logger;
  readonly logger: Logger;
  /** Time a constructor has; default 60 000 ms. */
  readonly resourceTimeoutMs?: number;
  /** Time an instance has to close, and a constructor that is no longer wanted has to return; default 10 000 ms. */
  readonly closeTimeoutMs?: number;
  /** Time {@link ResourceGraph.close} takes at most; default 20 000 ms. */
  readonly shutdownTimeoutMs?: number;
  /** Records spans of the work on each resource; optional. */
  readonly spans?: SpanRecorder;
}

/** A running actuator that can be stopped. */
export interface RunningActuator {
  readonly fullName: string;
  readonly actuator: Actuator;
}

/**
 * Holds the desired and actual state of every configured resource. A
 * plan sets the desired state; one reconciler moves each resource there, as soon as
 * its own dependencies allow (design.md "The machine").
 */
export class ResourceGraph {
  readonly #options: ResourceGraphOptions;
  readonly #nodes = new Map<string, ResourceNode>();
  readonly #index = new DependencyIndex();
  readonly #lookup = new Lookup();
  readonly #pendingApplies = new PendingApplies();
  readonly #feed: StatusFeed;
  readonly #reconciler: Reconciler;
  /** Full names of desired resources that are not part of a plan. */
  #adopted: Set<string> = new Set();
  #desiredRevision = '';
  #appliedRevision = '';
  #closing: Promise<ShutdownResult> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(options: ResourceGraphOptions) {
    this.#options = options;
    this.#feed = new StatusFeed(() => this.statuses(), options.logger);
    this.#reconciler = new Reconciler({
      clock: options.clock,
      hardware: options.hardware,
      capture: options.capture,
      others: { find: (api, name) => this.#lookup.findInstance(api, name) },
      isEnvironmentUntrusted: options.isEnvironmentUntrusted,
      random: options.random,
      nearestName: (written) => this.#index.nearestTo(written),
      resourceTimeoutMs: options.resourceTimeoutMs ?? 60_000,
      closeTimeoutMs: options.closeTimeoutMs ?? 10_000,
      spans: options.spans ?? noSpans,
      link: () => this.#index.link(),
      onAnswer: (node) => this.#onAnswer(node),
      onChanged: (node) => this.#onChanged(node),
      onGone: (node) => this.#onGone(node),
      onIdle: (settled) => this.#onIdle(settled),
    });
  }

  /** Revision of the newest plan. */
  get desiredRevision(): string {
    return this.#desiredRevision;
  }

  /** Revision of the newest plan that has been carried out as far as possible. */
  get appliedRevision(): string {
    return this.#appliedRevision;
  }

  /** How many evaluations of a resource have run so far: the cost of reconciling. */
  get evaluations(): number {
    return this.#reconciler.evaluations;
  }

  /**
   * Makes the plan's resources the desired state and starts to carry it out. A plan that arrives while another runs
   * overrides it resource by resource. Settles when everything that the plan touches is ready, failed, waiting,
   * disabled or removed. Never rejects because of a resource. Throws `server.stopping` after {@link close}.
   */
  async execute(plan: Plan, revision: string): Promise<ApplyResult> {
    this.#refuseWhenClosing();
    this.#desiredRevision = revision;
    const touched = new Set<ResourceNode>();
    for (const change of plan.resources) {
      const node = this.#accept(change);
      if (node !== undefined) touched.add(node);
    }
    for (const node of this.#nodes.values()) node.wantedRevision = revision;
    const before = new Set(this.#reconciler.settling);
    this.#reconciler.reconcile(touched);
    for (const node of this.#reconciler.settling) if (!before.has(node)) touched.add(node);
    this.#adoptRevision();
    return this.#pendingApplies.add(revision, touched);
  }

  /**
   * Adds these resources to the desired state, and removes those added by the previous call. Leaves the resources of
   * the plan unchanged.
   */
  adopt(configs: readonly ResourceConfig[]): void {
    if (this.#closing !== undefined) return;
    const changed = new Set<ResourceNode>();
    const wanted = new Map(configs.map((config) => [config.fullName, config]));
    for (const name of this.#adopted) {
      const node = this.#nodes.get(name);
      if (wanted.has(name) || node?.desired === undefined) continue;
      this.#unwant(node);
      changed.add(node);
    }
    const before = this.#adopted;
    this.#adopted = new Set();
    for (const [name, config] of wanted) {
      const isOfPlan = this.#nodes.get(name)?.desired !== undefined && !before.has(name);
      if (isOfPlan) continue;
      this.#adopted.add(name);
      const node = this.#nodeFor(config);
      if (isDeepStrictEqual(node.desired, config)) continue;
      this.#setDesired(node, config);
      changed.add(node);
    }
    this.#reconciler.reconcile(changed);
  }

  /** Looks models up again after modules have started or ended. With `api`, only for resources of that API. */
  catalogChanged(api?: string): void {
    if (this.#closing !== undefined) return;
    const changed: ResourceNode[] = [];
    for (const node of this.#nodes.values()) {
      const { desired } = node;
      if (desired === undefined || (api !== undefined && node.api !== api)) continue;
      const { catalog } = this.#options;
      const entry = catalog.find(desired.api, desired.model);
      const isSame = entry === node.entry;
      if (isSame && entry !== undefined) continue;
      // If the model is still missing, only the reason can have changed.
      if (
        isSame &&
        isDeepStrictEqual(readDesiredState(desired, catalog, this.#options.packages).obstacle, node.obstacle)
      )
        continue;
      this.#setDesired(node, desired);
      changed.push(node);
    }
    this.#reconciler.reconcile(changed);
  }

  /**
   * A package was added, removed or replaced: resources that name it are evaluated again.
   * @param isReplaced its files have changed: resources built with it are rebuilt
   */
  packageChanged(name: string, isReplaced: boolean): void {
    if (this.#closing !== undefined) return;
    const changed: ResourceNode[] = [];
    for (const node of this.#nodes.values()) {
      const { desired } = node;
      if (desired?.packages?.includes(name) !== true) continue;
      if (isReplaced) node.isRebuildDue = node.instance !== undefined || node.build !== undefined;
      this.#setDesired(node, desired);
      changed.push(node);
    }
    this.#reconciler.reconcile(changed);
  }

  /**
   * The target of a name, in constant time.
   * Throws `resource.not_found`, `resource.not_ready` or `resource.disabled`.
   */
  find(api: string, name: string): ResourceTarget<Resource> {
    return this.#lookup.find(api, name);
  }

  /**
   * The resource of a full name, here or in another process, for code that calls it; undefined if {@link find} refuses.
   */
  resourceOf(fullName: string): Resource | undefined {
    return this.#nodes.get(fullName)?.targetResource;
  }

  /** {@link find} for one API, for the router. The API decides the type of its resources. */
  resolverFor<R extends Resource>(
    api: string,
  ): (name: string, caller?: Parameters<ResourceResolver<R>>[1]) => ResourceTarget<R> {
    const names = this.#lookup.namesOf(api);
    return (name, caller) => {
      const node = names.get(name);
      // Resources in modules may still need it to stop and close; nothing else may use it.
      const target = node?.target ?? (caller?.principal.kind === 'module' ? node?.leavingTarget : undefined);
      return (target ?? targetOf(node, api, name)) as ResourceTarget<R>;
    };
  }

  /** The current status of every resource. */
  statuses(): readonly ResourceStatus[] {
    const statuses: ResourceStatus[] = [];
    for (const { isForgotten, status } of this.#nodes.values()) if (!isForgotten) statuses.push(status);
    return statuses;
  }

  /** Every resource that a short or full name may refer to. */
  named(name: string): readonly Pick<ResourceStatus, 'api' | 'name'>[] {
    const full = parseFullName(name);
    if (full === undefined) return this.statuses().filter((one) => one.name === name);
    const status = this.status(`${full.api}/${full.name}`);
    return status === undefined ? [] : [status];
  }

  /** One resource by its full name; undefined if there is none. */
  status(fullName: string): ResourceStatus | undefined {
    const node = this.#nodes.get(fullName);
    return node === undefined || node.isForgotten ? undefined : node.status;
  }

  /** Calls `listener` at once with every resource, then with each batch of changes. Returns an unsubscribe function. */
  subscribe(listener: StatusListener): () => void {
    return this.#feed.subscribe(listener);
  }

  /** Every actuator with a running instance, even one that is about to close: the ones that StopAll stops. */
  *actuators(): Iterable<RunningActuator> {
    for (const { fullName, instance } of this.#nodes.values()) {
      const resource = instance?.resource;
      if (resource !== undefined && isActuator(resource)) yield { fullName, actuator: resource };
    }
  }

  /**
   * Stops all actuators at the same time, then closes everything, dependents before their dependencies. Settles when
   * all is closed or the time limit is over. A second call returns the result of the first.
   */
  close(): Promise<ShutdownResult> {
    this.#closing ??= shutDown({
      nodes: this.#nodes,
      clock: this.#options.clock,
      logger: this.#options.logger,
      timeoutMs: this.#options.shutdownTimeoutMs ?? 20_000,
      freeze: () => this.#reconciler.freeze(),
      remove: (nodes) => this.#remove(nodes),
      whenEmpty: () => this.#whenEmpty(),
    });
    return this.#closing;
  }

  #accept(change: ResourceChange): ResourceNode | undefined {
    if (change.kind === 'remove') {
      const node = this.#nodes.get(change.from.fullName);
      if (node?.desired === undefined) return undefined;
      this.#unwant(node);
      return node;
    }
    const node = this.#nodeFor(change.to);
    this.#adopted.delete(change.to.fullName);
    // Without fields only a dependency is rebuilt; whether this instance is affected is known when that happens.
    if (change.kind === 'rebuild' && change.fields.length > 0) node.isRebuildDue = true;
    this.#setDesired(node, change.to);
    return node;
  }

  #nodeFor(config: ResourceConfig): ResourceNode {
    const known = this.#nodes.get(config.fullName);
    if (known !== undefined) return known;
    const logger = this.#options.loggerFor(config.fullName);
    const node = new ResourceNode(config, logger, this.#options.clock.now());
    this.#nodes.set(node.fullName, node);
    this.#lookup.add(node);
    return node;
  }

  #setDesired(node: ResourceNode, config: ResourceConfig): void {
    const desire = readDesiredState(config, this.#options.catalog, this.#options.packages, node.answer);
    if (node.desired === undefined) this.#index.enter(node);
    node.desired = config;
    node.config = config;
    node.entry = desire.entry;
    node.obstacle = desire.obstacle;
    node.isForgotten = false;
    node.clearFailure();
    this.#index.declare(node, desire.dependencies);
  }

  #onAnswer(node: ResourceNode): void {
    const { answer, desired } = node;
    if (answer === undefined || desired === undefined) return;
    this.#index.declare(node, allDependencies(desired, answer.dependencies));
    this.#reconciler.reconcile([node]);
  }

  #unwant(node: ResourceNode): void {
    node.desired = undefined;
    node.clearFailure();
    this.#index.leave(node);
  }

  #remove(nodes: Iterable<ResourceNode>): void {
    const removed = [...nodes];
    for (const node of removed) if (node.desired !== undefined) this.#unwant(node);
    this.#reconciler.reconcile(removed);
  }

  /** Resources that the plan leaves unchanged already match it. */
  #adoptRevision(): void {
    for (const node of this.#nodes.values()) {
      if (node.state.kind !== 'ready' || node.revision === node.wantedRevision) continue;
      node.revision = node.wantedRevision;
      if (node.show(node.state, this.#options.clock.now())) this.#onChanged(node);
    }
  }

  #onChanged(node: ResourceNode): void {
    if (node.isForgotten) this.#feed.remove(node.fullName);
    else this.#feed.upsert(node.status);
  }

  #onGone(node: ResourceNode): void {
    if (this.#nodes.get(node.fullName) !== node) return;
    this.#nodes.delete(node.fullName);
    this.#lookup.remove(node);
    if (!node.isForgotten) this.#feed.remove(node.fullName);
  }

  #onIdle(settled: ReadonlySet<ResourceNode>): void {
    if (this.#reconciler.settling.size === 0) this.#appliedRevision = this.#desiredRevision;
    if (settled.size > 0) this.#pendingApplies.settled(settled);
    if (this.#onEmpty !== undefined && this.#isEmpty()) this.#onEmpty();
  }

  #whenEmpty(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#isEmpty()) resolve();
    });
  }

  /** True if nothing is left except constructors that never returned. */
  #isEmpty(): boolean {
    for (const { isForgotten } of this.#nodes.values()) if (!isForgotten) return false;
    return true;
  }

  #refuseWhenClosing(): void {
    if (this.#closing === undefined) return;
    throw new ArmatureError('server.stopping', 'The machine is stopping and takes no new configuration.');
  }
}
