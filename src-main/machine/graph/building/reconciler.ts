import { isDeepStrictEqual } from 'node:util';
import { ArmatureError } from '../../../base/errors.ts';
import { backoffDelayMs, defaultBackoff } from '../../../base/async/backoff.ts';
import { Build, type BuildOutcome, type BuildPlan } from './build.ts';
import type { Host } from './build-context.ts';
import { reasonOf } from '../reason-of.ts';
import { describe, formatSeconds, type Description } from '../description.ts';
import { changeInstance, closeInstance } from './operations.ts';
import {
  areDependenciesAvailable,
  areDependenciesCurrent,
  isSameGenerations,
  evaluate,
  type NearestName,
  type Evaluation,
} from '../evaluation.ts';
import { isUnderWay } from '../state.ts';
import { targetOfInstance, type Failure, type Instance, type ResourceNode, type OngoingBuild } from '../node.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import { isInPlace, type BuiltResource, type Dependencies } from '../../catalog/model.ts';
import type { SpanRecorder } from '../../telemetry/traced.ts';

export interface ReconcilerOptions extends Host {
  /** Records what is done with a resource. */
  readonly spans: SpanRecorder;
  /** A number in [0, 1), for the spread of retries. */
  readonly random: () => number;
  readonly nearestName: NearestName;
  /** Updates the dependencies and returns the resources whose dependencies have changed since the last call. */
  readonly link: () => Iterable<ResourceNode>;
  readonly resourceTimeoutMs: number;
  readonly closeTimeoutMs: number;
  /** The model of a resource was asked for its dependencies, and `node.answer` has changed. */
  readonly onAnswer: (node: ResourceNode) => void;
  /** The status of a resource has changed. */
  readonly onChanged: (node: ResourceNode) => void;
  /** A removed resource has closed. */
  readonly onGone: (node: ResourceNode) => void;
  /** Nothing more can be done for now; `settled` are the resources that have finished settling since the last call. */
  readonly onIdle: (settled: ReadonlySet<ResourceNode>) => void;
}

/** The input of a build. */
type BuildInput = Pick<BuildPlan, 'held' | 'isAskOnly'>;

interface BuildFailure {
  readonly kind: 'failed';
  readonly thrown: unknown;
}

