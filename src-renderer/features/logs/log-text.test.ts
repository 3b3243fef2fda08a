import { describe, expect, it } from 'vitest';
import { logLine } from './feed/log-line.fixture.ts';
import { lineAs, markedIn, partsOf, prettyFields, unfolded } from './log-text.ts';

describe('a line as text', () => {
  const line = logLine(7, { message: 'two\nlines', fields: '{"rpm":60}', level: 'warn', at: 0 });

  it('is the same as the machine writes with -log-file', () => {
    expect(lineAs('log', line)).toBe('1970-01-01T00:00:00.000Z\tWARN\tcore.web\ttwo\n\tlines\t{"rpm":60}\n');
  });

  it('is one JSON object per line', () => {
    const text = lineAs('jsonl', { ...line, repeats: 3, firstAt: 0 });
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(text)).toEqual({
      seq: 7,
      time: '1970-01-01T00:00:00.000Z',
      level: 'warn',
      logger: 'core.web',
      message: 'two\nlines',
      fields: { rpm: 60 },
      repeatCount: 3,
      firstTime: '1970-01-01T00:00:00.000Z',
    });
  });

  it('can have its fields on several lines', () => {
    expect(prettyFields('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });
});

describe('a message', () => {
  it('is split into names of resources and other text', () => {
    expect(partsOf('core:component:motor/left waits for acme:service:vision/eye-2.')).toEqual([
      { text: 'core:component:motor/left', isResource: true },
      { text: ' waits for ', isResource: false },
      { text: 'acme:service:vision/eye-2', isResource: true },
      { text: '.', isResource: false },
    ]);
    expect(partsOf('at 10:42:07 on host:8080/path')).toHaveLength(1);
    expect(partsOf('')).toEqual([{ text: '', isResource: false }]);
  });

  it('is marked at the searched words, ignoring case', () => {
    expect(markedIn('Pump, pump', 'PUMP').map(({ text, isMarked }) => (isMarked ? `<${text}>` : text))).toEqual([
      '<Pump>',
      ', ',
      '<pump>',
    ]);
    expect(markedIn('pump', '')).toEqual([{ text: 'pump', isMarked: false }]);
  });

  it('of repeated lines gives the message of one of them', () => {
    expect(unfolded('(100 times in the past 10 s) again')).toBe('again');
    expect(unfolded('(logged 3 times within 10 s, folding further repeats) again')).toBe('again');
    expect(unfolded('(1) again')).toBe('(1) again');
  });
});
