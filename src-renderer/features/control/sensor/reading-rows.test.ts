import { describe, expect, it } from 'vitest';
import { readingRows, readingText } from './reading-rows.ts';

describe('the values of a reading', () => {
  it('are plain texts in their order, those inside objects by their path', () => {
    const rows = readingRows({
      celsius: 21.54321,
      isOpen: true,
      name: 'left',
      place: { _type: 'vector3', x: 1, inner: { y: -2 } },
      list: [1, 'a'],
      nothing: null,
    });
    expect(rows.map(({ name, value }) => `${name}=${readingText(value)}`)).toEqual([
      'celsius=21.543',
      'isOpen=true',
      'name=left',
      'place.x=1',
      'place.inner.y=−2',
      'list=[1,"a"]',
      'nothing=null',
    ]);
  });

  it('are none where there are none', () => {
    expect(readingRows({})).toEqual([]);
  });
});
