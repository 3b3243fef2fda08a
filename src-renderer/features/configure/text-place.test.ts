import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findResource, offsetOf, resourceAt, resourceOfPointer } from './text-place.ts';

const text = `{
  "components": [
    { "name": "bench", "model": "fake" },
    { "name": "left", "model": "gpio" }
  ],
  "services": [{ "name": "capture" }]
}`;

describe('places in a text', () => {
  it('finds line and column from 1, and stays inside the line and the text', () => {
    expect(text.slice(offsetOf(text, 3, 7)).startsWith('"name": "bench"')).toBe(true);
    expect(offsetOf(text, 1, 99)).toBe(1);
    expect(offsetOf(text, 99, 1)).toBe(text.length);
    expect(offsetOf(text, 0, 0)).toBe(0);
  });

  it('gives an offset within any text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: -2, max: 50 }),
        fc.integer({ min: -2, max: 50 }),
        (any, line, column) => {
          const offset = offsetOf(any, line, column);
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(any.length);
        },
      ),
    );
  });

  it('finds a resource by name, also when the text is broken further down', () => {
    const broken = `${text.slice(0, text.indexOf('"services"'))}"services": [{ "name": `;
    const place = findResource(broken, 'left');
    expect(place && broken.slice(place.from, place.to)).toBe('{ "name": "left", "model": "gpio" }');
    expect(findResource(text, 'nobody')).toBeUndefined();
    expect(findResource('', 'left')).toBeUndefined();
  });

  it('names the resource around the cursor and of a pointer', () => {
    expect(resourceAt(text, text.indexOf('gpio'))).toBe('left');
    expect(resourceAt(text, 0)).toBeUndefined();
    expect(resourceOfPointer(text, '/components/1/attributes/max_rpm')).toBe('left');
    expect(resourceOfPointer(text, '/services/0')).toBe('capture');
    expect(resourceOfPointer(text, '/components/9')).toBeUndefined();
    expect(resourceOfPointer(text, '/network/bind_address')).toBeUndefined();
  });
});
