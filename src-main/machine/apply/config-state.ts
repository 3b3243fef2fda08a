import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { ConfigOrigin, ConfigSource } from '../config/source/config-source.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import type { DeferralRecord, SavedDeferral } from './deferral-record.ts';
import type { MaintenanceGate, MaintenanceWindow } from '../maintenance/maintenance-gate.ts';
import type { ResourceReadiness } from './trial-terms.ts';
import type { Unready } from './trial.ts';
import type { TrialTerms, TrialRecord } from './trial-record.ts';

/** The outcome of the latest text. */
export interface Outcome {
  readonly kind:
    'applying' | 'applied' | 'applied-with-failures' | 'deferred' | 'rejected' | 'rolled-back' | 'replaced';
  /** The text's revision: for `rolled-back`, of the text that was rolled back; for `replaced`, of the deferred one. */
  readonly revision: string;
  readonly message: string;
  /** Wall-clock time, milliseconds. */
  readonly at: number;
  /** For `rolled-back`: the text that was rolled back. */
  readonly rolledBackText?: string;
  /** Full names of what was not ready: for `applied-with-failures`, and for `rolled-back` at the rollback. */
  readonly unready?: readonly string[];
  /** For `deferred`. */
  readonly deferred?: Deferred;
  /** From the start of the execution until all resources had settled, milliseconds. */
  readonly tookMs?: number;
}

/** A running trial: its text can still be rolled back. */
export interface OpenTrial {
  /** Wall-clock time, milliseconds. */
  readonly deadlineAt: number;
  readonly leftMs: () => number;
  /** Full names of resources that were ready before and are not ready again yet. */
  readonly awaited: readonly string[];
}

/** A text that waits for the maintenance window of the running configuration. */
export interface Deferred {
  /** The deferred part of its plan, starting from what the machine runs now. */
  readonly plan: Plan;
  /** `sensor door: closed is false` */
  readonly reason: string;
  /** Wall-clock time, milliseconds. */
  readonly since: number;
  readonly window: MaintenanceWindow;
  readonly runningText: string;
}

/** The stored text and how far the machine has followed it. Immutable. */
export interface ConfigState {
  readonly text: string;
  readonly revision: string;
  readonly source: 'file' | 'hub' | 'none';
  readonly path: string;
  readonly appliedRevision: string;
  readonly appliedAt: number;
  readonly problems: readonly Problem[];
  readonly outcome: Outcome;
  /** The running trial, while a safe apply waits. */
  readonly trial: OpenTrial | undefined;
  /** How the stored text came to be. */
  readonly origin: ConfigOrigin;
  readonly isReadOnly: boolean;
}

export interface ApplyRequest {
  readonly text: string;
  readonly baseRevision: string;
  readonly author: string;
  /** Id of the key that the author authenticated with; undefined for any other author. */
  readonly authorKeyId?: string | undefined;
  readonly note: string;
  /** Number of the restored version, if this is a restore. */
  readonly restoredFrom?: number;
  /** Time limit for what was ready to be ready again before the rollback; 0 means no rollback. */
  readonly returnAfterMs: number;
}

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly revision: string; readonly plan: Plan; readonly problems: readonly Problem[] }
  | { readonly kind: 'conflict'; readonly currentRevision: string; readonly currentText: string }
  | { readonly kind: 'rejected'; readonly problems: readonly Problem[] };

export interface ConfigurationOptions {
  readonly source: ConfigSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parse: (text: string) => ParsedConfig;
  /**
   * Problems that running modules report about an edited configuration. Never rejects; takes 2 s at most. Absent if
   * there are no modules.
   */
  readonly askModules?: (parsed: ParsedConfig) => Promise<readonly Problem[]>;
  readonly plan: (from: MachineConfig | undefined, to: MachineConfig) => Plan;
  /** Applies machine-wide settings: logs, sessions, access. Called before the resources change. */
  readonly applySettings: (plan: Plan) => void;
  /** Makes the resources carry out the plan, starting before it returns. Settles when all have settled. */
  readonly execute: (plan: Plan, revision: string) => Promise<unknown>;
  /** Each resource of the machine that is failed or waiting now, and why. */
  readonly failures: () => readonly Unready[];
  readonly resources: ResourceReadiness;
  readonly trialRecord: TrialRecord;
  /** Says whether the machine may be interrupted now. */
  readonly gate: MaintenanceGate;
  readonly deferralRecord: DeferralRecord;
  /** Applies log levels, which do not wait for a maintenance window. */
  readonly applyLogLevels: (config: MachineConfig) => void;
}

/** The configuration that the machine was last given. */
export interface Running {
  readonly config: MachineConfig;
  readonly revision: string;
  readonly text: string;
  /** Summary of the plan that led to it. */
  readonly summary: string;
}

/** Details of a text that is applied. */
export interface ApplyDetails {
  /** Absent for a text that came from the source. */
  readonly origin?: ConfigOrigin;
  /** A plan made in advance for this text; used only if the machine still runs what it was made for. */
  readonly planned?: Plan;
  /** The terms of its trial, if it is on trial. */
  readonly trialTerms?: TrialTerms | undefined;
  /** The text that was on trial, if this one is a rollback. */
  readonly rolledBack?: RolledBack | undefined;
  /** What is already saved about its deferral, if it has to wait. */
  readonly deferral?: SavedDeferral | undefined;
}

/** What a machine starts with. */
export interface StartupConfig {
  readonly text: string;
  readonly parsed: ParsedConfig;
  readonly details: ApplyDetails;
  /** A stored text that is deferred while the machine starts with another one. */
  readonly waiting?: { readonly text: string; readonly parsed: ParsedConfig; readonly deferral: SavedDeferral };
}

/** A text that was on trial and is rolled back. */
export interface RolledBack {
  readonly revision: string;
  readonly text: string;
  /** Second half of a sentence. */
  readonly why: string;
  /** Full names of what was not ready at the rollback. */
  readonly unready: readonly string[];
  readonly readyBefore: readonly string[];
}
