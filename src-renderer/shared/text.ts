import { inject, type App, type InjectionKey } from 'vue';
import { en, type Messages } from '../app/messages/en.ts';

/** Every dotted path to a string of the catalogue. */
type PathOf<Node, Prefix extends string = ''> = {
  [Key in keyof Node & string]: Node[Key] extends string ? `${Prefix}${Key}` : PathOf<Node[Key], `${Prefix}${Key}.`>;
}[keyof Node & string];

export type MessageKey = PathOf<Messages>;

/** Returns a message of the catalogue, or of the added messages `Own`, by a key that the compiler checks. */
export type Text<Own extends Branch = NoMessages> = (key: MessageKey | PathOf<Own>, values?: Values) => string;

type NoMessages = Readonly<Record<never, string>>;

type Values = Readonly<Record<string, string | number>>;

/** A branch of a catalogue: messages by name. */
export type Branch = { readonly [key: string]: string | Branch };

/** One plural form of a message: texts and, at each odd index, the name of a value between them. */
type Form = readonly string[];

/**
 * Makes the function that returns the messages of a catalogue with their values filled in. English is the only
 * catalogue; another would be a file beside `en.ts` with the same keys. A message is parsed at its first use, because
 * lists use the same one hundreds of times.
 */
export function createTexts(catalogue: Branch = en): Text {
  const find = finderIn(catalogue);
  // The compiler checks keys; a key built at run time that does not exist is shown itself.
  return (key, values) => find(key, values) ?? key;
}

/** Returns a message with its values, or undefined for an unknown key. */
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

/** `count` selects the form of a message (`one | many`, `none | one | many`). */
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

/** Provides the catalogue to the components and stores of an app; they get it with `useText`. */
export function installTexts(app: App): void {
  app.provide(textKey, createTexts());
}

const finders = new WeakMap<Branch, Find>();

/** The catalogue plus the messages of one part of the page, which are loaded with that part. */
export function withTexts<Own extends Branch>(t: Text, own: Own): Text<Own> {
  const find = finders.get(own) ?? finderIn(own);
  finders.set(own, find);
  return (key, values) => find(key, values) ?? t(key as MessageKey, values);
}

/** The catalogue, in a component or a store; with messages of its own, if it has any. */
export function useText(): Text;
export function useText<Own extends Branch>(own: Own): Text<Own>;
export function useText(own?: Branch): Text {
  const text = inject(textKey);
  if (text === undefined) throw new Error('No catalogue is provided: installTexts gives an app one.');
  return own === undefined ? text : withTexts(text, own);
}
