import { inject, type App, type InjectionKey } from 'vue';
import { createI18n, useI18n } from 'vue-i18n';
import { en, type Messages } from '../app/messages/en.ts';

/** Every dotted path to a string of the catalogue. */
type PathOf<Node, Prefix extends string = ''> = {
  [Key in keyof Node & string]: Node[Key] extends string ? `${Prefix}${Key}` : PathOf<Node[Key], `${Prefix}${Key}.`>;
}[keyof Node & string];

export type MessageKey = PathOf<Messages>;

/** A sentence of the catalogue, by a key that the compiler checks. */
export type Text = (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string;

/**
 * The catalogue for a language. English is the only one; another is a file
 * beside `en.ts` with the same keys.
 */
export function createTexts() {
  return createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages: { en } });
}

/** The catalogue outside of a component: tests, stores. */
export function textOf(i18n: ReturnType<typeof createTexts>): Text {
  return (key, values = {}) => translate(i18n.global.t, key, values);
}

/** The catalogue in a component. */
export function useText(): Text {
  const { t } = useI18n();
  return (key, values = {}) => translate(t, key, values);
}

const textKey: InjectionKey<Text> = Symbol('text');

/** Gives an app the catalogue: its components by `useText`, its stores by `useAppText`. */
export function installTexts(app: App): void {
  const texts = createTexts();
  app.use(texts);
  app.provide(textKey, textOf(texts));
}

/** The catalogue in a store. */
export function useAppText(): Text {
  const text = inject(textKey);
  if (text === undefined) throw new Error('No catalogue is provided: installTexts gives an app one.');
  return text;
}

/** `count` chooses between the forms of a sentence (`one | many`, `none | one | many`). */
function translate(
  t: (key: string, named: Record<string, unknown>, plural: number) => string,
  key: MessageKey,
  values: Readonly<Record<string, string | number>>,
): string {
  const count = values['count'];
  return t(key, { ...values }, typeof count === 'number' ? count : 1);
}
