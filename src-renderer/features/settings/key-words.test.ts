import { describe, expect, it } from 'vitest';
import type { RoleView } from '../../shared/machine/fleet-view.ts';
import { createTexts } from '../../shared/text.ts';
import { rolesWords } from './key-words.ts';

const names = new Map([
  ['org', 'Ours'],
  ['lab', 'Lab 2'],
  ['m', 'bench-04'],
]);
const words = (...roles: RoleView[]): string => rolesWords(roles, ({ id }) => names.get(id), createTexts());

describe('what a key may do, in words', () => {
  it.each([
    [[{ role: 'owner', kind: 'organization', id: 'org' }], 'may do everything in Ours'],
    [[{ role: 'owner', kind: 'location', id: 'lab' }], 'may do everything in Lab 2'],
    [[{ role: 'owner', kind: 'machine', id: 'm' }], 'may do everything with bench-04'],
    [[{ role: 'operator', kind: 'location', id: 'lab' }], 'may move and read machines in Lab 2, and change nothing'],
    [[{ role: 'operator', kind: 'machine', id: 'm' }], 'may move and read bench-04, and change nothing'],
    [[{ role: 'owner', kind: 'machine', id: 'x' }], 'may do everything with something that was deleted'],
    [[], 'may do nothing any more'],
    [
      [
        { role: 'owner', kind: 'machine', id: 'm' },
        { role: 'operator', kind: 'location', id: 'lab' },
      ],
      'may do everything with bench-04; may move and read machines in Lab 2, and change nothing',
    ],
  ] as const)('%j: %s', (roles, sentence) => expect(words(...roles)).toBe(sentence));
});
