import { describe, expect, it } from 'vitest';
import baseText from './base.css?raw';
import tokensText from './tokens.css?raw';

/*
 * WCAG 2.2 requires 4.5 : 1 for text and 3 : 1 for the outlines of controls, for marks of state and for the focus ring,
 * in both themes. It exempts disabled elements; here they must be readable too.
 */

/** Colours of text and marks on every plain surface. */
const inks = ['ink', 'ink-2', 'ink-3', 'accent', 'ok', 'warn', 'bad', 'info', 'off'];
const surfaces = ['bg', 'panel', 'sunk'];
/** Surfaces with a meaning, and the colours of text on them. */
const tinted: Readonly<Record<string, readonly string[]>> = {
  'accent-soft': ['accent', 'ink', 'ink-2'],
  'ok-soft': ['ok', 'ink', 'ink-2'],
  'warn-soft': ['warn', 'ink', 'ink-2'],
  'bad-soft': ['bad', 'ink', 'ink-2'],
  'info-soft': ['info', 'ink', 'ink-2'],
  'off-soft': ['off', 'ink', 'ink-2'],
  accent: ['accent-ink'],
  selection: ['ink'],
  ink: ['panel'],
  stop: ['stop-ink'],
  'stop-hover': ['stop-ink'],
};
const codeInks = ['code-key', 'code-string', 'code-number', 'code-atom'];
/** Text on labels that are drawn over pictures. */
const labelInks = ['label-ink'];
const outlines = ['edge', 'accent', 'bad'];

/** Tokens of a block of the file: name -> value. */
function tokensOf(selector: RegExp): ReadonlyMap<string, string> {
  const body = selector.exec(tokensText)?.[1] ?? '';
  return new Map([...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((match) => [match[1] ?? '', match[2] ?? '']));
}

const themes = {
  light: tokensOf(/:root,\s*\[data-theme='light'\] \{([^}]+)\}/),
  dark: tokensOf(/\[data-theme='dark'\] \{([^}]+)\}/),
};

/** Relative luminance of `#rrggbb`, 0 to 1. */
function luminance(colour: string): number {
  const digits = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (digits === undefined) throw new Error(`"${colour}" is no #rrggbb colour`);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const sources = import.meta.glob<string>(['../../**/*.vue', './base.css'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

function tokensUsedAs(property: string): ReadonlySet<string> {
  const uses = new RegExp(`(?:^|[\\s;{])${property}:[^;}]*?var\\(--([\\w-]+)\\)`, 'g');
  return new Set(Object.values(sources).flatMap((text) => [...text.matchAll(uses)].map((match) => match[1] ?? '')));
}

describe.each(['light', 'dark'] as const)('contrast in the %s theme', (theme) => {
  const valueOf = (token: string): string => themes[theme].get(token) ?? `no --${token}`;
  const tooLow = (pairs: readonly (readonly [string, string])[], least: number): readonly string[] =>
    pairs.flatMap(([front, back]) => {
      const found = contrast(valueOf(front), valueOf(back));
      return found >= least ? [] : [`${front} on ${back}: ${found.toFixed(2)}`];
    });

  it('is 4.5 for text on every surface', () => {
    const pairs = [
      ...surfaces.flatMap((back) => inks.map((front) => [front, back] as const)),
      ...Object.entries(tinted).flatMap(([back, fronts]) => fronts.map((front) => [front, back] as const)),
      ...['panel', 'sunk'].flatMap((back) => codeInks.map((front) => [front, back] as const)),
    ];
    expect(tooLow(pairs, 4.5)).toEqual([]);
  });

  it('is 3 for outlines of controls, for marks and for the focus ring', () => {
    expect(
      tooLow(
        surfaces.flatMap((back) => outlines.map((front) => [front, back] as const)),
        3,
      ),
    ).toEqual([]);
  });
});

it('is 4.5 for the names of labels on their colours, which are the same in both themes', () => {
  const tokens = tokensOf(/^:root \{([^}]+)\}/m);
  const colours = [...tokens.keys()].filter((token) => /^label-\d$/.test(token));
  expect(colours).toHaveLength(8);
  const [ink = ''] = labelInks.map((token) => tokens.get(token) ?? '');
  expect(colours.filter((token) => contrast(ink, tokens.get(token) ?? '') < 4.5)).toEqual([]);
});

describe('the outlines of controls', () => {
  it.each(['button', 'field-box'])('.%s has one of the tested colours', (name) => {
    const rule = new RegExp(`\\.${name} \\{([^}]+)\\}`).exec(baseText)?.[1] ?? '';
    expect(outlines).toContain(/border: 1px solid var\(--([\w-]+)\)/.exec(rule)?.[1]);
  });
});

describe('the tested pairs', () => {
  it('cover every colour that text is drawn with', () => {
    const tested = new Set([...inks, ...codeInks, ...labelInks, ...Object.values(tinted).flat()]);
    expect([...tokensUsedAs('color')].filter((token) => !tested.has(token))).toEqual([]);
  });

  it('cover every surface', () => {
    const tested = new Set([...surfaces, ...Object.keys(tinted)]);
    /** Surfaces without text: marks, tracks, overlays. */
    const bare = ['edge', 'line', 'scrim', 'ok', 'warn', 'bad', 'info', 'ink-3', 'accent-ink', 'swatch'];
    const untested = [...tokensUsedAs('background'), ...tokensUsedAs('background-color')];
    expect(untested.filter((token) => !tested.has(token) && !bare.includes(token))).toEqual([]);
  });
});
