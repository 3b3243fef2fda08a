import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ManualClock } from '../../../base/clock.ts';
import { OutputRateLimit, LINE_BURST, LINES_PER_S } from './output-rate-limit.ts';
import { levelOf, readLine, withoutColours, type ReadLine } from './line-level.ts';
import { LineSplitter, LONGEST_LINE_BYTES } from './line-splitter.ts';
import { secretMask } from './secret-mask.ts';
import { StackTraceJoiner } from './stack-trace-joiner.ts';

function split(chunks: readonly Buffer[]): { lines: string[]; cut: number } {
  const lines: string[] = [];
  let cut = 0;
  const splitter = new LineSplitter(
    () => true,
    (line, isCut) => {
      lines.push(line.toString('utf8'));
      if (isCut) cut++;
    },
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, cut };
}

describe('lines', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(20)), (texts, cuts) => {
        const lines = texts.map((text) => text.replace(/[\r\n]/g, ''));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
        chunks.push(bytes.subarray(at));
        expect(split(chunks).lines).toEqual(lines);
      }),
    );
  });

  it('may end with carriage returns, and the last without an end', () => {
    expect(split([Buffer.from('a\r\nb\r'), Buffer.from('\nc')]).lines).toEqual(['a', 'b', 'c']);
  });

  it('of any length are read on, and cut where they are too long', () => {
    const chunk = Buffer.alloc(100_000, 'x');
    const { lines, cut } = split([chunk, chunk, Buffer.from('\nnext\n'), chunk, Buffer.from('\n')]);
    expect(lines.map((line) => line.length)).toEqual([LONGEST_LINE_BYTES, 4, LONGEST_LINE_BYTES]);
    expect(cut).toBe(2);
  });
});

