import { expect, it } from 'vitest';
import { createTexts } from '../../../shared/text.ts';
import { fieldOptions, lastReadingOf } from './last-reading.ts';

const t = createTexts();
const last = lastReadingOf({
  at: 5,
  requestedAt: undefined,
  tags: [],
  payload: { readings: { cpu: 51, room: { 'a.b': 'on' }, list: [1, { x: 2 }], gone: null, door: false } },
});

it('offers the fields of the last reading that can be compared, with their values', () => {
  expect(fieldOptions(last, ['cpu'], t).map(({ value, detail }) => [value, detail])).toEqual([
    ['cpu', '51'],
    ['room["a.b"]', '“on”'],
    ['door', 'false'],
  ]);
});

it('offers the single value of a reading if that is compared', () => {
  expect(fieldOptions(undefined, [], t)).toEqual([{ value: '', label: 'the only value' }]);
  expect(fieldOptions(undefined, undefined, t)).toEqual([]);
});
