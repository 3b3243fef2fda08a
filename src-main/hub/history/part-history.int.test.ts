import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Result_Outcome, type HistoryRequest, type Result } from '../../../proto/gen/core/config/v1/config.ts';
import { ManualClock } from '../../base/clock.ts';
import { revisionOf } from '../../base/revision.ts';
import { TestHub } from '../testing/test-hub.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { versionMessage } from './part-history.ts';
import type { NewVersion } from './part-versions.ts';

const local = { type: 'local', id: '' } as const;
const textOf = (value: number | string): string =>
  JSON.stringify({ components: [{ name: 'motor-1', api: 'rdk:component:motor', attributes: { max_rpm: value } }] });

describe.each(testStores)('the history of a part on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let partId = '';

  const add = (text: string, more: Partial<NewVersion> = {}) =>
    test.hub.parts.configs.store({
      partId,
      text,
      author: local,
      note: '',
      summary: '',
      baseRevision: undefined,
      ...more,
    });
  const list = (request: Partial<HistoryRequest> = {}) =>
    test.hub.parts.configs.history.list(partId, {
      partId,
      limit: 0,
      pageToken: '',
      text: '',
      start: undefined,
      end: undefined,
      tagged: false,
      resource: '',
      ...request,
    });
  const numbers = async (request: Partial<HistoryRequest> = {}): Promise<number[]> =>
    (await list(request)).versions.map(({ number }) => number);
  const result = (outcome: Result['outcome'], text: string, message = ''): Result => ({
    outcome,
    revision: revisionOf(text),
    message,
    time: new Date(clock.now()),
    returnedText: '',
    unready: [],
    took: undefined,
  });

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    const [part] = await test.hub.parts.fleet.parts.list([test.first.machineId]);
    partId = part?.id ?? '';
  });
  afterEach(() => test.end());

  it('a version has a number, the version that it was written from, and a summary of its changes', async () => {
    await add(textOf(60), { note: 'begin' });
    clock.advance(1_000);
    const { version } = await add(textOf(70), { authorName: 'Ada' });
    expect(versionMessage(version)).toEqual({
      number: 2n,
      revision: revisionOf(textOf(70)),
      time: new Date(clock.now()),
      author: 'Ada',
      summary: 'motor-1: max_rpm 60 to 70',
      note: '',
      tag: '',
      base: 1n,
      restoredFrom: 0n,
      result: undefined,
      subjects: ['core:component:motor/motor-1'],
    });
    // The same text again is no new version.
    expect(await add(textOf(70))).toMatchObject({ kind: 'stored', isNew: false, version: { number: 2 } });
    expect(await numbers()).toEqual([2, 1]);
  });

  it('is stored by compare and set: of several versions with one base, the others are conflicts', async () => {
    await add(textOf(1));
    const base = revisionOf(textOf(1));
    const outcomes = await Promise.all([2, 3, 4].map((rpm) => add(textOf(rpm), { baseRevision: base } as never)));
    expect(outcomes.map(({ kind: one }) => one).sort()).toEqual(['conflict', 'conflict', 'stored']);
    const won = outcomes.find(({ kind: one }) => one === 'stored')?.version;
    for (const outcome of outcomes) expect(outcome.version.text).toBe(won?.text);
    expect(await numbers()).toEqual([2, 1]);
  });

  it('is searched by names, summaries, notes, tags and authors in any case; every character means itself', async () => {
    await add(textOf(60), { note: 'Vor dem neuen Getriebe: 100 %' });
    await add(textOf(70), { authorName: 'Ada' });
    await add(JSON.stringify({ debug: true }), { note: 'underscore_here' });
    await test.hub.parts.configs.history.annotate(partId, 2, { tag: 'Known Good' });
    expect(await numbers({ text: 'MOTOR-1' })).toEqual([3, 2, 1]);
    expect(await numbers({ text: 'max_rpm 60 to' })).toEqual([2]);
    expect(await numbers({ text: 'getriebe: 100 %' })).toEqual([1]);
    expect(await numbers({ text: 'known good' })).toEqual([2]);
    expect(await numbers({ text: 'ada' })).toEqual([2]);
    expect(await numbers({ text: 'underscore_here' })).toEqual([3]);
    expect(await numbers({ text: 'underscorexhere' })).toEqual([]);
    expect(await numbers({ text: '100 _' })).toEqual([]);
    expect(await numbers({ text: '!' })).toEqual([]);
    // No match extends over two lines.
    expect(await numbers({ text: 'local\nmotor' })).toEqual([]);
    expect(await numbers({ tagged: true })).toEqual([2]);
  });

  it('is searched by what was changed: full or short name, not part of a name or words of a note', async () => {
    await add(JSON.stringify({ components: [{ name: 'left', api: 'rdk:component:motor' }] }));
    await add(JSON.stringify({ components: [{ name: 'left-2', api: 'rdk:component:motor' }] }), {
      note: 'about left\nleft',
    });
    await add(JSON.stringify({ modules: [{ name: 'left_1' }], debug: true }));
    expect(await numbers({ resource: 'left' })).toEqual([2, 1]);
    expect(await numbers({ resource: 'left-2' })).toEqual([3, 2]);
    expect(await numbers({ resource: 'LEFT' })).toEqual([2, 1]);
    expect(await numbers({ resource: 'rdk:component:motor/left' })).toEqual([2, 1]);
    expect(await numbers({ resource: 'core:component:servo/left' })).toEqual([]);
    expect(await numbers({ resource: 'left__' })).toEqual([]);
    expect(await numbers({ resource: 'module/left_1' })).toEqual([3]);
    expect(await numbers({ resource: 'debug' })).toEqual([3]);
    expect(await numbers({ resource: 'left', text: 'about' })).toEqual([2]);
    await expect(list({ resource: 'x'.repeat(201) })).rejects.toMatchObject({ code: 'call.bad_argument' });
  });

  it('has how long the machine took and which resources failed', async () => {
    await add(textOf(60));
    const { history } = test.hub.parts.configs;
    const took = { seconds: 2n, nanos: 125_000_000 };
    const failed = {
      ...result(Result_Outcome.APPLIED_WITH_FAILURES, textOf(60)),
      unready: ['core:component:motor/a'],
      took,
    };
    await history.noteResult(partId, failed, '', []);
    const [version] = (await list()).versions;
    expect(version && versionMessage(version).result).toMatchObject({ took, unready: ['core:component:motor/a'] });
  });

  it('is listed by time, with the start included and the end not', async () => {
    const times: number[] = [];
    for (const rpm of [1, 2, 3]) {
      times.push(clock.now());
      await add(textOf(rpm));
      clock.advance(1_000);
    }
    const at = (index: number): Date => new Date(times[index] ?? 0);
    expect(await numbers({ start: at(1) })).toEqual([3, 2]);
    expect(await numbers({ end: at(2) })).toEqual([2, 1]);
    expect(await numbers({ start: at(1), end: at(2) })).toEqual([2]);
  });

  it('pages stay right while versions are added', async () => {
    for (let rpm = 1; rpm <= 7; rpm++) await add(textOf(rpm));
    const first = await list({ limit: 3 });
    expect(first).toMatchObject({ next: 5, total: 7 });
    for (let rpm = 8; rpm <= 12; rpm++) await add(textOf(rpm));
    const second = await list({ limit: 3, pageToken: '5' });
    expect(second.versions.map(({ number }) => number)).toEqual([4, 3, 2]);
    const third = await list({ limit: 3, pageToken: String(second.next) });
    expect(third.versions.map(({ number }) => number)).toEqual([1]);
    expect(third.next).toBeUndefined();
    await expect(list({ pageToken: 'x' })).rejects.toMatchObject({ code: 'call.bad_argument' });
    await expect(list({ text: 'x'.repeat(201) })).rejects.toMatchObject({ code: 'call.bad_argument' });
  });

  it('a tag and a note are set and removed independently', async () => {
    await add(textOf(60));
    const { history } = test.hub.parts.configs;
    await history.annotate(partId, 1, { tag: ' good ' });
    await history.annotate(partId, 1, { note: 'why' });
    expect(await history.get(partId, 1)).toMatchObject({ tag: 'good', note: 'why' });
    await history.annotate(partId, 1, { tag: '' });
    expect(await history.get(partId, 1)).toMatchObject({ tag: '', note: 'why' });
    expect(await numbers({ tagged: true })).toEqual([]);
    await expect(history.annotate(partId, 9, { tag: 'x' })).rejects.toMatchObject({ code: 'call.not_found' });
    await expect(history.annotate(partId, 1, { tag: 'x'.repeat(101) })).rejects.toMatchObject({
      code: 'call.bad_argument',
    });
  });

  it('a result goes to the newest version of its text, and its summary replaces only one made by the hub', async () => {
    await add(textOf(60));
    await add(textOf(70));
    await add(textOf(60), { summary: 'said by the machine', subjects: ['x'] });
    const { history } = test.hub.parts.configs;
    expect(await history.noteResult(partId, result(Result_Outcome.APPLIED, textOf(60)), 'again', ['y'])).toBe(true);
    expect(await history.noteResult(partId, result(Result_Outcome.RETURNED, textOf(70), 'no'), 'better', ['z'])).toBe(
      true,
    );
    expect(await history.noteResult(partId, result(Result_Outcome.APPLIED, 'unknown'), '', [])).toBe(false);
    expect(await history.noteResult(partId, result(Result_Outcome.APPLYING, textOf(60)), '', [])).toBe(false);
    const { versions } = await list();
    expect(versions.map(versionMessage)).toMatchObject([
      { number: 3n, summary: 'said by the machine', subjects: ['x'], result: { outcome: Result_Outcome.APPLIED } },
      { number: 2n, summary: 'better', subjects: ['z'], result: { outcome: Result_Outcome.RETURNED, message: 'no' } },
      { number: 1n, result: undefined },
    ]);
    expect(await numbers({ text: 'better' })).toEqual([2]);
  });

  it('opens and searches thousands of versions without reading their texts', async () => {
    const filler = 'x'.repeat(20_000);
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      part_id: partId,
      number: index + 1,
      revision: `r${index}`,
      text: filler,
      author_type: 'local' as const,
      author: '',
      created_at: index,
      note: '',
      tag: '',
      summary: `motor-${index}: max_rpm 1 to 2`,
      result: '' as const,
      result_message: '',
      result_at: null,
      base: index,
      restored_from: 0,
      author_name: 'local',
      subjects: `core:component:motor/motor-${index}`,
      result_unready: '',
      result_took_ms: null,
    }));
    const { store } = test.hub.parts;
    for (let at = 0; at < rows.length; at += 500) {
      const some = rows.slice(at, at + 500);
      await store.db.insertInto('part_versions').values(some).execute();
      await store.db
        .insertInto('part_version_words')
        .values(
          some.map(({ part_id, number, created_at, summary, subjects }) => ({
            part_id,
            number,
            created_at,
            is_tagged: 0,
            is_guess: 0,
            words: summary,
            subjects: `\n${subjects}\n`,
          })),
        )
        .execute();
    }
    expect(await list()).toMatchObject({ total: 3_000, next: 2_951 });
    expect(await numbers({ text: 'motor-17:' })).toEqual([18]);
    expect(await numbers({ resource: 'motor-17' })).toEqual([18]);
  });
});
