import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Problem } from '../../proto/config/problem.ts';
import type { ConfigSource } from './config/config-source.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import type { OpenTrial, ResourceReadiness } from './safe-apply.ts';
import type { Probation, TrialRecord } from './trial-record.ts';

/** How the latest text fared. */
export interface Outcome {
  readonly kind: 'applying' | 'applied' | 'applied-with-failures' | 'rejected' | 'returned';
  /** Of the text that is spoken of: for `returned`, of the one that was left. */
  readonly revision: string;
  readonly message: string;
  /** Wall-clock time, milliseconds. */
  readonly at: number;
  /** Of `returned`: the text that was left. */
  readonly returnedText?: string;
  /** Of `returned`: full names of what was not ready when it was left. */
  readonly unready?: readonly string[];
}

/** The stored text and how far the machine has followed it. Immutable. */
export interface ConfigState {
  readonly text: string;
  readonly revision: string;
  readonly source: 'file' | 'none';
  readonly path: string;
  readonly appliedRevision: string;
  readonly appliedAt: number;
  readonly problems: readonly Problem[];
  readonly outcome: Outcome;
  /** The way back that is still open, while a safe apply waits. */
  readonly trial: OpenTrial | undefined;
  readonly isReadOnly: boolean;
}

export interface ApplyRequest {
  readonly text: string;
  readonly baseRevision: string;
  readonly author: string;
  readonly note: string;
  /** Time for what was ready to be ready again, before the machine goes back; 0 is no way back. */
  readonly returnAfterMs: number;
}

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly revision: string; readonly plan: Plan; readonly problems: readonly Problem[] }
  | { readonly kind: 'conflict'; readonly currentRevision: string; readonly currentText: string }
  | { readonly kind: 'rejected'; readonly problems: readonly Problem[] };

export interface ConfigurationParts {
  readonly source: ConfigSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parse: (text: string) => ParsedConfig;
  readonly plan: (from: MachineConfig | undefined, to: MachineConfig) => Plan;
  /** Takes over what is machine-wide: logs, sessions, access. Called before the resources change. */
  readonly applySettings: (plan: Plan) => void;
  /** Has the resources carry out the plan, beginning before it returns; settles when all have settled. */
  readonly execute: (plan: Plan, revision: string) => Promise<unknown>;
  /** One line for each resource of the machine that failed or waits now. */
  readonly failures: () => readonly string[];
  readonly resources: ResourceReadiness;
  readonly trialRecord: TrialRecord;
}

/** What the machine was last told to be. */
export interface Running {
  readonly config: MachineConfig;
  readonly revision: string;
  readonly text: string;
  /** Of the plan that led to it. */
  readonly summary: string;
}

/** How a text came to be carried out. */
export interface Course {
  /** Made for this text; used unless the machine runs something else by now. */
  readonly planned?: Plan;
  /** On trial on these terms. */
  readonly probation?: Probation | undefined;
  /** Gone back to, from a text that was on trial. */
  readonly returned?: Returned | undefined;
}

/** What a machine begins with. */
export interface FirstText {
  readonly text: string;
  readonly parsed: ParsedConfig;
  readonly course: Course;
}

/** A text that was on trial and left. */
export interface Returned {
  readonly revision: string;
  readonly text: string;
  /** Second half of a sentence. */
  readonly why: string;
  /** Full names of what was not ready with it, as of when it was left. */
  readonly unready: readonly string[];
  readonly readyBefore: readonly string[];
}

/** The state, as those who bring it about change it together. */
export interface StateCell {
  readonly state: ConfigState;
  set(changed: Partial<ConfigState>): void;
}
