import { ArmatureError } from '../../../base/errors.ts';
import { makeBuildContext, type Host } from './build-context.ts';
import { isSameDependencies } from '../dependency-index.ts';
import { formatSeconds } from '../description.ts';
import { allDependencies } from './desired.ts';
import type { OngoingBuild, DependencyGenerations, ResourceNode } from '../node.ts';
import type { Timer } from '../../../base/clock.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { BuiltResource, CatalogEntry, Dependencies } from '../../catalog/model.ts';

/**
 * A build that has run this long is warned about for the first and second time; later warnings follow every
 * `SLOW_EVERY_MS`.
 */
const SLOW_FIRST_MS = 2_000;
const SLOW_EVERY_MS = 5_000;

export type BuildOutcome =
  | { readonly kind: 'built'; readonly resource: BuiltResource }
  /** Nothing was built: the model named these dependencies, in addition to `depends_on`. */
  | { readonly kind: 'needs'; readonly dependencies: Dependencies };

/** What a resource is built from. */
export interface BuildPlan {
  readonly config: ResourceConfig;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** Whether to ask the model for its dependencies before building. */
  readonly asks: boolean;
  /** Only asks the model for its dependencies, because the assumed ones are missing. */
  readonly isAskOnly: boolean;
}

/** One run of a constructor. */
export class Build implements OngoingBuild {
  readonly config: ResourceConfig;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  readonly isAskOnly: boolean;
  readonly #asks: boolean;
  /** Wall-clock time. */
  readonly startedAt: number;
  /** Its time limit. */
  readonly timeoutMs: number;
  readonly #node: ResourceNode;
  readonly #host: Host;
  readonly #startedMonotonic: number;
  readonly #abort = new AbortController();
  #tellDeadline: (() => void) | undefined;
  #isOver = false;
  #deadline: Timer | undefined;
  #slow: Timer | undefined;

  constructor(node: ResourceNode, what: BuildPlan, timeoutMs: number, host: Host) {
    this.#node = node;
    this.config = what.config;
    this.entry = what.entry;
    this.held = what.held;
    this.isAskOnly = what.isAskOnly;
    this.#asks = what.asks;
    this.timeoutMs = timeoutMs;
    this.#host = host;
    this.startedAt = host.clock.now();
    this.#startedMonotonic = host.clock.monotonic();
  }

  get ageMs(): number {
    return Math.round(this.#host.clock.monotonic() - this.#startedMonotonic);
  }

  /**
   * Runs the constructor once. Settles when the constructor does, even after the deadline; never if it hangs.
   * @param onDeadline called at most once, if the constructor still runs at the deadline; never before `run` returns
   * @throws what the constructor threw
   */
  async run(onDeadline: () => void): Promise<BuildOutcome> {
    const { config, entry, held } = this;
    const { signal } = this.#abort;
    const { clock } = this.#host;
    this.#tellDeadline = onDeadline;
    this.#deadline = clock.after(this.timeoutMs, () => this.#onDeadline());
    this.#slow = clock.after(SLOW_FIRST_MS, () => this.#onSlow());
    try {
      const answer = this.#asks ? await entry.askDependencies?.(config, signal) : undefined;
      signal.throwIfAborted();
      if (answer !== undefined) {
        const isKnown = isSameDependencies(allDependencies(config, answer), this.#node.declared);
        if (this.isAskOnly || !isKnown) return { kind: 'needs', dependencies: answer };
      }
      const context = makeBuildContext(this.#node, config.attributes, held, this.#host, signal);
      const model = await entry.load();
      signal.throwIfAborted();
      const request = { config, held: [...held.keys()].map(({ fullName }) => fullName) };
      const resource: unknown = await model.build(context, request);
      if (!isBuiltResource(resource)) {
        throw new ArmatureError('internal.bug', `model ${entry.model} built something that is not a resource`);
      }
      return { kind: 'built', resource };
    } finally {
      this.#isOver = true;
      this.#slow.cancel();
      this.#deadline.cancel();
    }
  }

  /** Tells the constructor to give up, and waits at most `graceMs` more for it. */
  withdraw(reason: string, graceMs: number): void {
    // Those who wait for the result may not have received it yet.
    if (this.#isOver) return;
    const leftMs = Math.min(graceMs, Math.max(0, this.timeoutMs - this.ageMs));
    this.#slow?.cancel();
    this.#deadline?.cancel();
    this.#deadline = this.#host.clock.after(leftMs, () => this.#onDeadline());
    this.#abort.abort(new ArmatureError('call.cancelled', reason));
  }

  #onDeadline(): void {
    this.#slow?.cancel();
    this.#tellDeadline?.();
    const reason = `${this.#node.label} was not configured within ${formatSeconds(this.timeoutMs)}.`;
    this.#abort.abort(new ArmatureError('resource.timeout', reason));
  }

  #onSlow(): void {
    const { logger, label } = this.#node;
    const ageMs = this.ageMs;
    logger.warn(`Configuring ${label} takes long: ${formatSeconds(ageMs)} so far.`, { ageMs });
    const nextAge = ageMs < SLOW_EVERY_MS ? SLOW_EVERY_MS : ageMs + SLOW_EVERY_MS;
    this.#slow = this.#host.clock.after(nextAge - ageMs, () => this.#onSlow());
  }
}

function isBuiltResource(value: unknown): value is BuiltResource {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
