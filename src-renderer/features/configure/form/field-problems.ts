import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { WiringFix } from '../../../../src-main/machine/models/wiring/wiring.ts';
import { plainProblems } from '../../../../proto/config/schema/plain-problems.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import { schemaSentence } from '../../../../proto/config/schema/schema-words.ts';
import { isSecretKey, isSecretPointer, MASK } from '../../../../proto/config/secrets.ts';
import { isObject } from './fields/form-field.ts';
import { isNeeded } from './needed.ts';

/** A problem of the value of a field. */
export interface FieldProblem {
  /** Pointer in the document; may name a missing key. */
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The nearest allowed value, or for an unknown key the nearest key, as text. */
  readonly nearest?: string;
  /** True if `nearest` is another name for the key. */
  readonly isAtKey: boolean;
  /** Whether a value is only not given yet. */
  readonly isNeeded: boolean;
  /** What to add to the board of the resource, if that solves it. */
  readonly fix?: WiringFix;
}

/** The part of a model that checks attributes. */
export interface AttributeRules {
  readonly schema: JsonSchema;
  check?(attributes: Readonly<Record<string, unknown>>): readonly AttributeProblem[];
}

/** Values in a sentence are cut to this length, as the machine cuts them. */
const MAX_SHOWN_LENGTH = 60;

/** Checks attributes against their model, with the machine's messages. `pointer` is that of the attributes. */
export function attributeProblems(rules: AttributeRules, attributes: unknown, pointer: string): FieldProblem[] {
  const value = (attributes ?? {}) as JsonValue;
  const found = plainProblems(rules.schema, value);
  const problems = found.map((problem): FieldProblem => {
    const at = pointer + problem.pointer;
    return {
      pointer: problem.missing === undefined ? at : joinPointer(at, problem.missing),
      severity: problem.severity,
      message: schemaSentence(problem, shown(valueAt(value, problem.pointer), at)),
      isAtKey: problem.isAtKey === true,
      isNeeded: isNeeded(problem),
      ...(problem.nearest === undefined ? {} : { nearest: problem.nearest }),
    };
  });
  if (!isObject(value) || found.some(({ severity }) => severity === 'error')) return problems;
  const broken = (rules.check?.(value) ?? []).map((problem): FieldProblem => ({
    pointer: pointer + problem.pointer,
    severity: problem.severity,
    message: problem.message,
    isAtKey: false,
    isNeeded: isNeeded(problem),
    ...(problem.nearest === undefined ? {} : { nearest: problem.nearest }),
  }));
  return [...problems, ...broken];
}

/**
 * The page's own problems together with those of the machine that differ from
 * them. Leaves out the machine's problems of attributes if they are for an
 * earlier text: the page has checked the attributes again.
 */
export function withMachineProblems(
  own: readonly FieldProblem[],
  machine: readonly Problem[],
  isOfThisText: boolean,
): readonly FieldProblem[] {
  const others = machine
    .filter((problem) => isOfThisText || !problem.code.startsWith('attribute.'))
    .filter((problem) => !own.some(({ message }) => problem.message.endsWith(`: ${message}`)))
    .map((problem): FieldProblem => ({
      pointer: problem.pointer,
      severity: problem.severity,
      message: problem.message,
      isAtKey: problem.code === 'attribute.unknown' || problem.code === 'config.unknown_key',
      isNeeded: isNeeded(problem),
      ...(problem.nearest === undefined ? {} : { nearest: problem.nearest }),
    }));
  return [...own, ...others];
}

function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: unknown = root;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  }
  return value as JsonValue | undefined;
}

function shown(value: JsonValue | undefined, pointer: string): string | undefined {
  if (value === undefined) return undefined;
  const text = isSecretPointer(pointer)
    ? JSON.stringify(MASK)
    : JSON.stringify(value, (key, one: unknown) => (isSecretKey(key) ? MASK : one));
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…`;
}
