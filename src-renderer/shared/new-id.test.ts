import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('is a UUID of version 4 in lower case, which is what a box of labels needs, and is new each time', () => {
  const ids = Array.from({ length: 1_000 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
