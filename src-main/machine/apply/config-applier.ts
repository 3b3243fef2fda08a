import { AsyncQueue } from '../../base/async/async-queue.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError } from '../../base/errors.ts';
import { DeclaredRevisions } from '../config/checks/declared-revisions.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import { logProblems } from '../config/problem-list.ts';
import { formatSeconds } from '../graph/description.ts';
import type { ApplyEvent, ApplyState, Effect, Pending, TransitionContext } from './apply-state.ts';
import type { ConfigState, ConfigurationOptions, OpenTrial } from './config-state.ts';
import type { PersistedState } from './startup-config.ts';
import { PersistedValue } from './persisted-value.ts';
import { unreadySentence } from './outcome-messages.ts';
import { MaintenancePoller } from './maintenance-poller.ts';
import { transition } from './transition.ts';
import type { TrialTerms } from './trial-record.ts';
import { requiredIn } from './trial-terms.ts';
import { Trial, type Unready, type TrialResult } from './trial.ts';

/** Calls into the configuration, which locks its mutex for them. */
export interface ApplierCallbacks {
  /** Rolls a text on trial back, unless another has replaced it. `why` is the second half of a sentence. */
  readonly rollBack: (terms: TrialTerms, why: string, unready: readonly Unready[]) => void;
  /** Called when the sensor has just allowed maintenance. Never rejects. */
  readonly onAllowed: (pending: Pending) => Promise<void>;
}

/** A trial whose time has begun. */
interface ActiveTrial {
  readonly terms: TrialTerms;
  readonly trial: Trial;
  /** Stops watching the resources. */
  unsubscribe: () => void;
}

type Execute = Extract<Effect, { do: 'execute' }>;

/** Tells a caller that all earlier effects have been carried out. */
interface Notify {
  readonly do: 'notify';
  readonly notify: () => void;
}

/**
 * Takes events one at a time and applies {@link transition}. The state changes at once; one loop carries out the
 * effects, in order. So the call stack down to a resource's constructor stays short, whatever caused the event.
 */
export class ConfigApplier {
  readonly persisted: PersistedState;
  readonly #options: ConfigurationOptions;
  readonly #callbacks: ApplierCallbacks;
  readonly #changed = new Emitter();
  readonly #context: TransitionContext;
  readonly #poller: MaintenancePoller;
  readonly #declaredRevisions = new DeclaredRevisions();
  readonly #effects = new AsyncQueue<readonly (Effect | Notify)[]>();
  #isStopped = false;
  #isReadOnly = false;
  #state: ApplyState;
  #activeTrial: ActiveTrial | undefined;
  #executing: Promise<void> = Promise.resolve();
  #configState: ConfigState;

