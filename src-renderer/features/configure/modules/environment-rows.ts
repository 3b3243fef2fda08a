import { replacePlaceholders } from '../../../../proto/config/placeholders.ts';
import type { JsonObject } from '../form/fields/form-field.ts';

/** Names that a shell accepts; others reach the process too, but a shell there cannot use them. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that the machine itself sets, under its own prefix and that of the public ecosystem. */
const INJECTED = /^(SVC|VIAM)_/;

/** One variable of a module's environment. */
export interface VariableRow {
  readonly name: string;
  /** As text; `isText` is false if the JSON value is no string. */
  readonly value: string;
  readonly isText: boolean;
  /** Environment variables of the server that the value refers to. */
  readonly takenFrom: readonly string[];
  /** Whether the machine would set the variable too; this value wins. */
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

/** Whether a value is no secret: it only refers to variables of the server. */
export function isPlain(value: string): boolean {
  return replacePlaceholders(value, ({ kind }) => (kind === 'environment' ? '' : undefined)).trim() === '';
}

export type NameFault = 'empty' | 'taken' | 'grammar';

/** Why a variable cannot have a name; undefined if it can. `own` is its present name. */
export function nameFault(env: JsonObject, name: string, own: string): NameFault | undefined {
  if (name === '') return 'empty';
  if (name !== own && Object.hasOwn(env, name)) return 'taken';
  return NAME.test(name) ? undefined : 'grammar';
}

/** A free name for a new variable. */
export function freeVariable(env: JsonObject): string {
  let number = 1;
  while (Object.hasOwn(env, `VARIABLE_${number}`)) number += 1;
  return `VARIABLE_${number}`;
}
