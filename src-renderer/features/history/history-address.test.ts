import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, criteriaOf, readAddress } from './history-address.ts';

describe('the address of the history', () => {
  it('gives back every place that was written into it', () => {
    const number = fc.integer({ min: 1, max: 9_999_999_999 });
    const place = fc.record({
      search: fc.string(),
      isTagged: fc.boolean(),
      version: fc.option(number, { nil: undefined }),
      with: fc.option(fc.oneof(number, fc.constantFrom('now' as const, 'draft' as const)), { nil: undefined }),
      isText: fc.boolean(),
    });
    fc.assert(
      fc.property(place, (written) => {
        expect(readAddress(addressOf(written))).toEqual(written);
      }),
    );
  });

  it('ignores values that are not valid', () => {
    expect(readAddress({ version: '-1', with: 'x', view: 'y' })).toEqual({
      search: '',
      isTagged: false,
      version: undefined,
      with: undefined,
      isText: false,
    });
  });
});

describe('a search', () => {
  it.each([
    ['gear box', { text: 'gear box', resource: '' }],
    ['resource:left', { text: '', resource: 'left' }],
    ['new  resource:core:component:motor/left gear', { text: 'new gear', resource: 'core:component:motor/left' }],
    ['Resource:left', { text: '', resource: 'left' }],
    ['resource: left', { text: 'left', resource: '' }],
  ])('%j', (search, found) => {
    expect(criteriaOf({ search, isTagged: true })).toEqual({ ...found, isTagged: true });
  });
});
