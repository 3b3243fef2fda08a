import { expect, it } from 'vitest';
import { addressOfFilter, everyPicture, filterOfAddress, isEveryPicture } from './dataset-address.ts';

it('a filter is read back from its address, and invalid parameters are ignored', () => {
  const filter = { labelled: 'no', tag: 'good', boxLabel: 'screw' } as const;
  expect(filterOfAddress(addressOfFilter(filter))).toEqual(filter);
  expect(addressOfFilter(everyPicture)).toEqual({});
  expect(filterOfAddress({ labelled: 'perhaps', tag: ['a', 'b'], box: null })).toEqual({ ...everyPicture, tag: 'a' });
  expect([isEveryPicture(everyPicture), isEveryPicture(filter)]).toEqual([true, false]);
});
