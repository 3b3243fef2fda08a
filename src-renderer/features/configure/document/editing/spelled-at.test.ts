import { expect, it } from 'vitest';
import { spelledAt } from './spelled-at.ts';

it('gives a value as written, without the indentation of its place', () => {
  const text = '{\n  "a": [\n    {\n      "b": 1.50\n    }\n  ]\n}\n';
  expect(spelledAt(text, ['a', 0])).toBe('{\n  "b": 1.50\n}');
  expect(spelledAt(text, ['a', 0, 'b'])).toBe('1.50');
  expect(spelledAt(text, ['a', 1])).toBe('');
});
