import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Module, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { LogLine } from '../../../shared/machine/machine-view.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { createTexts } from '../../../shared/text.ts';
import { dayMs, lastFailures, sinceYesterday, type ChangeSources } from './since-yesterday.ts';

const t = createTexts();
const now = new Date(2026, 10, 27, 12).getTime();
const hours = (count: number): number => now - count * 3_600_000;
const nothing: ChangeSources = { versions: [], resources: [], modules: [], startedAt: undefined, lines: [] };
const wordsOf = (sources: Partial<ChangeSources>): string[] =>
  sinceYesterday({ ...nothing, ...sources }, now, t).map(({ words }) => words);

function line(over: Partial<LogLine>): LogLine {
  const plain = { seq: 1, at: hours(2), level: 'error', logger: '', message: '', resource: '', repeats: 1 } as const;
  return { ...plain, firstAt: hours(2), fields: '', caller: '', ...over };
}
const left = resourceOf('left', { since: new Date(hours(1)) });
const failure = line({ resource: left.name, fields: '{"attempts":1}' });

describe('what changed since yesterday', () => {
  it('is nothing where nothing did, or only before', () => {
    expect(wordsOf({})).toEqual([]);
    const version = {
      number: 9,
      at: hours(25),
      author: 'ana',
      summary: 'left: max_rpm 100 to 120',
      subjects: [],
      tag: '',
    };
    expect(wordsOf({ versions: [version], startedAt: hours(30), resources: [left] })).toEqual([]);
  });

  it('names versions with their author', () => {
    const version = {
      number: 10,
      at: hours(3),
      author: 'launch-token',
      summary: 'motor-1: max_rpm 100 to 120',
      subjects: [],
      tag: 'ok',
    };
    const [change] = sinceYesterday({ ...nothing, versions: [version] }, now, t);
    expect(change).toMatchObject({
      words: 'Version 10: motor-1: max_rpm 100 to 120',
      detail: 'by you (this computer) · “ok”',
      to: { name: 'history', query: { version: '10' } },
    });
  });

  it('names what a version changed where its summary is a count', () => {
    const subjects = ['a', 'b', 'c', 'd'].map((name) => `core:component:motor/${name}`);
    const version = { number: 2, at: hours(1), author: '', summary: '4 rebuilt', subjects, tag: '' };
    expect(wordsOf({ versions: [version] })).toEqual(['Version 2: 4 rebuilt: a, b, c, +1']);
  });

  it('names what failed, and what failed and is ready again', () => {
    const failed = { ...left, state: Resource_State.FAILED, reason: 'no such pin' };
    const [bad] = sinceYesterday({ ...nothing, resources: [failed], lines: [failure] }, now, t);
    expect(bad).toMatchObject({ words: 'left failed', detail: 'no such pin', at: hours(2) });
    expect(wordsOf({ resources: [left], lines: [failure] })).toEqual(['left is ready again; it failed at 10:00']);
    // It is ready since before that failure: the line is of something else.
    expect(wordsOf({ resources: [left], lines: [{ ...failure, at: hours(0.5) }] })).toEqual([]);
    expect(wordsOf({ resources: [left] })).toEqual([]);
  });

  it('names restarts of the program and of modules, the newest first', () => {
    const module = Module.fromPartial({
      name: 'acme',
      restarts: 2,
      lastExit: 'exit code 3',
      since: new Date(hours(1)),
    });
    const calm = Module.fromPartial({ name: 'calm', since: new Date(hours(1)) });
    expect(wordsOf({ modules: [module, calm], startedAt: hours(5) })).toEqual([
      'Module acme restarted by itself, 2 times since the program started',
      'The program was started',
    ]);
  });

  it('is of the last day, in order, for any moments', () => {
    const moments = fc.array(fc.integer({ min: now - 3 * dayMs, max: now }), { maxLength: 30 });
    fc.assert(
      fc.property(moments, (all) => {
        const versions = all.map((at, index) => ({
          number: index + 1,
          at,
          author: '',
          summary: 'x',
          subjects: [],
          tag: '',
        }));
        const lines = sinceYesterday({ ...nothing, versions, startedAt: all[0] }, now, t);
        const times = lines.map(({ at }) => at);
        expect(times).toEqual([...times].sort((one, other) => other - one));
        expect(times.filter((at) => at <= now - dayMs)).toEqual([]);
        expect(lines.filter(({ key }) => key !== 'program')).toHaveLength(all.filter((at) => at > now - dayMs).length);
      }),
    );
  });
});

describe('failures in the log', () => {
  it('are errors about a resource that count attempts; the last one counts', () => {
    const found = lastFailures([
      failure,
      { ...failure, at: hours(1) },
      { ...failure, level: 'warn', at: now },
      line({ fields: '{"attempts":1}' }),
      line({ resource: 'core:component:motor/right', fields: '{"attempts":1' }),
      line({ resource: 'core:component:motor/right', fields: 'null' }),
    ]);
    expect([...found]).toEqual([[left.name, hours(1)]]);
  });
});
