import { describe, expect, it } from 'vitest';
import { unsavedFrom } from './unsaved-labels.ts';

describe('unsaved labels that are stored in the browser', () => {
  const box = { id: 'a', label: 'screw', edges: { left: 0, top: 0, right: 1, bottom: 1 } };
  const change = { put: [box], remove: ['b'], addTags: ['good'], removeTags: [] };

  it('are read as they were written', () => {
    expect(unsavedFrom(JSON.stringify([['one', change]]))).toEqual(new Map([['one', change]]));
  });

  it('are left out where they are invalid', () => {
    const wrong = [
      ['one', { ...change, put: [{ ...box, edges: null }] }],
      ['one', { ...change, put: [{ ...box, label: 1 }] }],
      ['one', { ...change, addTags: 'good' }],
      ['one', null],
      [1, change],
      'one',
    ];
    expect(unsavedFrom(JSON.stringify([...wrong, ['two', change]]))).toEqual(new Map([['two', change]]));
    for (const text of [null, '', '{', '{}', '3']) expect(unsavedFrom(text)).toEqual(new Map());
  });
});
