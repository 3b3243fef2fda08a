import type { LogFields, LogLevel } from '../../base/logger.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { ConfigState, ApplyDetails, Outcome, RolledBack, Running } from './config-state.ts';
import type { SavedDeferral } from './deferral-record.ts';
import type { Unready } from './trial.ts';
import type { TrialTerms } from './trial-record.ts';

/** What the state says of a text that is stored. */
export type Stored = Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems'>;

/** A stored text that is deferred: it waits for the maintenance window of what runs. */
export interface Pending {
  readonly text: string;
  readonly revision: string;
  readonly config: MachineConfig;
  readonly problems: readonly Problem[];
  readonly origin: ConfigOrigin;
  /** What a server that starts again needs to know about it. */
  readonly saved: SavedDeferral;
  /** What maintenance waits for, as the sensor said last; '' before the first answer. */
  readonly reason: string;
}

/** A configuration that is being carried out. */
export interface Execution {
  /** Counts them: only the newest speaks about how it went. */
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
  /** What the machine was last told to be, and has followed or follows. */
  readonly running: Running | undefined;
  /** The newest that was begun, also when it is over. */
  readonly execution: Execution | undefined;
  /** Of the newest, where it is over. */
  readonly tookMs: number | undefined;
  /** Commit-confirm: what runs is rolled back unless what was ready before is ready again in time. */
  readonly trial: TrialTerms | undefined;
  readonly pending: Pending | undefined;
}

/** What happened. */
export type ApplyEvent =
  /** A text is stored, from wherever it came. */
  | { readonly kind: 'stored'; readonly text: string; readonly parsed: ParsedConfig; readonly details: ApplyDetails }
  /** The machine begins with a text that ran before, while another one is stored and pending. */
  | {
      readonly kind: 'resumed';
      readonly text: string;
      readonly parsed: ParsedConfig;
      readonly details: ApplyDetails;
      readonly waiting: { readonly text: string; readonly parsed: ParsedConfig; readonly deferral: SavedDeferral };
    }
  /** The stored text cannot be read any more. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'executed'; readonly execution: Execution }
  | { readonly kind: 'execution-failed'; readonly execution: Execution; readonly error: unknown }
  /** The text on trial stays. */
  | { readonly kind: 'confirmed'; readonly terms: TrialTerms; readonly why: string }
  /** The text on trial is rolled back while another one is pending, which stays stored. */
  | { readonly kind: 'rolled-back-while-pending'; readonly parsed: ParsedConfig; readonly rolledBack: RolledBack }
  /** The text before could not be stored: the machine stays with what is stored. */
  | { readonly kind: 'rollback-failed'; readonly terms: TrialTerms; readonly message: string }
  /** Maintenance is not allowed now. */
  | { readonly kind: 'refused'; readonly pending: Pending; readonly reason: string }
  /** What is pending is to be carried out. */
  | { readonly kind: 'released'; readonly pending: Pending; readonly terms: TrialTerms | undefined };

/** What is to be done, in this order. */
export type Effect =
  | {
      readonly do: 'log';
      readonly level: Exclude<LogLevel, 'debug'>;
      readonly message: string;
      readonly fields?: LogFields;
    }
  | { readonly do: 'log-problems'; readonly problems: readonly Problem[] }
  /** Takes over what is logged at which level: no window holds that back. */
  | { readonly do: 'set-log-levels'; readonly config: MachineConfig }
  /** Has the machine carry it out, and begins the time of its trial when the graph has taken it over. */
  | {
      readonly do: 'execute';
      readonly plan: Plan;
      readonly execution: Execution;
      readonly levels: MachineConfig | undefined;
      readonly trial: TrialTerms | undefined;
    }
  /** Ends the wait of a trial and nothing else. */
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

/** What the rules need to know beside the state, as of the moment of an event. */
export interface TransitionContext {
  readonly kind: 'file' | 'hub';
  /** Wall clock and monotonic, milliseconds. */
  now(): number;
  monotonic(): number;
  /** What going from one to the other does. May throw. */
  plan(from: MachineConfig | undefined, to: MachineConfig): Plan;
  /** Each resource that failed or waits, and why. */
  failures(): readonly Unready[];
  /** Why a resource is not ready; undefined where it is. */
  notReadyReason(fullName: string): string | undefined;
}

/** What an event leads to. */
export interface Transition {
  readonly state: ApplyState;
  /** Outcomes to publish before the one of {@link state}: those of texts that another one has replaced. */
  readonly outcomes: readonly Outcome[];
  readonly effects: readonly Effect[];
}
