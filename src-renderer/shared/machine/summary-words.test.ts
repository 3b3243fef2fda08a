import { describe, expect, it } from 'vitest';
import { createTexts } from '../text.ts';
import { summaryWords } from './summary-words.ts';

const t = createTexts();

describe('what a version changed', () => {
  it('a summary that only counts gets the names', () => {
    const subjects = ['a', 'b', 'c', 'd', 'e'].map((name) => `core:component:motor/${name}`);
    expect(summaryWords({ summary: '5 added', subjects }, t)).toEqual({ what: '5 added', names: 'a, b, c, +2' });
    const [left = ''] = subjects;
    expect(summaryWords({ summary: 'left: max_rpm 1 to 2', subjects: [left] }, t)).toEqual({
      what: 'left: max_rpm 1 to 2',
      names: '',
    });
    expect(summaryWords({ summary: '', subjects: [] }, t).what).toBe('Changes unknown');
  });
});
