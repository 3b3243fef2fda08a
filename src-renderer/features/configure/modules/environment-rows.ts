import { replacePlaceholders } from '../../../../proto/config/placeholders.ts';
import type { JsonObject } from '../form/fields/form-field.ts';

/** Names that every shell takes; others reach the process too, but nobody could say them there. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** What the machine sets by itself, under its own prefix and that of the public ecosystem. */
const INJECTED = /^(SVC|VIAM)_/;

/** One variable of a module's environment. */
export interface VariableRow {
  readonly name: string;
  /** As text; `isText` is false where something else stands there. */
  readonly value: string;
  readonly isText: boolean;
  /** The server's own variables that the value takes its text from. */
  readonly takenFrom: readonly string[];
  /** The machine would set it too; this value wins. */
  readonly replacesOwn: boolean;
}

export function variableRows(env: JsonObject): readonly VariableRow[] {
  return Object.entries(env).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
    isText: typeof value === 'string',
    takenFrom: typeof value === 'string' ? environmentNames(value) : [],
    replacesOwn: INJECTED.test(name),
  }));
}

function environmentNames(text: string): readonly string[] {
  const names: string[] = [];
  replacePlaceholders(text, (found) => {
    if (found.kind === 'environment') names.push(found.name);
    return undefined;
  });
  return names;
}

/** Whether a value is no secret: it holds nothing but what stands elsewhere. */
export function isPlain(value: string): boolean {
  return replacePlaceholders(value, ({ kind }) => (kind === 'environment' ? '' : undefined)).trim() === '';
}

export type NameFault = 'empty' | 'taken' | 'grammar';

/** Why a variable of this environment cannot be called so; undefined where it can. */
export function nameFault(env: JsonObject, name: string, own: string): NameFault | undefined {
  if (name === '') return 'empty';
  if (name !== own && Object.hasOwn(env, name)) return 'taken';
  return NAME.test(name) ? undefined : 'grammar';
}

/** A name for a new variable that nothing has yet. */
export function freeVariable(env: JsonObject): string {
  let number = 1;
  while (Object.hasOwn(env, `VARIABLE_${number}`)) number += 1;
  return `VARIABLE_${number}`;
}
