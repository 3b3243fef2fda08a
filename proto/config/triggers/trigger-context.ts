import type { CapturedResource } from './captured-methods.ts';
import type { CompilePattern } from './conditions.ts';

/** What triggers are checked against. */
export interface TriggerContext {
  readonly captured: readonly CapturedResource[];
  readonly compilePattern: CompilePattern;
}
