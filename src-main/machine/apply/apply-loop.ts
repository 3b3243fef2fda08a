import { AsyncQueue } from '../../base/async/async-queue.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError } from '../../base/errors.ts';
import { OwnNames } from '../config/checks/own-names.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import { logProblems } from '../config/problem-list.ts';
import { formatSeconds } from '../graph/description.ts';
import type { ApplyEvent, ApplyState, Effect, Pending, World } from './apply-state.ts';
import type { ConfigState, ConfigurationParts, OpenTrial } from './config-state.ts';
import type { KeptValues } from './first-text.ts';
import { KeptValue } from './kept-value.ts';
import { unreadySentence } from './outcome-words.ts';
import { PendingLook } from './pending-look.ts';
import { transition } from './transition.ts';
import type { Probation } from './trial-record.ts';
import { requiredIn } from './trial-terms.ts';
import { Trial, type Unready, type Verdict } from './trial.ts';

/** What needs its turn among all that stores texts. */
export interface ApplyTurns {
  /** Leaves a text on trial for the one before it, unless another took its place. `why` is the second half of a sentence. */
  readonly rollBack: (terms: Probation, why: string, unready: readonly Unready[]) => void;
  /** The sensor allows maintenance, as of a moment ago. Never rejects. */
  readonly onAllowed: (pending: Pending) => Promise<void>;
}

/** A trial whose time has begun. */
interface TrialWait {
  readonly terms: Probation;
  readonly trial: Trial;
  /** Looks at no resource any more. */
  forget: () => void;
}

type Execute = Extract<Effect, { do: 'execute' }>;

/** Said to who waits for all effects before it. */
interface Tell {
  readonly do: 'tell';
  readonly tell: () => void;
}

/**
 * Takes events one after the other, and carries out what {@link transition} makes of them: the state is another at once,
 * its effects follow in one loop, in order. From there to the constructor of a resource is one short stack, whatever
 * the event was and whoever brought it.
 */
export class ApplyLoop {
  readonly kept: KeptValues;
  readonly #parts: ConfigurationParts;
  readonly #turns: ApplyTurns;
  readonly #changed = new Emitter();
  readonly #world: World;
  readonly #look: PendingLook;
  readonly #ownNames = new OwnNames();
  readonly #effects = new AsyncQueue<readonly (Effect | Tell)[]>();
  #isStopped = false;
  #isReadOnly = false;
  #fate: ApplyState;
  #wait: TrialWait | undefined;
  #executing: Promise<void> = Promise.resolve();
  #told: ConfigState;