/**
 * Moves each resource from its actual to its desired state, one step at a time. A resource is
 * evaluated again when one of its dependencies has changed, and starts when all of them are
 * ready: nothing waits for anything unrelated, and the cost of a change depends only on what it affects.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #due = new Set<ResourceNode>();
  #settled = new Set<ResourceNode>();
  #isRunning = false;
  #isScheduled = false;
  #lastGeneration = 0;
  readonly #settling = new Set<ResourceNode>();
  #isFrozen = false;
  #evaluations = 0;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Resources whose last change has not been carried out yet. */
  get settling(): ReadonlySet<ResourceNode> {
    return this.#settling;
  }

  /** How many evaluations of a resource have run: the cost of reconciling. */
  get evaluations(): number {
    return this.#evaluations;
  }

  /** From now on nothing is built. The next {@link reconcile} cancels the successors of running instances. */
  freeze(): void {
    this.#isFrozen = true;
    for (const node of this.#settling) if (node.phase === 'renewing') this.#due.add(node);
  }

  /**
   * Evaluates the changed resources, and those affected by them, until nothing more can be done now. A resource that is
   * still to be evaluated counts as settling, so that none is reported as finished too early, whatever the order.
   */
  reconcile(changed: Iterable<ResourceNode>): void {
    for (const node of changed) this.#touch(node);
    for (const node of this.#options.link()) this.#touch(node);
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const node of this.#due) {
        this.#due.delete(node);
        this.#evaluations++;
        const evaluation = evaluate(node, this.#options.nearestName);
        const wanted = this.#evaluate(node, evaluation);
        if (wanted !== undefined) this.#startBuild(node, wanted);
        this.#publish(node, evaluation);
      }
    } finally {
      this.#isRunning = false;
    }
    const settled = this.#settled;
    this.#settled = new Set();
    this.#options.onIdle(settled);
  }

  #touch(node: ResourceNode): void {
    this.#setSettling(node, true);
    this.#due.add(node);
  }

  #touchSoon(node: ResourceNode): void {
    this.#due.add(node);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.reconcile([]);
    });
  }

  /** Acts on the evaluation of a resource. Returns what is to be built now, if anything. */
  #evaluate(node: ResourceNode, evaluation: Evaluation): BuildInput | undefined {
    switch (node.phase) {
      case 'empty':
        return this.#evaluateEmpty(node, evaluation);
      case 'building':
        this.#evaluateBuilding(node, evaluation);
        break;
      case 'live':
      case 'changing':
        return this.#evaluateLive(node, evaluation);
      case 'renewing':
      case 'recalled':
        this.#evaluateRenewing(node, evaluation);
        break;
      case 'withdrawn':
      case 'overdue':
      case 'closing':
        if (evaluation.kind !== 'build') node.clearFailure();
        break;
    }
    return undefined;
  }

  #evaluateEmpty(node: ResourceNode, evaluation: Evaluation): BuildInput | undefined {
    if (evaluation.kind !== 'build') {
      node.clearFailure();
      return undefined;
    }
    if (node.failure !== undefined && !isSameGenerations(node.failure.held, evaluation.held)) node.clearFailure();
    const { failure } = node;
    const isWaitingForRetry = failure !== undefined && (failure.isPermanent || failure.timer !== undefined);
    if (isWaitingForRetry || node.isRetiring || this.#isFrozen) return undefined;
    node.step('build');
    return evaluation;
  }

  #evaluateBuilding(node: ResourceNode, evaluation: Evaluation): void {
    const { build } = node;
    if (build === undefined) return;
    if (evaluation.kind !== 'build') node.clearFailure();
    if (this.#isStillWanted(node, build, evaluation)) return;
    node.step('withdraw');
    this.#withdraw(node, build);
  }

  /**
   * An instance stays when its successor is no longer wanted, but not when its model or what it was built with is gone.
   */
  #evaluateRenewing(node: ResourceNode, evaluation: Evaluation): void {
    const { build, instance, phase } = node;
    if (build === undefined || instance === undefined) return;
    if (phase === 'renewing' && this.#isStillWanted(node, build, evaluation)) return;
    if (phase === 'renewing') this.#withdraw(node, build);
    if (evaluation.kind !== 'build' || instance.entry !== node.entry || !areDependenciesAvailable(instance.held)) {
      node.step('withdraw');
      this.#replaceInstance(node, undefined);
    } else if (phase === 'renewing') {
      node.step('recall');
      // The reason for the rebuild still applies to the instance that stays, whatever the newest configuration is.
      node.isRebuildDue = true;
    }
  }

  #isStillWanted(node: ResourceNode, build: OngoingBuild, evaluation: Evaluation): boolean {
    return (
      evaluation.kind === 'build' &&
      !node.isRebuildDue &&
      !this.#isFrozen &&
      build.entry === node.entry &&
      areDependenciesAvailable(build.held) &&
      isSameBuild(build.config, node.config)
    );
  }

  #withdraw(node: ResourceNode, build: OngoingBuild): void {
    build.withdraw(`${node.label} changed while it was being built.`, this.#options.closeTimeoutMs);
  }

  #evaluateLive(node: ResourceNode, evaluation: Evaluation): BuildInput | undefined {
    const { instance } = node;
    if (instance === undefined) return undefined;
    const step = evaluation.kind === 'build' ? nextStep(node, instance) : 'leave';
    node.isLeaving = step === 'leave';
    switch (step) {
      case 'keep':
        instance.config = node.config;
        break;
      case 'change':
        if (node.phase === 'live') this.#startChange(node, instance, node.config);
        break;
      case 'renew':
        node.isRebuildDue = true;
        // There must never be three instances: wait until the one replaced before has closed.
        if (node.isRetiring || this.#isFrozen) break;
        node.step('renew');
        return { held: instance.held, isAskOnly: false };
      case 'leave':
        // Its dependents see that it is leaving, close, and release it.
        if (node.holders.size === 0) this.#startClose(node, instance.resource);
    }
    return undefined;
  }

  #startBuild(node: ResourceNode, { held, isAskOnly }: BuildInput): void {
    const { entry, desired } = node;
    if (entry === undefined || desired === undefined) {
      throw new ArmatureError('internal.bug', `${node.label} is built without a model.`);
    }
    node.isRebuildDue = false;
    node.hold(held);
    const asks = isAskOnly || !node.isAnswerNew || node.isDeclaredByGuess;
    node.isAnswerNew = false;
    const plan = { config: desired, entry, held, asks, isAskOnly };
    const { resourceTimeoutMs, spans } = this.#options;
    const build = new Build(node, plan, resourceTimeoutMs, this.#options);
    node.build = build;
    const onDeadline = (): void => this.#onBuildDeadline(node, build);
    const attributes = { 'machine.resource': node.fullName, 'machine.model': desired.model };
    const outcome = spans.isTracing
      ? spans.traced('resource.build', attributes, () => build.run(onDeadline))
      : build.run(onDeadline);
    void outcome.then(
      (built) => this.#onBuildEnd(node, build, built),
      (thrown: unknown) => this.#onBuildEnd(node, build, { kind: 'failed', thrown }),
    );
  }

  #onBuildDeadline(node: ResourceNode, build: Build): void {
    const wasWithdrawn = node.phase === 'withdrawn' || node.phase === 'recalled';
    node.step('deadline');
    if (node.instance !== undefined) this.#replaceInstance(node, undefined);
    this.#release(node);
    const age = formatSeconds(build.ageMs);
    node.logger.error(`Configuring ${node.label} is given up on after ${age}; its constructor still runs.`);
    if (!wasWithdrawn) {
      const thrown = new ArmatureError('resource.timeout', `timed out after ${formatSeconds(build.timeoutMs)}`);
      this.#fail(node, build, thrown);
    }
    this.#touchSoon(node);
  }

  #onBuildEnd(node: ResourceNode, build: Build, outcome: BuildOutcome | BuildFailure): void {
    const { phase } = node;
    node.build = undefined;
    if (outcome.kind === 'built') this.#onBuilt(node, build, outcome.resource);
    else if (outcome.kind === 'needs') this.#onNeeds(node, build, outcome.dependencies);
    else this.#onBuildFailed(node, build, outcome.thrown);
    if (phase === 'overdue') this.#scheduleRetry(node);
    this.#touchSoon(node);
  }

  #onBuilt(node: ResourceNode, build: Build, resource: BuiltResource): void {
    const { phase } = node;
    const isTooLate = phase !== 'building' && phase !== 'renewing';
    node.step('built');
    if (isTooLate) {
      // A late instance is not used even if it is still wanted: its dependencies may have changed.
      node.logger.warn(`${node.label} was built after ${formatSeconds(build.ageMs)}, too late; it is closed again.`);
      if (phase === 'recalled') this.#retire(node, resource);
      else this.#close(node, resource);
      return;
    }
    const instance: Instance = { resource, entry: build.entry, held: build.held, config: build.config };
    node.generation = ++this.#lastGeneration;
    node.clearFailure();
    if (phase === 'renewing') this.#replaceInstance(node, instance);
    else node.instance = instance;
    node.logger.debug(`${node.label} is ready after ${formatSeconds(build.ageMs)}.`);
  }

  /** The model named dependencies that were not known before: it is built again with them. This is not a failure. */
  #onNeeds(node: ResourceNode, build: Build, dependencies: Dependencies): void {
    const { phase } = node;
    node.step('build-failed');
    if (phase === 'renewing') this.#replaceInstance(node, undefined);
    this.#release(node);
    if (phase !== 'building' && phase !== 'renewing') return;
    node.clearFailure();
    node.answer = { entry: build.entry, attributes: build.config.attributes, dependencies };
    node.isAnswerNew = true;
    this.#options.onAnswer(node);
  }

  #onBuildFailed(node: ResourceNode, build: Build, thrown: unknown): void {
    const { phase } = node;
    node.step('build-failed');
    // The desired configuration cannot run, and the old one must not continue in its place.
    if (phase === 'renewing') this.#replaceInstance(node, undefined);
    this.#release(node);
    if (phase !== 'building' && phase !== 'renewing') return;
    this.#fail(node, build, thrown);
    this.#scheduleRetry(node);
  }

  #fail(node: ResourceNode, build: Build, thrown: unknown): void {
    const attempts = (node.failure?.attempts ?? 0) + 1;
    node.clearFailure();
    const failure: Failure = {
      reason: reasonOf(thrown),
      thrown,
      attempts,
      isPermanent: thrown instanceof ArmatureError && thrown.info.kind === 'user',
      held: build.held,
      nextRetryAt: undefined,
      timer: undefined,
    };
    node.failure = failure;
    // Errors are for a person to look at; the same failure on a retry is not a new one.
    const level = attempts === 1 ? 'error' : 'warn';
    node.logger[level](`Configuring ${node.label} failed: ${failure.reason}`, { attempts, error: thrown });
  }

  /** Schedules the next build of a failed resource. Does nothing if only a change can help. */
  #scheduleRetry(node: ResourceNode): void {
    const { failure } = node;
    if (failure === undefined || failure.isPermanent) return;
    const { clock, random } = this.#options;
    const delayMs = backoffDelayMs(defaultBackoff, failure.attempts, random());
    failure.nextRetryAt = clock.now() + delayMs;
    failure.timer = clock.after(delayMs, () => {
      failure.timer = undefined;
      this.#touchSoon(node);
    });
  }

  #startChange(node: ResourceNode, instance: Instance, config: ResourceConfig): void {
    node.step('change');
    const { resourceTimeoutMs, clock, spans } = this.#options;
    const change = () => changeInstance(node, instance.resource, config, resourceTimeoutMs, clock);
    void spans.traced('resource.reconfigure', { 'machine.resource': node.fullName }, change).then((isTaken) => {
      // If it was closed meanwhile, the outcome no longer matters.
      if (node.instance !== instance || node.phase !== 'changing') return;
      node.step('change-ended');
      if (isTaken) instance.config = config;
      else node.isRebuildDue = true;
      this.#touchSoon(node);
    });
  }

  #startClose(node: ResourceNode, resource: BuiltResource): void {
    node.step('close');
    node.isLeaving = false;
    node.instance = undefined;
    this.#close(node, resource);
  }

  #close(node: ResourceNode, resource: BuiltResource): void {
    const { closeTimeoutMs, clock } = this.#options;
    void closeInstance(node, resource, closeTimeoutMs, clock).then(() => {
      node.step('closed');
      this.#release(node);
      this.#touchSoon(node);
    });
  }

  /** Replaces the running instance with another one or none: calls no longer reach the old instance, and it closes. */
  #replaceInstance(node: ResourceNode, next: Instance | undefined): void {
    const previous = node.instance;
    if (previous === undefined) throw new ArmatureError('internal.bug', `${node.label} has no instance to replace.`);
    node.instance = next;
    this.#setTarget(node, node.target !== undefined);
    this.#retire(node, previous.resource);
  }

  /** Closes a replaced instance; the resource continues with another one. */
  #retire(node: ResourceNode, resource: BuiltResource): void {
    const { closeTimeoutMs, clock } = this.#options;
    node.isRetiring = true;
    void closeInstance(node, resource, closeTimeoutMs, clock).then(() => {
      node.isRetiring = false;
      this.#release(node);
      this.#touchSoon(node);
    });
  }

  /** Releases the dependencies of the resource once nothing built with them is left or being built. */
  #release(node: ResourceNode): void {
    if (node.isRetiring || (node.phase !== 'empty' && node.phase !== 'overdue')) return;
    for (const dependency of node.release()) if (dependency.isLeaving) this.#touchSoon(dependency);
  }

  #publish(node: ResourceNode, evaluation: Evaluation): void {
    if (evaluation.kind === 'remove' && node.phase === 'empty' && !node.isRetiring) {
      this.#setSettling(node, false);
      this.#setTarget(node, false);
      this.#options.onGone(node);
      return;
    }
    const description = describe(node, evaluation);
    this.#setTarget(node, description.isUsable);
    if (description.state.kind === 'ready') node.revision = node.wantedRevision;
    const isLeftToReturn = node.phase === 'overdue' && !node.isRetiring;
    const isForgottenNow = evaluation.kind === 'remove' && isLeftToReturn && !node.isForgotten;
    if (isForgottenNow) node.isForgotten = true;
    const wasUnderWay = isUnderWay(node.state);
    const isShownAnew = node.show(description.state, this.#options.clock.now());
    if (isShownAnew || isForgottenNow) this.#options.onChanged(node);
    const hasNews = this.#hasNewsForDependents(node, description);
    if (hasNews || wasUnderWay !== isUnderWay(node.state)) {
      for (const dependent of node.dependents) this.#due.add(dependent);
    }
  }

  #hasNewsForDependents(node: ResourceNode, { isSettling, cause }: Description): boolean {
    const { isAvailable } = node;
    const hasNews = node.isSettling !== isSettling || node.cause !== cause || node.wasAvailable !== isAvailable;
    node.wasAvailable = isAvailable;
    node.cause = cause;
    this.#setSettling(node, isSettling);
    return hasNews;
  }

  #setSettling(node: ResourceNode, isSettling: boolean): void {
    if (node.isSettling === isSettling) return;
    node.isSettling = isSettling;
    if (isSettling) {
      this.#settling.add(node);
      this.#settled.delete(node);
    } else {
      this.#settling.delete(node);
      this.#settled.add(node);
    }
  }

  /** The target is made once per instance, so that a lookup allocates nothing. */
  #setTarget(node: ResourceNode, isUsable: boolean): void {
    const resource = isUsable ? node.instance?.resource : undefined;
    if (resource === node.targetResource) return;
    node.targetResource = resource;
    node.target = resource === undefined ? undefined : targetOfInstance(resource);
  }
}

function isSameBuild(a: ResourceConfig, b: ResourceConfig): boolean {
  return a === b || (a.model === b.model && isDeepStrictEqual(a.attributes, b.attributes));
}

/** What a running instance needs to reach its desired state. Changes of log levels or notes need nothing. */
function nextStep(node: ResourceNode, instance: Instance): 'keep' | 'change' | 'renew' | 'leave' {
  const { config, entry, resource } = instance;
  if (entry !== node.entry || !areDependenciesCurrent(node, instance.held)) return 'leave';
  // If others were built with it, they close first, so there is nobody it would have to keep answering.
  const rebuild = entry.mayCoexist && !node.isLeaving && node.holders.size === 0 ? 'renew' : 'leave';
  if (node.isRebuildDue) return rebuild;
  if (isSameBuild(config, node.config)) return 'keep';
  if (config.model !== node.config.model || resource.reconfigure === undefined) return rebuild;
  const before = config.attributes;
  const after = node.config.attributes;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    if (!isInPlace(entry, key) && !isDeepStrictEqual(before[key], after[key])) return rebuild;
  }
  return 'change';
}
