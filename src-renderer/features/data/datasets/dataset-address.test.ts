import { expect, it } from 'vitest';
import { addressOfFilter, everyPicture, filterOfAddress, isEveryPicture } from './dataset-address.ts';

it('a filter of pictures is kept in the address, and what is none there restricts nothing', () => {
  const filter = { labelled: 'no', tag: 'good', boxLabel: 'screw' } as const;
  expect(filterOfAddress(addressOfFilter(filter))).toEqual(filter);
  expect(addressOfFilter(everyPicture)).toEqual({});
  expect(filterOfAddress({ labelled: 'perhaps', tag: ['a', 'b'], box: null })).toEqual({ ...everyPicture, tag: 'a' });
  expect([isEveryPicture(everyPicture), isEveryPicture(filter)]).toEqual([true, false]);
});
