import { ArmatureError } from '../../../base/errors.ts';
import { makeBuildContext, type Host } from './build-context.ts';
import { isSameDependencies } from '../dependency-index.ts';
import { formatSeconds } from '../description.ts';
import { allDependencies } from './desired.ts';
import type { OngoingBuild, DependencyGenerations, ResourceNode } from '../node.ts';
import type { Timer } from '../../../base/clock.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { BuiltResource, CatalogEntry, Dependencies } from '../../catalog/model.ts';

/** Age of a build at which it is first and secondly warned about; from then on every `SLOW_EVERY_MS`. */
const SLOW_FIRST_MS = 2_000;
const SLOW_EVERY_MS = 5_000;

export type BuildOutcome =
  | { readonly kind: 'built'; readonly resource: BuiltResource }
  /** It was not built: its model named these dependencies, besides `depends_on`. */
  | { readonly kind: 'needs'; readonly dependencies: Dependencies };

/** What a resource is built from. */
export interface BuildPlan {
  readonly config: ResourceConfig;
  readonly entry: CatalogEntry;
  readonly held: DependencyGenerations;
  /** Asks its model first what it needs, where that has to be asked. */
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
   * Runs the constructor, once. Settles as it does, in time or not; never, where it hangs for good.
   * @param onDeadline the time is over and the constructor still runs; at most once, and not before `run` returns
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

  /** Tells the constructor to give up, and waits for it only `graceMs` more. */
  withdraw(reason: string, graceMs: number): void {
    // Those who wait for the result may not have it yet.
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
