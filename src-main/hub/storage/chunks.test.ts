import { expect, it } from 'vitest';
import { chunksOf } from './chunks.ts';

it('keeps the items and their order, and no chunk is larger than a statement allows', () => {
  for (const count of [0, 1, 500, 501, 1_250]) {
    const items = Array.from({ length: count }, (_, index) => index);
    const chunks = chunksOf(items);
    expect(chunks.flat()).toEqual(items);
    expect(chunks.every(({ length }) => length > 0 && length <= 500)).toBe(true);
  }
});
