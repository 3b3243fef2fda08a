import { expect, it } from 'vitest';
import { fitsGlob } from './metric-glob.ts';

it.each([
  ['*', 'system.cpu.busy', true],
  ['system.*', 'system.cpu.busy', true],
  ['*.cpu', 'module.acme.cpu', true],
  ['*.cpu', 'module.acme.cpu.x', false],
  ['module.*.cpu', 'module.a.cpu.b.cpu', true],
  ['MODULE.?cme.cpu', 'module.acme.cpu', true],
  ['module.?.cpu', 'module.acme.cpu', false],
  ['', 'a', false],
  ['a', '', false],
  ['**', '', true],
  // A regular expression would take extremely long.
  [`${'a*'.repeat(50)}b`, 'a'.repeat(1_000), false],
])('%s %s: %s', (pattern, name, fits) => {
  expect(fitsGlob(pattern, name)).toBe(fits);
});
