import type { LogFields, LogLevel } from '../../base/logger.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { ConfigState, ApplyDetails, Outcome, RolledBack, Running } from './config-state.ts';
import type { SavedDeferral } from './deferral-record.ts';
import type { Unready } from './trial.ts';
import type { TrialTerms } from './trial-record.ts';

/** The stored text, as part of the state. */
export type Stored = Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems'>;

/** A stored text that is deferred: it waits for the maintenance window of the running configuration. */
export interface Pending {
  readonly text: string;
  readonly revision: string;
  readonly config: MachineConfig;
  readonly problems: readonly Problem[];
  readonly origin: ConfigOrigin;
  /** What a restarted server needs to know about it. */
  readonly saved: SavedDeferral;
  /** Why maintenance is not allowed, as the sensor last answered; '' before the first answer. */
  readonly reason: string;
}

/** A configuration that is being carried out. */
export interface Execution {
  /** Sequence number: only the newest execution reports its outcome. */
  readonly turn: number;
  readonly revision: string;
  readonly summary: string;
  /** What ran before it. */
  readonly before: Running | undefined;
  readonly terms: TrialTerms | undefined;
  readonly rolledBack: RolledBack | undefined;
  /** Monotonic, milliseconds. */
  readonly beganAt: number;
}

/** The state of all texts of a machine. Immutable. */
export interface ApplyState {
  readonly stored: Stored;
  /** How the stored text came to be. */
  readonly origin: ConfigOrigin;
  /** The outcome of the latest text. */
  readonly outcome: Outcome;
  readonly applied: { readonly revision: string; readonly at: number };
  /** The configuration that the machine was last given, applied or still being applied. */
  readonly running: Running | undefined;
  /** The newest execution, even after it has ended. */
  readonly execution: Execution | undefined;
  /** How long the newest execution took; undefined while it runs. */
  readonly tookMs: number | undefined;
  /** Commit-confirm: what runs is rolled back unless what was ready before is ready again in time. */
  readonly trial: TrialTerms | undefined;
  readonly pending: Pending | undefined;
}

/** What happened. */
export type ApplyEvent =
  /** A text was stored, whatever its source. */
  | { readonly kind: 'stored'; readonly text: string; readonly parsed: ParsedConfig; readonly details: ApplyDetails }
  /** The machine begins with a text that ran before, while another one is stored and pending. */
  | {
      readonly kind: 'resumed';
      readonly text: string;
      readonly parsed: ParsedConfig;
      readonly details: ApplyDetails;
      readonly waiting: { readonly text: string; readonly parsed: ParsedConfig; readonly deferral: SavedDeferral };
    }
  /** The stored text can no longer be read. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'executed'; readonly execution: Execution }
  | { readonly kind: 'execution-failed'; readonly execution: Execution; readonly error: unknown }
  /** The text on trial was confirmed. */
  | { readonly kind: 'confirmed'; readonly terms: TrialTerms; readonly why: string }
  /** The text on trial is rolled back while another one is pending; the pending one stays stored. */
  | { readonly kind: 'rolled-back-while-pending'; readonly parsed: ParsedConfig; readonly rolledBack: RolledBack }
  /** The previous text could not be stored: the machine keeps what is stored. */
  | { readonly kind: 'rollback-failed'; readonly terms: TrialTerms; readonly message: string }
  /** Maintenance is not allowed now. */
  | { readonly kind: 'refused'; readonly pending: Pending; readonly reason: string }
  /** The pending text is to be carried out. */
  | { readonly kind: 'released'; readonly pending: Pending; readonly terms: TrialTerms | undefined };

/** What to do, in this order. */
export type Effect =
  | {
      readonly do: 'log';
      readonly level: Exclude<LogLevel, 'debug'>;
      readonly message: string;
      readonly fields?: LogFields;
    }
  | { readonly do: 'log-problems'; readonly problems: readonly Problem[] }
  /** Applies log levels, which do not wait for a maintenance window. */
  | { readonly do: 'set-log-levels'; readonly config: MachineConfig }
  /** Makes the machine carry it out. Its trial begins when the graph has accepted it. */
  | {
      readonly do: 'execute';
      readonly plan: Plan;
      readonly execution: Execution;
      readonly levels: MachineConfig | undefined;
      readonly trial: TrialTerms | undefined;
    }
  /** Only stops waiting for a trial. */
  | { readonly do: 'stop-trial' }
  | { readonly do: 'save-trial'; readonly terms: undefined }
  | { readonly do: 'save-deferral'; readonly saved: SavedDeferral | undefined }
  /** Polls the maintenance sensor until nothing is pending, or another text is. */
  | { readonly do: 'poll-maintenance' }
  | {
      readonly do: 'roll-back';
      readonly terms: TrialTerms;
      readonly why: string;
      readonly unready: readonly Unready[];
    };

/** What the rules need besides the state, at the time of an event. */
export interface TransitionContext {
  readonly kind: 'file' | 'hub';
  /** Wall clock and monotonic, milliseconds. */
  now(): number;
  monotonic(): number;
  /** The plan from one configuration to the other. May throw. */
  plan(from: MachineConfig | undefined, to: MachineConfig): Plan;
  /** Each resource that failed or waits, and why. */
  failures(): readonly Unready[];
  /** Why a resource is not ready; undefined where it is. */
  notReadyReason(fullName: string): string | undefined;
}

/** The result of an event. */
export interface Transition {
  readonly state: ApplyState;
  /** Outcomes to publish before the one of {@link state}: those of texts that were replaced. */
  readonly outcomes: readonly Outcome[];
  readonly effects: readonly Effect[];
}