  constructor(parts: ConfigurationParts, turns: ApplyTurns) {
    this.#parts = parts;
    this.#turns = turns;
    const { clock, logger, source, resources, gate } = parts;
    this.#world = {
      kind: source.kind,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      plan: parts.plan,
      failures: parts.failures,
      obstacleOf: (name) => resources.obstacleOf(name),
    };
    this.kept = {
      // It names a text: it counts only if the machine is started with that one again.
      trial: new KeptValue(parts.trialRecord, (_value, message) => logger.warn(message)),
      deferral: new KeptValue(parts.deferralRecord, (value, message) => {
        const until = value === undefined ? '' : ' Until then, a server that starts again begins with what is stored.';
        logger.warn(`${message}${until}`);
      }),
    };
    this.#look = new PendingLook({
      clock,
      gate,
      resources,
      pending: () => this.#fate.pending,
      window: () => this.#fate.running?.config.maintenance,
      onRefused: async (pending, reason) => {
        // Who is told that it waits may end the server: it has to wait after that too.
        await this.kept.deferral.settled();
        this.dispatch({ kind: 'refused', pending, reason });
      },
      onAllowed: turns.onAllowed,
    });
    this.#fate = {
      stored: { text: '', revision: '', source: 'none', problems: [] },
      origin: { author: '', note: '', summary: '', subjects: [], restoredFrom: 0, isReturn: false },
      outcome: { kind: 'applying', revision: '', message: '', at: clock.now() },
      applied: { revision: '', at: clock.now() },
      running: undefined,
      execution: undefined,
      tookMs: undefined,
      trial: undefined,
      pending: undefined,
    };
    this.#told = this.#publicState();
    void this.#carryOut();
  }

  /** What is known now. */
  get fate(): ApplyState {
    return this.#fate;
  }

  /** What is told of it. */
  get told(): ConfigState {
    return this.#told;
  }

  /** Settles when the effects of all events until now are carried out, and the last plan among them is. Never rejects. */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => this.#effects.push([{ do: 'tell', tell: resolve }]));
    await this.#executing;
  }

  /** Calls back after every change of {@link told}. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** What a text calls itself; the hash of it where it does not. */
  ownNameOf(revision: string): string {
    return this.#ownNames.of(revision);
  }

  setReadOnly(isReadOnly: boolean): void {
    this.#isReadOnly = isReadOnly;
    this.#publish();
  }

  /** What is not ready yet of what the text on trial needs. */
  unready(): readonly Unready[] {
    return this.#wait?.trial.unready() ?? [];
  }

  /** Ends the wait of the text on trial, and nothing else: what comes of it is on its way. */
  endTrialWait(): void {
    this.#stopTrial();
    this.#publish();
  }

  /** Waits for nothing any more. A text on trial, or one that is pending, stays so. */
  stop(): void {
    this.#isStopped = true;
    this.#stopTrial();
    this.#look.end();
  }

  /** The state is another when this returns; effects are carried out after those of every event before. */
  dispatch(event: ApplyEvent): void {
    const { state, told, effects } = transition(this.#fate, event, this.#world);
    this.#fate = state;
    // First: who is told of the state may bring the next event.
    this.#effects.push(effects);
    for (const outcome of told) this.#publish({ outcome });
    this.#publish();
  }

  /** For as long as the machine is there. */
  async #carryOut(): Promise<void> {
    for await (const effects of this.#effects) {
      for (const effect of effects) {
        if (effect.do === 'execute') this.#executing = this.#execute(effect);
        else this.#perform(effect);
      }
    }
  }

  /** Never throws: the effects after it are due all the same. */
  #perform(effect: Exclude<Effect, Execute> | Tell): void {
    try {
      this.#do(effect);
    } catch (thrown) {
      this.#parts.logger.error(`configuration: ${effect.do} failed: ${toArmatureError(thrown).message}`, {
        error: thrown,
      });
    }
  }

  #do(effect: Exclude<Effect, Execute> | Tell): void {
    const { logger, source, applyLogLevels } = this.#parts;
    switch (effect.do) {
      case 'log':
        logger[effect.level](effect.message, effect.fields);
        break;
      case 'log-problems':
        logProblems(effect.problems, source.path, logger);
        break;
      case 'set-log-levels':
        applyLogLevels(effect.config);
        break;
      case 'stop-trial':
        this.#stopTrial();
        break;
      case 'keep-trial':
        this.kept.trial.set(effect.terms);
        break;
      case 'keep-deferral':
        if (effect.kept === undefined) this.#look.end();
        this.kept.deferral.set(effect.kept);
        break;
      case 'look':
        if (!this.#isStopped) this.#look.begin();
        break;
      case 'roll-back':
        this.#turns.rollBack(effect.terms, effect.why, effect.unready);
        break;
      case 'tell':
        effect.tell();
        break;
    }
  }

  /** Never rejects. */
  async #execute({ plan, execution, levels, trial }: Execute): Promise<void> {
    const { source, applySettings, applyLogLevels, execute } = this.#parts;
    const { revision } = execution;
    this.#ownNames.add(revision, plan.to.revision);
    source.used?.(revision);
    try {
      applySettings(plan);
      if (levels !== undefined) applyLogLevels(levels);
      const executed = execute(plan, revision);
      this.#startTrial(trial, plan.to);
      await executed;
    } catch (error) {
      this.dispatch({ kind: 'execution-failed', execution, error });
      return;
    }
    this.dispatch({ kind: 'executed', execution });
  }

  /** Begins the time of the text on trial; to be called when the graph has taken it over. */
  #startTrial(terms: Probation | undefined, config: MachineConfig): void {
    if (terms === undefined || this.#isStopped) return;
    const { clock, resources } = this.#parts;
    let verdict: Verdict | undefined;
    const trial = new Trial({
      required: requiredIn(config, terms.readyBefore),
      waitMs: terms.waitMs,
      clock,
      obstacleOf: (name) => resources.obstacleOf(name),
      onAwaited: () => this.#publish(),
      onVerdict: (found) => this.#onVerdict(terms, (verdict = found)),
    });
    this.#stopTrial();
    const wait: TrialWait = { terms, trial, forget: () => undefined };
    this.#wait = wait;
    trial.look();
    // It may have ended with that look.
    if (verdict !== undefined) return;
    wait.forget = resources.subscribe(() => trial.look());
    this.#publish();
  }

  #onVerdict(terms: Probation, verdict: Verdict): void {
    if (verdict.kind === 'ready') {
      const why = `all that was ready before ${terms.revision} is ready again`;
      this.dispatch({ kind: 'confirmed', terms, why });
      return;
    }
    const { unready } = verdict;
    const why = `: ${unreadySentence(unready, `ready in ${formatSeconds(terms.waitMs)}`)}`;
    this.#turns.rollBack(terms, why, unready);
  }

  #stopTrial(): void {
    this.#wait?.forget();
    this.#wait?.trial.cancel();
    this.#wait = undefined;
  }

  #publish(changed: Partial<ConfigState> = {}): void {
    this.#told = { ...this.#publicState(), ...changed };
    this.#changed.emit();
  }

  #publicState(): ConfigState {
    const { stored, origin, outcome, applied } = this.#fate;
    return {
      ...stored,
      path: this.#parts.source.path,
      appliedRevision: applied.revision,
      appliedAt: applied.at,
      outcome,
      trial: this.#openTrial(),
      origin,
      isReadOnly: this.#isReadOnly,
    };
  }

  /** The trial of the stored text: one that is pending hides the one that is on trial beneath it. */
  #openTrial(): OpenTrial | undefined {
    const { stored, trial } = this.#fate;
    const wait = this.#wait;
    if (wait === undefined || wait.terms !== trial || trial.revision !== stored.revision) return undefined;
    return { deadlineAt: wait.trial.deadlineAt, leftMs: () => wait.trial.leftMs, awaited: wait.trial.awaited };
  }
}
