import type { CapturedResource } from '../capture/captured-methods.ts';
import type { CompilePattern } from './conditions.ts';

/** What triggers are checked against. */
export interface TriggerContext {
  readonly captured: readonly CapturedResource[];
  readonly compilePattern: CompilePattern;
}