describe('the level of a line', () => {
  it.each([
    ['INFO it turns', 'info'],
    ['[warn] low battery', 'warn'],
    ['<Error> none', 'error'],
    ['WARNING:root:no pin', 'warn'],
    ['error: no such file', 'error'],
    ['E0102 15:04:05.678901 1234 arm.cc:12] stuck', 'error'],
    ['I0102 15:04:05.678901 1234 arm.cc:12] fine', 'info'],
    ['motor.left - DEBUG - step 3', 'debug'],
    ['2026-01-02 03:04:05,678 - motor.left - WARNING - step 3', 'warn'],
    ['2026-01-02T03:04:05.678Z\tINFO\tmotors\tmodule.go:12\tready', 'info'],
    ['2026/01/02 03:04:05 ERROR: it broke', 'error'],
    ['[03:04:05.678] DEBUG (12): ready', 'debug'],
    ['time=2026-01-02T03:04:05Z level=warning msg="low"', 'warn'],
    ['CRITICAL | all is lost', 'error'],
    ['error handling is on', undefined],
    ['Info about the motor', undefined],
    ['the INFO of it', undefined],
    ['INFORMATIVE words', undefined],
    ['', undefined],
  ])('%s: %s', (line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  it('is found behind colours, which are left out', () => {
    const line = withoutColours('2026-11-22 13:02:15,206\t\t\u001b[33;36mWARNING\u001b[0m\tviam.rpc.server\tlow');
    expect(line).toBe('2026-11-22 13:02:15,206\t\tWARNING\tviam.rpc.server\tlow');
    expect(levelOf(line)).toBe('warn');
    expect(withoutColours('50 % [of] it')).toBe('50 % [of] it');
  });

  it.each<[string, ReadLine]>([
    ['{"level":"warn","msg":"low","pin":7}', { level: 'warn', message: 'low', fields: { pin: 7 } }],
    ['{"level":30,"message":"ok"}', { level: 'info', message: 'ok', fields: {} }],
    ['{"severity":"CRITICAL","text":"x"}', { level: 'error', message: 'x', fields: {} }],
    ['{"msg":"no level"}', { level: 'error', message: 'no level', fields: {} }],
    ['{"a":1}', { level: 'error', message: '{"a":1}', fields: {} }],
    ['{ not json }', { level: 'error', message: '{ not json }', fields: {} }],
  ])('of JSON: %s', (line, read) => {
    expect(readLine(line, 'error')).toEqual(read);
  });

  it('is found in bounded time, whatever the line', () => {
    const lines = [
      '-'.repeat(60_000),
      ' - '.repeat(20_000),
      '2'.repeat(60_000),
      '[['.repeat(30_000),
      'a - '.repeat(15_000),
    ];
    for (const line of lines) expect(levelOf(line)).toBeUndefined();
  });
});

describe('traces', () => {
  function join(lines: readonly string[]): ReadLine[] {
    const entries: ReadLine[] = [];
    const joiner = new StackTraceJoiner(new ManualClock(), 'error', (entry) => entries.push(entry));
    for (const line of lines) joiner.push(line);
    joiner.flush();
    return entries;
  }

  const python = [
    'Traceback (most recent call last):',
    '  File "a.py", line 1, in <module>',
    "KeyError: 'pin'",
    '',
    'During handling of the above exception, another exception occurred:',
    '',
    'Traceback (most recent call last):',
    '  File "b.py", line 1, in <module>',
    'ValueError: no pin',
  ];

  it.each([
    ['Python, with a cause', python],
    ['JavaScript', ['TypeError: x is not a function', '    at f (a.js:1:2)', '    at g (b.js:1:2)']],
    ['Java', ['java.lang.Exception: no', '\tat A.b(A.java:1)', 'Caused by: B: x', '\t... 12 more']],
    ['Go', ['panic: no pin', '', 'goroutine 1 [running]:', 'main.main()', '\t/a.go:12 +0x1d', 'exit status 2']],
  ])('of %s are one entry', (_title, lines) => {
    expect(join(lines).map(({ message, level }) => [message, level])).toEqual([[lines.join('\n'), 'error']]);
  });

  it('end where other lines begin, and belong to the line that tells of them', () => {
    const entries = join(['INFO a', 'ERROR:root:it failed', ...python, 'INFO b', '   c']);
    expect(entries.map(({ level, message }) => [level, message.split('\n').length])).toEqual([
      ['info', 1],
      ['error', 1 + python.length],
      ['info', 2],
    ]);
  });

  it('are not waited for without end, nor kept without bounds', () => {
    const clock = new ManualClock();
    const entries: ReadLine[] = [];
    const joiner = new StackTraceJoiner(clock, 'info', (entry) => entries.push(entry));
    joiner.push('alone');
    clock.advance(50);
    expect(entries).toHaveLength(1);
    for (let line = 0; line < 1_000; line++) joiner.push(`  ${line}`);
    expect(entries.length).toBeGreaterThan(4);
  });
});

describe('a flood', () => {
  it('is let through by its burst and then by its rate; what is left out is told of', () => {
    const clock = new ManualClock();
    const dropped: number[] = [];
    const limit = new OutputRateLimit(clock, (lines) => dropped.push(lines));
    let taken = 0;
    for (let turn = 0; turn < 100; turn++) {
      for (let line = 0; line < 1_000; line++) if (limit.take()) taken++;
      clock.advance(100);
    }
    limit.end();
    expect(taken).toBeLessThanOrEqual(LINE_BURST + 10 * LINES_PER_S);
    expect(taken + dropped.reduce((sum, lines) => sum + lines, 0)).toBe(100_000);
    expect(dropped.length).toBeLessThanOrEqual(3);
  });

  it('costs nothing at rest', () => {
    const clock = new ManualClock();
    const limit = new OutputRateLimit(clock, () => undefined);
    limit.take();
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });
});

describe('secrets', () => {
  it('are hidden by their value, where their variable is named like one', () => {
    const mask = secretMask({
      API_KEY: 'abcdef123',
      SVC_API_KEY_ID: 'the-id-of-it',
      DB_PASSWORD: 'abcdef',
      PIN: 'visible-7',
      T_TOKEN: 'ab',
    });
    expect(mask('abcdef123 abcdef visible-7 ab the-id-of-it')).toBe('*** *** visible-7 ab the-id-of-it');
  });
});
