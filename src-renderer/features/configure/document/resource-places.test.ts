import { describe, expect, it } from 'vitest';
import { resourcePlaces } from './resource-places.ts';

const text = `{
  "components": [
    { "name": "bench", "model": "fake" },
    { "name": "left", "model": "gpio" },
    7
  ],
  "services": [{ "name": "capture" }]
}`;

describe('the places of resources in a text', () => {
  it('are those of all entries, also if the text has a syntax error further down', () => {
    const broken = `${text.slice(0, text.indexOf('"services"'))}"services": [{ "name": `;
    for (const [each, last] of [
      [text, 'capture'],
      [broken, undefined],
    ] as const) {
      const places = resourcePlaces(each);
      expect(places.map(({ name }) => name)).toEqual(['bench', 'left', undefined, last]);
      const left = places[1];
      expect(left && each.slice(left.from, left.to)).toBe('{ "name": "left", "model": "gpio" }');
    }
  });

  it.each(['', '[]', '{"components": 4}'])('are none in %j', (each) => {
    expect(resourcePlaces(each)).toEqual([]);
  });
});
