import { inject, type App, type InjectionKey } from 'vue';
import { en, type Messages } from '../app/messages/en.ts';

/** Every dotted path to a string of the catalogue. */
type PathOf<Node, Prefix extends string = ''> = {
  [Key in keyof Node & string]: Node[Key] extends string ? `${Prefix}${Key}` : PathOf<Node[Key], `${Prefix}${Key}.`>;
}[keyof Node & string];

export type MessageKey = PathOf<Messages>;

/** A sentence of the catalogue, or of sentences that go with it, by a key that the compiler checks. */
export type Text<Own extends Branch = NoMessages> = (key: MessageKey | PathOf<Own>, values?: Values) => string;

type NoMessages = Readonly<Record<never, string>>;

type Values = Readonly<Record<string, string | number>>;

/** The branches of a catalogue: sentences by their names. */
export type Branch = { readonly [key: string]: string | Branch };

/** A form of a sentence: words and, at each odd index, the name of what stands between them. */
type Form = readonly string[];

/**
 * The sentences of a catalogue with their values in them. English is the only catalogue; another is a file beside
 * `en.ts` with the same keys. A sentence is taken apart when it is first asked for: lists ask for the same one hundreds
 * of times a key.
 */
export function createTexts(catalogue: Branch = en): Text {
  const find = finderIn(catalogue);
  // The compiler checks keys; one that is put together from parts shows itself.
  return (key, values) => find(key, values) ?? key;
}

/** A sentence with its values; undefined for a key that is not there. */
type Find = (key: string, values?: Values) => string | undefined;

function finderIn(catalogue: Branch): Find {
  const known = new Map<string, readonly Form[]>();
  return (key, values = {}) => {
    let forms = known.get(key);
    if (forms === undefined) {
      const sentence = sentenceOf(catalogue, key);
      if (sentence === undefined) return undefined;
      forms = sentence.split('|').map((form) => form.trim().split(/\{(\w+)\}/));
      known.set(key, forms);
    }
    const form = forms[formFor(values, forms.length)] ?? [];
    return form.length === 1 ? (form[0] ?? '') : filled(form, values);
  };
}

function sentenceOf(catalogue: Branch, key: string): string | undefined {
  const found = key
    .split('.')
    .reduce<string | Branch | undefined>((at, step) => (typeof at === 'object' ? at[step] : undefined), catalogue);
  return typeof found === 'string' ? found : undefined;
}

/** `count` chooses between the forms of a sentence (`one | many`, `none | one | many`). */
function formFor(values: Values, forms: number): number {
  const { count = 1 } = values;
  const amount = typeof count === 'number' ? Math.abs(count) : 1;
  if (forms === 1) return 0;
  if (forms === 2) return amount === 0 || amount > 1 ? 1 : 0;
  return amount === 0 ? 0 : amount > 1 ? 2 : 1;
}

function filled(form: Form, values: Values): string {
  return form.map((part, index) => (index % 2 === 0 ? part : String(values[part] ?? ''))).join('');
}

const textKey: InjectionKey<Text> = Symbol('text');

/** Gives an app the catalogue: its components and stores by `useText`. */
export function installTexts(app: App): void {
  app.provide(textKey, createTexts());
}

const finders = new WeakMap<Branch, Find>();

/** The catalogue with sentences that one part of the page brings: they are loaded with it. */
export function withTexts<Own extends Branch>(t: Text, own: Own): Text<Own> {
  const find = finders.get(own) ?? finderIn(own);
  finders.set(own, find);
  return (key, values) => find(key, values) ?? t(key as MessageKey, values);
}

/** The catalogue, in a component or a store; with sentences of its own, if it has any. */
export function useText(): Text;
export function useText<Own extends Branch>(own: Own): Text<Own>;
export function useText(own?: Branch): Text {
  const text = inject(textKey);
  if (text === undefined) throw new Error('No catalogue is provided: installTexts gives an app one.');
  return own === undefined ? text : withTexts(text, own);
}
