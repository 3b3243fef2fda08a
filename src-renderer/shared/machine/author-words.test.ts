import { describe, expect, it } from 'vitest';
import { createTexts } from '../text.ts';
import { authorWords } from './author-words.ts';

const t = createTexts();

describe('who stored it', () => {
  it.each([
    ['lab-2', 'lab-2'],
    ['loopback', 'this computer'],
    ['launch-token', 'you (this computer)'],
    ['file', 'the file'],
    ['machine', 'the machine'],
    ['', 'unknown'],
    ['toString', 'toString'],
  ])('%s: %s', (author, words) => {
    expect(authorWords(author, t)).toBe(words);
  });
});
