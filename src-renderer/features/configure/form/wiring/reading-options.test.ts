import { describe, expect, it } from 'vitest';
import { createTexts } from '../../../../shared/text.ts';
import { readingNow, readingOptions } from './reading-options.ts';

const text = createTexts();
const readings = { celsius: 21.5, closed: false, lifted: true, words: 'x'.repeat(100) };

describe('readings to pick from', () => {
  it('are offered with their values, booleans first', () => {
    expect(readingOptions(readings, text)).toEqual([
      { value: 'closed', label: 'closed', detail: 'is false now' },
      { value: 'lifted', label: 'lifted', detail: 'is true now' },
      { value: 'celsius', label: 'celsius', detail: 'is 21.5, neither true nor false' },
      { value: 'words', label: 'words', detail: `is "${'x'.repeat(28)}…, neither true nor false` },
    ]);
  });

  it.each([
    ['closed', 'Now it is false: updates wait.'],
    ['lifted', 'Now it is true: maintenance is allowed.'],
    ['celsius', 'Now it is 21.5: updates wait.'],
    ['Closed', 'door has no such reading now: updates wait.'],
    ['constructor', 'door has no such reading now: updates wait.'],
    ['', ''],
  ])('say what they mean now: %s', (key, words) => {
    expect(readingNow(readings, key, 'door', text)).toBe(words);
  });
});
