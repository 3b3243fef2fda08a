import { describe, expect, it } from 'vitest';
import { createTexts, type MessageKey } from '../../shared/text.ts';
import { en } from './en.ts';

type Branch = { readonly [key: string]: string | Branch };

function sentencesOf(branch: Branch, prefix: string): (readonly [string, string])[] {
  return Object.entries(branch).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${prefix}${key}`, value] as const] : sentencesOf(value, `${prefix}${key}.`),
  );
}

const sources = import.meta.glob<string>(
  ['../../**/*.vue', '../../**/*.ts', '!../../**/*.test.ts', '!./en.ts', '!../../**/messages.ts'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

/** Sentences that are loaded with a card. */
const ofCards = import.meta.glob<Readonly<Record<string, Branch>>>('../../features/control/*/**/messages.ts', {
  eager: true,
});
const catalogue: Branch = Object.fromEntries([
  ...Object.entries(en),
  ...Object.values(ofCards).flatMap((file) => Object.values(file).flatMap((branch) => Object.entries(branch))),
]);

describe('the catalogue', () => {
  it('holds sentences that all compile, with their places filled in', () => {
    const t = createTexts(catalogue);
    for (const [key, sentence] of sentencesOf(catalogue, '')) {
      const places = [...sentence.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
      const shown = t(key as MessageKey, Object.fromEntries(places.map((place) => [place, 'x'])));
      expect(shown, key).not.toMatch(/[{}|]/);
      expect(shown, key).not.toBe('');
    }
  });

  it('holds no sentence that nothing shows', () => {
    const source = Object.values(sources).join('\n');
    const quoted = new Set([...source.matchAll(/'([\w.]+)'/g)].map(([, text]) => text));
    const computedKeys = [...source.matchAll(/[`(]`?([\w.]+\.)\$\{[^}]+\}(\.\w+)?`/g)].map(
      (match) =>
        new RegExp(`^${(match[1] ?? '').replaceAll('.', '\\.')}\\w+${(match[2] ?? '').replaceAll('.', '\\.')}$`),
    );
    const unused = sentencesOf(catalogue, '')
      .map(([key]) => key)
      .filter((key) => !quoted.has(key) && !computedKeys.some((pattern) => pattern.test(key)));
    expect(unused).toEqual([]);
  });
});