  constructor(options: ConfigurationOptions, callbacks: ApplierCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    const { clock, logger, source, resources, gate } = options;
    this.#context = {
      kind: source.kind,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      plan: options.plan,
      failures: options.failures,
      notReadyReason: (name) => resources.notReadyReason(name),
    };
    this.persisted = {
      // It names a text, so it has an effect only if the machine starts with that text again.
      trial: new PersistedValue(options.trialRecord, (_value, message) => logger.warn(message)),
      deferral: new PersistedValue(options.deferralRecord, (value, message) => {
        const until = value === undefined ? '' : ' Until it is saved, a restarted server begins with what is stored.';
        logger.warn(`${message}${until}`);
      }),
    };
    this.#poller = new MaintenancePoller({
      clock,
      gate,
      resources,
      pending: () => this.#state.pending,
      window: () => this.#state.running?.config.maintenance,
      onRefused: async (pending, reason) => {
        // A listener may end the server when it sees the deferral, so it must be saved first.
        await this.persisted.deferral.settled();
        this.dispatch({ kind: 'refused', pending, reason });
      },
      onAllowed: callbacks.onAllowed,
    });
    this.#state = {
      stored: { text: '', revision: '', source: 'none', problems: [] },
      origin: { author: '', note: '', summary: '', subjects: [], restoredFrom: 0, isRollback: false },
      outcome: { kind: 'applying', revision: '', message: '', at: clock.now() },
      applied: { revision: '', at: clock.now() },
      running: undefined,
      execution: undefined,
      tookMs: undefined,
      trial: undefined,
      pending: undefined,
    };
    this.#configState = this.#toConfigState();
    void this.#carryOut();
  }

  /** The current state of all texts. */
  get state(): ApplyState {
    return this.#state;
  }

  /** The same state, as shown to others. */
  get configState(): ConfigState {
    return this.#configState;
  }

  /**
   * Settles when the effects of all events so far, including the last plan among them, are carried out. Never rejects.
   */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => this.#effects.push([{ do: 'notify', notify: resolve }]));
    await this.#executing;
  }

  /** Calls back after every change of {@link configState}. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** The revision that a text declares, or its hash if it declares none. */
  declaredRevisionOf(revision: string): string {
    return this.#declaredRevisions.of(revision);
  }

  setReadOnly(isReadOnly: boolean): void {
    this.#isReadOnly = isReadOnly;
    this.#publish();
  }

  /** The resources that the text on trial needs and that are not ready yet. */
  unready(): readonly Unready[] {
    return this.#activeTrial?.trial.unready() ?? [];
  }

  /** Only stops waiting for the text on trial; its result is already being handled. */
  stopTrialWait(): void {
    this.#stopTrial();
    this.#publish();
  }

  /** Stops the trial timer and the poller. A text that is on trial or pending stays in that state. */
  stop(): void {
    this.#isStopped = true;
    this.#stopTrial();
    this.#poller.stop();
  }

  /** The state has changed when this returns. Effects are carried out after those of all earlier events. */
  dispatch(event: ApplyEvent): void {
    const { state, outcomes, effects } = transition(this.#state, event, this.#context);
    this.#state = state;
    // First: a listener of the state may dispatch the next event.
    this.#effects.push(effects);
    for (const outcome of outcomes) this.#publish({ outcome });
    this.#publish();
  }

  /** Runs as long as the machine. */
  async #carryOut(): Promise<void> {
    for await (const effects of this.#effects) {
      for (const effect of effects) {
        if (effect.do === 'execute') this.#executing = this.#execute(effect);
        else this.#perform(effect);
      }
    }
  }

  /** Never throws: later effects must still be carried out. */
  #perform(effect: Exclude<Effect, Execute> | Notify): void {
    try {
      this.#do(effect);
    } catch (thrown) {
      this.#options.logger.error(`configuration: ${effect.do} failed: ${toArmatureError(thrown).message}`, {
        error: thrown,
      });
    }
  }

  #do(effect: Exclude<Effect, Execute> | Notify): void {
    const { logger, source, applyLogLevels } = this.#options;
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
      case 'save-trial':
        this.persisted.trial.set(effect.terms);
        break;
      case 'save-deferral':
        if (effect.saved === undefined) this.#poller.stop();
        this.persisted.deferral.set(effect.saved);
        break;
      case 'poll-maintenance':
        if (!this.#isStopped) this.#poller.start();
        break;
      case 'roll-back':
        this.#callbacks.rollBack(effect.terms, effect.why, effect.unready);
        break;
      case 'notify':
        effect.notify();
        break;
    }
  }

  /** Never rejects. */
  async #execute({ plan, execution, levels, trial }: Execute): Promise<void> {
    const { source, applySettings, applyLogLevels, execute } = this.#options;
    const { revision } = execution;
    this.#declaredRevisions.add(revision, plan.to.revision);
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

  /** Starts the trial timer; call it when the graph has accepted the text. */
  #startTrial(terms: TrialTerms | undefined, config: MachineConfig): void {
    if (terms === undefined || this.#isStopped) return;
    const { clock, resources } = this.#options;
    let result: TrialResult | undefined;
    const trial = new Trial({
      required: requiredIn(config, terms.readyBefore),
      waitMs: terms.waitMs,
      clock,
      notReadyReason: (name) => resources.notReadyReason(name),
      onAwaitedChange: () => this.#publish(),
      onResult: (found) => this.#onTrialResult(terms, (result = found)),
    });
    this.#stopTrial();
    const active: ActiveTrial = { terms, trial, unsubscribe: () => undefined };
    this.#activeTrial = active;
    trial.check();
    // This check may have ended it.
    if (result !== undefined) return;
    active.unsubscribe = resources.subscribe(() => trial.check());
    this.#publish();
  }

  #onTrialResult(terms: TrialTerms, result: TrialResult): void {
    if (result.kind === 'ready') {
      const why = `all that was ready before ${terms.revision} is ready again`;
      this.dispatch({ kind: 'confirmed', terms, why });
      return;
    }
    const { unready } = result;
    const why = `: ${unreadySentence(unready, `ready in ${formatSeconds(terms.waitMs)}`)}`;
    this.#callbacks.rollBack(terms, why, unready);
  }

  #stopTrial(): void {
    this.#activeTrial?.unsubscribe();
    this.#activeTrial?.trial.cancel();
    this.#activeTrial = undefined;
  }

  #publish(changed: Partial<ConfigState> = {}): void {
    this.#configState = { ...this.#toConfigState(), ...changed };
    this.#changed.emit();
  }

  #toConfigState(): ConfigState {
    const { stored, origin, outcome, applied } = this.#state;
    return {
      ...stored,
      path: this.#options.source.path,
      appliedRevision: applied.revision,
      appliedAt: applied.at,
      outcome,
      trial: this.#openTrial(),
      origin,
      isReadOnly: this.#isReadOnly,
    };
  }

  /** The trial of the stored text; undefined while another text is pending. */
  #openTrial(): OpenTrial | undefined {
    const { stored, trial } = this.#state;
    const active = this.#activeTrial;
    if (active === undefined || active.terms !== trial || trial.revision !== stored.revision) return undefined;
    return { deadlineAt: active.trial.deadlineAt, leftMs: () => active.trial.leftMs, awaited: active.trial.awaited };
  }
}
