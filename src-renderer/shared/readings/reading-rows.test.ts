import { describe, expect, it } from 'vitest';
import { readingRows, readingText } from './reading-rows.ts';

describe('the values of a reading', () => {
  it('are plain texts by name, values inside objects by path', () => {
    const rows = readingRows({
      amperes: -0.00012,
      celsius: 21.54321,
      isOpen: true,
      name: 'left',
      place: { _type: 'vector3', x: 1, inner: { y: -2 } },
      list: [1, 'a'],
      nothing: null,
    });
    expect(rows.map(({ name, value }) => `${name}=${readingText(value)}`)).toEqual([
      'amperes=−0.00012',
      'celsius=21.543',
      'isOpen=true',
      'list=[1,"a"]',
      'name=left',
      'nothing=null',
      'place.inner.y=−2',
      'place.x=1',
    ]);
  });

  it('are none where there are none', () => {
    expect(readingRows({})).toEqual([]);
  });
});
