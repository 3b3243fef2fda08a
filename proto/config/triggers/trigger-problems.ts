import { schemaSentence, type SchemaProblem } from '../schema/schema-words.ts';
import { pointerSteps, valueAt } from '../text/json-pointer.ts';
import type { JsonValue } from '../text/json-text.ts';
import type { TriggerProblem } from './trigger.ts';

const LONGEST_SHOWN = 80;

/** A problem before it has its trigger's name in front. */
export type NewTriggerProblem = Omit<TriggerProblem, 'message'> & { readonly text: string };

/** What is wrong with one trigger. */
export class TriggerProblems {
  readonly all: TriggerProblem[] = [];
  readonly #label: string;

  /** @param label begins each message: `trigger "hot"` */
  constructor(label: string) {
    this.#label = label;
  }

  add({ text, ...problem }: NewTriggerProblem): void {
    this.all.push({ ...problem, message: `${this.#label}: ${text}` });
  }

  error(pointer: string, code: string, text: string, allowed?: readonly string[]): void {
    this.add({ pointer, severity: 'error', code, text, ...(allowed === undefined ? {} : { allowed }) });
  }

  warning(pointer: string, code: string, text: string, more: Pick<TriggerProblem, 'allowed' | 'nearest'> = {}): void {
    this.add({ pointer, severity: 'warning', code, text, ...more });
  }

  /** What the schema says against the entry at `pointer`, whose value is `entry`. */
  addFormal(problem: SchemaProblem, entry: JsonValue, pointer: string): void {
    const { severity, allowed, nearest, missing, isAtKey } = problem;
    const isUnknown = problem.code === 'attribute.unknown';
    this.add({
      pointer: `${pointer}${problem.pointer}`,
      severity,
      code: isUnknown ? 'config.unknown_key' : problem.code.replace('attribute.', 'trigger.'),
      text: isUnknown ? unknownKey(problem) : formalText(problem, valueAt(entry, problem.pointer)),
      ...(allowed === undefined ? {} : { allowed }),
      ...(nearest === undefined ? {} : { nearest }),
      ...(missing === undefined ? {} : { missing }),
      ...(isAtKey === undefined ? {} : { isAtKey }),
    });
  }
}

function unknownKey({ pointer, nearest }: SchemaProblem): string {
  const key = pointerSteps(pointer)?.at(-1) ?? '';
  const guess = nearest === undefined ? '.' : `; did you mean "${nearest}"?`;
  return `"${key.slice(0, LONGEST_SHOWN)}" is not a known key, and has no effect${guess}`;
}

function formalText(problem: SchemaProblem, found: unknown): string {
  if (problem.pointer === '' && problem.missing === undefined) return `${problem.rule}.`;
  return schemaSentence(problem, found === undefined ? undefined : shownValue(found));
}

/** A value as JSON, cut to what a sentence can carry. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}
