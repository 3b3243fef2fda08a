import { isSameValue, isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import type { DraftPath } from '../../../shared/stores/draft-text.ts';
import { readForm, type TriggerForm } from './trigger-form.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** An entry of `triggers` in the draft. */
export interface DraftTrigger {
  /** Its name in addresses: the trigger's name, or `#` and its position if it has no name of its own. */
  readonly key: string;
  /** '' if it has none. */
  readonly name: string;
  readonly index: number;
  readonly path: DraftPath;
  readonly pointer: string;
  readonly value: unknown;
  /** Undefined if the builder does not know all of it. */
  readonly form: TriggerForm | undefined;
  readonly isDisabled: boolean;
  /** Difference from what is applied. */
  readonly mark: 'added' | 'changed' | undefined;
  /** The applied trigger with the same name; undefined if there is none. */
  readonly applied: unknown;
}

/** The key of the document for triggers, spelled as in the document. */
export function triggersKey(root: JsonObject): string {
  return Object.keys(root).find((key) => key.toLowerCase() === 'triggers') ?? 'triggers';
}

/** The triggers of a document, marked with their difference from what is applied. */
export function draftTriggers(root: JsonObject, appliedRoot: JsonObject | undefined): readonly DraftTrigger[] {
  const key = triggersKey(root);
  const applied = new Map(listIn(appliedRoot ?? {}).map((value) => [nameOf(value), value]));
  const seen = new Set<string>();
  return listIn(root).map((value, index) => {
    const name = nameOf(value);
    const isOwn = name !== '' && !seen.has(name) && !name.startsWith('#');
    seen.add(name);
    const before = applied.get(name);
    return {
      key: isOwn ? name : `#${index + 1}`,
      name,
      index,
      path: [key, index],
      pointer: joinPointer(joinPointer('', key), index),
      value,
      form: readForm(value),
      isDisabled: isJsonObject(value) && value['disabled'] === true,
      mark:
        appliedRoot === undefined || isSameValue(before, value)
          ? undefined
          : before === undefined
            ? 'added'
            : 'changed',
      applied: before,
    };
  });
}

/** The problems at a place of the document and below it. */
export function problemsUnder(problems: readonly Problem[], pointer: string): readonly Problem[] {
  return problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`));
}

/** The message without the name of the trigger at its start, which is shown above anyway. */
export function plainMessage({ message }: Pick<Problem, 'message'>): string {
  const plain = message.replace(/^trigger (?:"[^"]*"|\d+): /, '');
  // A path or a quoted word keeps its spelling.
  return /^[a-z]+ /.test(plain) ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

/** A name that no trigger has: `trigger-2`. */
export function freeName(triggers: readonly DraftTrigger[]): string {
  const names = new Set(triggers.map(({ name }) => name));
  for (let number = triggers.length + 1; ; number++) {
    if (!names.has(`trigger-${number}`)) return `trigger-${number}`;
  }
}

/** Why a trigger cannot have a name; undefined if it can. */
export function nameFault(name: string, others: readonly DraftTrigger[]): 'empty' | 'long' | 'taken' | undefined {
  if (name.trim() === '') return 'empty';
  if (name.length > MAX_NAME_LENGTH) return 'long';
  return others.some((other) => other.name === name) ? 'taken' : undefined;
}

/** The limit in the schema of triggers. */
export const MAX_NAME_LENGTH = 100;

function listIn(root: JsonObject): readonly unknown[] {
  const list = root[triggersKey(root)];
  return Array.isArray(list) ? list : [];
}

function nameOf(value: unknown): string {
  return isJsonObject(value) && typeof value['name'] === 'string' ? value['name'] : '';
}
