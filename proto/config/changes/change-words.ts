import { canonicalModel, shortNameOf } from '../names.ts';
import { MASK } from '../secrets.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject } from '../text/text-entries.ts';
import type { ListChange, Steps, ValueChange } from './value-changes.ts';

/*
 * What changed, in words: the same in the summary of a version, in the plan before Apply and in the history. The
 * machine, the hub and the window use these.
 */

/** A longer value is cut, and its length told. */
const LONGEST_VALUE = 60;
/** Further changes and items are counted. */
const MAX_CHANGES = 5;
const MAX_ITEMS = 8;

/** `max_rpm 100 to 120, digital interrupts: added enc_a, enc_b`; changes beyond the first few are counted. */
export function changesWords(changes: readonly ValueChange[]): string {
  return counted(changes.map(changeWords), MAX_CHANGES, (left) => `${left} more`);
}

/** `max_rpm 100 to 120`, `pins.dir set to 18`, `depends on: added left`, `board bench → desk`, `token changed (***)`. */
export function changeWords(change: ValueChange): string {
  const { path, steps } = change.place;
  if (steps[0] === 'service_configs') return 'what services do with it changed';
  if (change.kind === 'secret') {
    if (!change.wasSet) return worded(path, `set (${MASK})`);
    return worded(path, change.isSet ? `changed (${MASK})` : 'removed');
  }
  if (change.kind === 'list') {
    const title = path.replaceAll('_', ' ');
    return title === '' ? listWords(change.list) : `${title}: ${listWords(change.list)}`;
  }
  const { before, after } = change;
  const own = ownKeyWords(steps, before, after);
  if (own !== undefined) return own;
  if (change.isFollowing) return worded(path, `${shortOf(before)} → ${shortOf(after)}`);
  if (before === undefined) return worded(path, `set to ${valueWords(after)}`);
  if (after === undefined) return worded(path, 'removed');
  return worded(path, bothWords(before, after));
}

/** The keys that every resource has, said as people say them; undefined for others. */
function ownKeyWords(
  [key, second, ...deeper]: Steps,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string | undefined {
  if (second === undefined) {
    if (key === 'disabled') return after === true ? 'disabled' : 'enabled';
    if (key === 'notes') return 'notes changed';
    if (key === 'log_level') return levelWords(before, after);
    if (key === 'model' && before !== undefined && after !== undefined) {
      return `model ${bothWords(shortModel(before), shortModel(after))}`;
    }
  }
  if (key === 'log_configuration' && second === 'level' && deeper.length === 0) return levelWords(before, after);
  return undefined;
}

/** `log level usual to debug`; undefined is the usual level. */
export function levelWords(before: JsonValue | undefined, after: JsonValue | undefined): string {
  const [was, is] = [before, after].map((level) => (typeof level === 'string' ? level.toLowerCase() : 'usual'));
  return `log level ${was} to ${is}`;
}

/** A model of our own by its last part. */
function shortModel(model: JsonValue): JsonValue {
  return typeof model === 'string' ? (canonicalModel(model) ?? model).replace(/^core:builtin:/, '') : model;
}

/** `added enc_a, enc_b; removed old; changed limit` */
export function listWords({ added, removed, changed, following }: ListChange): string {
  const names = (verb: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`${verb} ${counted(items.map(cut), MAX_ITEMS, (left) => `${left} more`)}`];
  const renamed = following.map(({ before, after }) => `${shortOf(before)} → ${shortOf(after)}`);
  const words = [
    ...renamed,
    ...names('added', added),
    ...names('removed', removed),
    ...names(
      'changed',
      changed.map(({ name }) => name),
    ),
  ];
  return words.length === 0 ? 'another order' : words.join('; ');
}

/** A value in a sentence: simple words without quotes, the size of an object or list, a long text cut. */
export function valueWords(value: JsonValue | undefined): string {
  if (typeof value === 'string') return cut(/^\S+$/.test(value) ? value : JSON.stringify(value));
  return sizeWords(value) ?? cut(JSON.stringify(value) ?? 'none');
}

/** `one → other`: the short names of a renamed resource. */
export function renameWords({ from, to }: { readonly from: string; readonly to: string }): string {
  return `${shortOf(from)} → ${shortOf(to)}`;
}

/**
 * The summary of a change that only renames: `bench → desk, 2 references follow`, `3 renamed`.
 * @param references how many places take over a new name
 */
export function renamesSummary(
  renames: readonly { readonly from: string; readonly to: string }[],
  references: number,
): string {
  const names = renames.length > MAX_CHANGES ? `${renames.length} renamed` : renames.map(renameWords).join(', ');
  if (references === 0) return names;
  return `${names}, ${references} ${references === 1 ? 'reference follows' : 'references follow'}`;
}

/** What a renamed resource's own change says: `settings unchanged`, or what else changed in it. */
export function renamedReason(changes: readonly ValueChange[]): string {
  return changes.length === 0 ? 'settings unchanged' : changesWords(changes);
}

function bothWords(before: JsonValue, after: JsonValue): string {
  const [was, is] = [valueWords(before), valueWords(after)];
  if (was !== is) return `${was} to ${is}`;
  // "16" and 16, or two long texts whose beginnings are equal.
  const [wasJson, isJson] = [before, after].map((value) => sizeWords(value) ?? cut(JSON.stringify(value)));
  return wasJson === isJson ? 'changed' : `${wasJson} to ${isJson}`;
}

/** `3 items`, `2 keys`, `empty`; undefined for other values. */
function sizeWords(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const count = Object.keys(value).length;
  if (count === 0) return 'empty';
  const noun = isJsonObject(value) ? 'key' : 'item';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A long text with its length instead of its end. */
export function cut(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  // Half of a character of two units would show as a question mark.
  const start = text.slice(0, LONGEST_VALUE).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}… (${text.length} characters)`;
}

function worded(path: string, words: string): string {
  return path === '' ? words : `${path} ${words}`;
}

function counted(words: readonly string[], most: number, rest: (left: number) => string): string {
  const left = words.length - most;
  return left > 0 ? `${words.slice(0, most).join(', ')} and ${rest(left)}` : words.join(', ');
}

function shortOf(name: JsonValue | undefined): string {
  return typeof name === 'string' ? shortNameOf(name) : '';
}
