import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { MAX_KEYS, NOISY_WINDOW_MS } from './deduplicator.ts';
import { parseLogLevel, type LogEntry } from './log-entry.ts';
import { LogRegistry } from './log-registry.ts';
import { noLogSettings, type LogSettings } from './log-settings.ts';
import type { LogLevel } from '../../base/logger.ts';

const left = 'core:component:motor/left';
const right = 'core:component:motor/right';

function setUp(isDebugFlagSet = false) {
  const clock = new ManualClock();
  const logs = new LogRegistry({ clock, isDebugFlagSet, historyCapacity: 10_000, store: undefined, firstSeq: 1 });
  const entries: LogEntry[] = [];
  let flushes = 0;
  logs.addSink({
    name: 'test',
    write: (entry) => void entries.push(entry),
    flushSync: () => void flushes++,
    close: () => Promise.resolve(),
  });
  const messages = (): string[] => entries.map(({ message }) => message);
  return { clock, logs, entries, messages, flushes: () => flushes };
}

function settings(overrides: Partial<LogSettings> & { log?: [string, LogLevel][] }): LogSettings {
  const { log = [], ...rest } = overrides;
  return { ...noLogSettings, patterns: log.map(([pattern, level]) => ({ pattern, level })), ...rest };
}

describe('levels', () => {
  it('are info by default, in any case, and warning is warn', () => {
    const { logs, messages } = setUp();
    const web = logs.logger('core.web');
    web.debug('hidden');
    web.info('shown');
    expect(messages()).toEqual(['shown']);
    expect(['Debug', 'INFO', 'Warning', 'warn', 'eRRor', 'fatal'].map(parseLogLevel)).toEqual([
      'debug',
      'info',
      'warn',
      'warn',
      'error',
      undefined,
    ]);
  });

  it('change at once for loggers in use, and go back', () => {
    const { logs } = setUp();
    const motor = logs.resource(left);
    const control = motor.child('control');
    logs.apply(settings({ log: [['core.component.motor.*', 'debug']] }));
    expect([motor.isEnabled('debug'), control.isEnabled('debug')]).toEqual([true, true]);
    logs.apply(settings({ log: [['core.component.motor.*', 'error']] }));
    expect([motor.isEnabled('warn'), control.isEnabled('warn')]).toEqual([false, false]);
    logs.apply(noLogSettings);
    expect([motor.isEnabled('info'), motor.isEnabled('debug'), control.isEnabled('debug')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('of what was taken out of the configuration are forgotten, and still follow it where somebody holds them', () => {
    const { logs } = setUp();
    logs.apply(settings({ resources: new Map([[left, undefined]]), modules: new Map([['gpio', undefined]]) }));
    const held = [logs.resource(left), logs.resource(left).child('control'), logs.module('gpio')];
    const web = logs.logger('core.web');
    logs.apply(settings({ resources: new Map([[right, undefined]]) }));
    expect(logs.resource(left)).not.toBe(held[0]);
    expect(logs.module('gpio')).not.toBe(held[2]);
    expect(logs.logger('core.web')).toBe(web);
    logs.apply(settings({ log: [['*', 'error']], resources: new Map([[left, 'debug']]) }));
    expect(held.map((logger) => logger?.isEnabled('debug'))).toEqual([true, true, false]);
    expect(held.map((logger) => logger?.isEnabled('warn'))).toEqual([true, true, false]);
  });

  it('hold for loggers made later, and go down from parent to child', () => {
    const { logs } = setUp();
    logs.apply(settings({ log: [['core.component.motor.left', 'debug']], resources: new Map([[left, undefined]]) }));
    const motor = logs.resource(left);
    expect(motor.isEnabled('debug')).toBe(true);
    expect(motor.child('control').isEnabled('debug')).toBe(true);
    expect(logs.resource(right).isEnabled('debug')).toBe(false);
  });

  it('come from the last pattern that matches', () => {
    const { logs } = setUp();
    const motor = logs.resource(left);
    logs.apply(
      settings({
        log: [
          ['*', 'error'],
          ['core.component.*', 'debug'],
        ],
      }),
    );
    expect(motor.isEnabled('debug')).toBe(true);
    logs.apply(
      settings({
        log: [
          ['core.component.*', 'debug'],
          ['*', 'error'],
        ],
      }),
    );
    expect(motor.isEnabled('warn')).toBe(false);
  });

  it('of a log_configuration win over every pattern', () => {
    const { logs } = setUp();
    logs.apply(settings({ log: [['*', 'error']], resources: new Map([[left, 'debug']]) }));
    expect(logs.resource(left).isEnabled('debug')).toBe(true);
    expect(logs.resource(left).child('control').isEnabled('debug')).toBe(true);
    expect(logs.resource(right).isEnabled('warn')).toBe(false);
  });

  it('of a module hold for its logger', () => {
    const { logs } = setUp();
    logs.apply(settings({ modules: new Map([['gpio', 'warn']]) }));
    expect(logs.module('gpio').isEnabled('info')).toBe(false);
    expect(logs.module('other').isEnabled('info')).toBe(true);
  });

  it('are all debug where the configuration says so', () => {
    const { logs } = setUp();
    logs.apply(settings({ isDebug: true, log: [['*', 'error']], resources: new Map([[left, 'error']]) }));
    expect(logs.resource(left).isEnabled('debug')).toBe(true);
  });

  it('are all debug under -debug, whatever the configuration says', () => {
    const { logs } = setUp(true);
    logs.apply(settings({ isDebug: false, log: [['*', 'error']] }));
    expect(logs.logger('core.web').isEnabled('debug')).toBe(true);
  });

  it('never silence activity', () => {
    const { logs, messages } = setUp();
    logs.apply(settings({ log: [['*', 'error']] }));
    for (let index = 0; index < 5; index++) logs.activity.child('start').info('started');
    expect(messages()).toHaveLength(5);
  });

  it('are not harmed by a pattern that is none', () => {
    const { logs } = setUp();
    logs.apply(
      settings({
        log: [
          ['core.(', 'error'],
          ['core.component.motor.*', 'debug'],
        ],
      }),
    );
    expect(logs.resource(left).isEnabled('debug')).toBe(true);
    expect(logs.resource('core:component:servo/arm').isEnabled('info')).toBe(true);
  });
});

describe('entries', () => {
  it('say when, what and about which resource, and are numbered without gaps', () => {
    const { clock, logs, entries } = setUp();
    logs.resource(left).child('control').info('on', { rpm: 60, token: 'hunter2' });
    logs.logger('core.web').info('up');
    expect(entries).toEqual([
      {
        seq: 1,
        time: clock.now(),
        level: 'info',
        logger: 'core.component.motor.left.control',
        message: 'on',
        fields: { rpm: 60, token: '***' },
        resource: left,
        caller: undefined,
        repeatCount: 1,
        firstTime: undefined,
      },
      expect.objectContaining({ seq: 2, logger: 'core.web', resource: undefined }),
    ]);
  });

  it('say where they were written on warnings and errors, and while debugging', () => {
    const { logs, entries } = setUp();
    logs.logger('core.a').info('x');
    logs.logger('core.a').warn('x');
    logs.apply(settings({ isDebug: true }));
    logs.logger('core.a').info('y');
    const here = expect.stringMatching(/^logging\/log-registry\.test\.ts:\d+$/) as string;
    expect(entries.map(({ caller }) => caller)).toEqual([undefined, here, here]);
  });

  it('do no work where nobody listens', () => {
    const { logs, entries } = setUp();
    let reads = 0;
    logs.logger('core.a').debug('x', {
      get costly() {
        reads++;
        return 1;
      },
    });
    expect([reads, entries.length]).toEqual([0, 0]);
  });

  it('from modules are kept below the module, filtered by a level only where one is set', () => {
    const { logs, entries } = setUp();
    const external = (level: LogLevel, message: string) => {
      logs.appendExternal({
        module: 'gpio',
        resource: left,
        logger: 'driver',
        level,
        time: 12_345,
        message,
        fields: { secret: 'hunter2' },
        caller: 'driver.py:3',
      });
    };
    external('debug', 'told to by its own level');
    logs.apply(settings({ modules: new Map([['gpio', 'warn']]) }));
    external('info', 'filtered');
    external('warn', 'kept');
    logs.apply(settings({ log: [['gpio', 'error']], modules: new Map([['gpio', undefined]]) }));
    external('warn', 'filtered as well');
    expect(entries).toEqual([
      expect.objectContaining({ message: 'told to by its own level' }),
      expect.objectContaining({
        message: 'kept',
        logger: 'core.modmanager.gpio.driver',
        time: 12_345,
        resource: left,
        caller: 'driver.py:3',
        fields: { secret: '***' },
      }),
    ]);
  });

  it('of a dying program reach the sinks with the summaries that were due', () => {
    const { logs, messages, flushes } = setUp();
    for (let index = 0; index < 6; index++) logs.logger('core.a').info('again');
    logs.fatal('out of memory', {});
    expect(messages().at(-1)).toBe('(6 times in the past 10 s) again');
    expect(messages()).toContain('out of memory');
    expect(flushes()).toBe(1);
  });
});

describe('repeats', () => {
  it('of a module at debug level all pass, though nothing here was told to debug', () => {
    const { logs, entries } = setUp();
    for (let index = 0; index < 6; index++) {
      for (const level of ['debug', 'info'] as const) {
        const sent = { module: 'gpio', resource: left, logger: 'driver', level, time: 0, message: level, fields: {} };
        logs.appendExternal({ ...sent, caller: undefined });
      }
    }
    expect(entries.filter(({ level }) => level === 'debug')).toHaveLength(6);
    expect(entries.filter(({ level }) => level === 'info')).toHaveLength(4);
  });

  it('the line at which folding starts says so, and the summary when the first and the latest were', () => {
    const { clock, logs, entries } = setUp();
    const startedAt = clock.now();
    for (let index = 0; index < 4; index++) {
      logs.logger('core.a').info('again');
      clock.advance(100);
    }
    expect(entries).toHaveLength(4);
    expect(entries[3]).toMatchObject({ message: expect.stringContaining('folding further repeats') as string });
    logs.logger('core.a').info('again');
    clock.advance(NOISY_WINDOW_MS);
    expect(entries.at(-1)).toMatchObject({ repeatCount: 5, firstTime: startedAt, time: startedAt + 400 });
  });

  it('three pass, the fourth is announced as noisy, the rest are dropped', () => {
    const { logs, messages } = setUp();
    const logger = logs.logger('core.a');
    for (let index = 0; index < 100; index++) logger.info('again');
    expect(messages()).toEqual([
      'again',
      'again',
      'again',
      '(logged 3 times within 10 s, folding further repeats) again',
    ]);
  });

  it('are summed up by a timer when the window ends, also where the logger has gone quiet', () => {
    const { clock, logs, entries } = setUp();
    const logger = logs.logger('core.a');
    for (let index = 0; index < 100; index++) logger.info('again', { durationMs: index });
    clock.advance(NOISY_WINDOW_MS - 1);
    expect(entries).toHaveLength(4);
    clock.advance(1);
    expect(entries.at(-1)).toMatchObject({
      message: '(100 times in the past 10 s) again',
      repeatCount: 100,
      fields: { durationMs: 99 },
    });
    expect(clock.pending).toBe(0);
    logger.info('again');
    expect(entries.at(-1)).toMatchObject({ message: 'again', repeatCount: 1 });
  });

  it('are counted in a window of their own for each message', () => {
    const { clock, logs, messages } = setUp();
    const logger = logs.logger('core.a');
    const four = (text: string) => {
      for (let index = 0; index < 4; index++) logger.info(text);
    };
    four('early');
    clock.advance(6_000);
    four('late');
    clock.advance(4_000);
    expect(messages()).toContain('(4 times in the past 10 s) early');
    expect(messages()).not.toContain('(4 times in the past 10 s) late');
    clock.advance(6_000);
    expect(messages()).toContain('(4 times in the past 10 s) late');
  });

  it('are told apart by logger, level and fields, but not by fields that always differ', () => {
    const { logs, entries } = setUp();
    for (let index = 0; index < 3; index++) {
      logs.logger('core.a').info('x');
      logs.logger('core.b').info('x');
      logs.logger('core.a').warn('x');
      logs.logger('core.a').info('x', { pin: 1 });
      logs.logger('core.a').info('x', { pin: 2 });
      logs.logger('core.a').info('x', { pin: 3, elapsedMs: index });
    }
    expect(entries.filter(({ message }) => message === 'x')).toHaveLength(18);
    logs.logger('core.a').info('x', { pin: 3, elapsedMs: 99 });
    expect(entries.at(-1)?.message).toMatch(/^\(logged 3 times/);
  });

  it('of ever new messages need bounded memory, and none is lost uncounted', () => {
    const { clock, logs, messages } = setUp();
    const logger = logs.logger('core.a');
    for (let index = 0; index < 5; index++) logger.info('first');
    for (let index = 0; index < MAX_KEYS; index++) logger.info(`message ${index}`);
    expect(messages()).toContain('(5 times in the past 10 s) first');
    clock.advance(NOISY_WINDOW_MS);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['disable_log_deduplication', { isDeduplicationOff: true }, false],
    ['debug', { isDebug: true }, false],
    ['the -debug flag', {}, true],
    ['a level of debug', { patterns: [{ pattern: 'core.a', level: 'debug' as const }] }, false],
  ])('all pass under %s', (_title, overrides, flag) => {
    const { logs, entries } = setUp(flag);
    logs.logger('core.a');
    logs.apply(settings(overrides));
    for (let index = 0; index < 10; index++) logs.logger('core.a').info('again');
    expect(entries).toHaveLength(10);
  });

  it('are summed up at once when folding is turned off', () => {
    const { logs, messages } = setUp();
    for (let index = 0; index < 5; index++) logs.logger('core.a').info('again');
    logs.apply(settings({ isDeduplicationOff: true }));
    logs.logger('core.a').info('again');
    expect(messages().slice(-2)).toEqual(['(5 times in the past 10 s) again', 'again']);
  });
});
