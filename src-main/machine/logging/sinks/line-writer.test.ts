import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { formatLine } from './line-format.ts';
import { LineWriter, MAX_WAITING_CHARS, type LineTarget } from './line-writer.ts';
import type { LogEntry } from '../log-entry.ts';

function entry(message: string, overrides: Partial<LogEntry> = {}): LogEntry {
  return {
    seq: 1,
    time: 0,
    level: 'info',
    logger: 'core.web',
    message,
    fields: {},
    resource: undefined,
    caller: undefined,
    repeatCount: 1,
    firstTime: undefined,
    ...overrides,
  };
}

class TargetFixture implements LineTarget {
  readonly written: string[] = [];
  readonly writtenSync: string[] = [];
  failure: Error | undefined;
  /** While set, writes wait for it. */
  gate: Promise<void> | undefined;
  isClosed = false;

  async write(text: string): Promise<void> {
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    this.written.push(text);
  }

  writeSync(text: string): void {
    if (this.failure !== undefined) throw this.failure;
    this.writtenSync.push(text);
  }

  close(): void {
    this.isClosed = true;
  }
}

function setUp() {
  const target = new TargetFixture();
  const troubles: string[] = [];
  const writer = new LineWriter('the console', target, (message) => void troubles.push(message), formatLine);
  return { target, troubles, writer };
}

describe('a line', () => {
  it('has time in UTC with milliseconds, level, logger, message and fields, separated by tabs', () => {
    expect(formatLine(entry('up', { level: 'warn', fields: { port: 8080 }, caller: 'web/port.ts:3' }))).toBe(
      '1970-01-01T00:00:00.000Z\tWARN\tcore.web\tup\t{"port":8080,"caller":"web/port.ts:3"}\n',
    );
    expect(formatLine(entry('up'))).toBe('1970-01-01T00:00:00.000Z\tINFO\tcore.web\tup\n');
  });

  it('cannot be forged or made to steer the terminal by what is logged', () => {
    expect(formatLine(entry('a\n1970-01-01T00:00:00.000Z\tERROR\u001b[2J\r'))).toBe(
      '1970-01-01T00:00:00.000Z\tINFO\tcore.web\ta\n\t1970-01-01T00:00:00.000Z\tERROR\\u001b[2J\\u000d\n',
    );
  });
});

describe('a line writer', () => {
  it('keeps the order and writes together what came while it was busy', async () => {
    const { target, writer } = setUp();
    for (const text of ['a', 'b', 'c']) writer.write(entry(text));
    await writer.drained();
    const lines = target.written.join('').split('\n').slice(0, -1);
    expect(lines.map((line) => line.at(-1))).toEqual(['a', 'b', 'c']);
    expect(target.written).toHaveLength(2);
  });

  it('survives a medium that fails: one report, and the number of missing lines when it works again', async () => {
    const { target, troubles, writer } = setUp();
    target.failure = new Error('no space left on device');
    for (let index = 0; index < 5; index++) {
      writer.write(entry('x'));
      await writer.drained();
    }
    expect(troubles).toEqual(['Log lines for the console are being lost: no space left on device.']);
    expect(writer.lostLines).toBe(5);
    target.failure = undefined;
    writer.write(entry('y'));
    await writer.drained();
    expect(troubles.at(-1)).toBe('Logging to the console works again; 5 lines are missing from it.');
    expect(target.written.join('')).toMatch(/y\n$/);
  });

  it('drops lines rather than hold up the program or fill its memory behind a medium that hangs', async () => {
    const { target, troubles, writer } = setUp();
    let open = (): void => undefined;
    target.gate = new Promise((resolve) => {
      open = resolve;
    });
    const long = entry('x'.repeat(100_000));
    const count = Math.ceil(MAX_WAITING_CHARS / 100_000) + 10;
    for (let index = 0; index < count; index++) writer.write(long);
    expect(troubles).toEqual(['Log lines for the console are being lost: it takes lines too slowly.']);
    expect(writer.lostLines).toBeGreaterThan(0);
    open();
    await writer.drained();
    expect(writer.lostLines).toBe(0);
  });

  it('writes everything at once for the last words, the write under way included', () => {
    const { target, writer } = setUp();
    target.gate = new Promise(() => undefined);
    writer.write(entry('under way'));
    writer.write(entry('waiting'));
    writer.flushSync();
    expect(target.writtenSync.join('')).toMatch(/under way\n.*waiting\n$/);
  });

  it('writes what is pending before it closes', async () => {
    const { target, writer } = setUp();
    writer.write(entry('a'));
    writer.write(entry('b'));
    await writer.close();
    expect(target.written.join('')).toMatch(/b\n$/);
    expect(target.isClosed).toBe(true);
  });
});

describe('gathering', () => {
  const gathered = () => {
    const target = new TargetFixture();
    const clock = new ManualClock();
    const writer = new LineWriter(
      'the log',
      target,
      () => undefined,
      ({ message }) => `${message}\n`,
      { clock, ms: 250, firstMs: 1_000 },
    );
    return { target, clock, writer };
  };

  it('begins after its first wait, with what came meanwhile', async () => {
    const { target, clock, writer } = gathered();
    writer.write(entry('one'));
    clock.advance(999);
    writer.write(entry('two'));
    expect(target.written).toEqual([]);
    clock.advance(1);
    await writer.drained();
    expect(target.written).toEqual(['one\ntwo\n']);
  });

  it('writes what comes after a while at once, and together what comes soon after it', async () => {
    const { target, clock, writer } = gathered();
    writer.write(entry('one'));
    await writer.drained();
    writer.write(entry('two'));
    clock.advance(200);
    writer.write(entry('three'));
    expect(target.written).toEqual(['one\n']);
    clock.advance(50);
    await writer.drained();
    expect(target.written).toEqual(['one\n', 'two\nthree\n']);
  });

  it('ends when somebody waits for what is written, when there is much, and with last words', async () => {
    const { target, writer } = gathered();
    writer.write(entry('one'));
    await writer.drained();
    expect(target.written).toEqual(['one\n']);
    const large = 'x'.repeat(200_000);
    writer.write(entry('two'));
    writer.write(entry(large));
    await writer.drained();
    expect(target.written).toEqual(['one\n', `two\n${large}\n`]);
    writer.write(entry('three'));
    writer.flushSync();
    await writer.close();
    expect(target.writtenSync).toEqual(['three\n']);
    expect(target.written).toHaveLength(2);
  });
});
