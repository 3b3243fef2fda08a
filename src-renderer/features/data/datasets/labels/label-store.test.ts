import { beforeEach, describe, expect, it } from 'vitest';
import { LabelStore } from './label-store.ts';
import { noLabels, type LabelChange } from './picture-labels.ts';

const tagged = (...tags: string[]) => ({ boxes: [], tags });
const nothing: LabelChange = { put: [], remove: [], addTags: [], removeTags: [] };

describe('labels that are saved automatically', () => {
  let timers: { readonly ms: number; readonly callback: () => void }[] = [];
  let saves: { readonly id: string; readonly change: LabelChange; end(failure?: string): Promise<void> }[] = [];
  let kept: ReadonlyMap<string, LabelChange> = new Map();
  let store: LabelStore;

  const make = (): LabelStore =>
    new LabelStore({
      save: (id, change) =>
        new Promise((resolve, reject) => {
          const end = async (failure?: string): Promise<void> => {
            if (failure === undefined) resolve();
            else reject(new Error(failure));
            await Promise.resolve();
            await Promise.resolve();
          };
          saves.push({ id, change, end });
        }),
      reasonOf: (thrown) => (thrown as Error).message,
      clock: {
        after: (ms, callback) => {
          const timer = { ms, callback };
          timers.push(timer);
          return () => (timers = timers.filter((each) => each !== timer));
        },
      },
      onChange: () => undefined,
      keep: (unsaved) => (kept = unsaved),
      kept,
    });
  /**
   * Fires all timers.
   * @returns their delays
   */
  const ring = (): number[] => {
    const due = timers;
    timers = [];
    for (const { callback } of due) callback();
    return due.map(({ ms }) => ms);
  };

  beforeEach(() => {
    [timers, saves, kept] = [[], [], new Map()];
    store = make();
    store.open('one', noLabels);
  });

  it('are saved together once nothing has changed for a moment', async () => {
    store.change('one', tagged('a'));
    store.change('one', tagged('a', 'b'));
    expect([store.stateOf('one'), saves.length, timers.length]).toEqual(['changed', 0, 1]);
    ring();
    expect([store.stateOf('one'), saves.map(({ change }) => change.addTags)]).toEqual(['saving', [['a', 'b']]]);
    await saves[0]?.end();
    expect([store.stateOf('one'), store.unsaved, kept.size]).toEqual(['saved', [], 0]);
  });

  it('can change while they are saved; then only the new change is sent', async () => {
    store.change('one', tagged('a'));
    ring();
    store.change('one', tagged('a', 'b'));
    ring();
    expect(saves.length).toBe(1);
    await saves[0]?.end();
    expect(store.stateOf('one')).toBe('changed');
    ring();
    expect(saves[1]?.change).toEqual({ ...nothing, addTags: ['b'] });
  });

  it('are kept after a failure, with the reason, and retried after a time or on demand', async () => {
    store.change('one', tagged('a'));
    ring();
    await saves[0]?.end('The hub is away.');
    expect([store.stateOf('one'), store.problem, store.unsaved]).toEqual(['failed', 'The hub is away.', ['one']]);
    expect(store.history('one')?.present).toEqual(tagged('a'));
    expect(ring()).toEqual([5_000]);
    await saves[1]?.end('The hub is away.');
    const again = store.saveAll();
    await saves[2]?.end();
    await again;
    expect([store.stateOf('one'), store.problem, timers]).toEqual(['saved', '', []]);
  });

  it('are kept over a reload, and merged with changes of others', async () => {
    store.change('one', tagged('a'));
    ring();
    await saves[0]?.end('The hub is away.');
    store.close();
    const next = make();
    expect(next.unsaved).toEqual(['one']);
    next.open('one', tagged('theirs'));
    expect(next.history('one')?.present).toEqual(tagged('a', 'theirs'));
    ring();
    expect(saves[1]?.change).toEqual({ ...nothing, addTags: ['a'] });
  });

  it('are undone for one picture only, also after they were saved', async () => {
    store.open('two', noLabels);
    store.change('one', tagged('a'));
    store.change('two', tagged('b'));
    ring();
    await Promise.all(saves.map(({ end }) => end()));
    store.undo('two');
    expect(store.history('one')?.present).toEqual(tagged('a'));
    ring();
    expect(saves[2]).toMatchObject({ id: 'two', change: { ...nothing, removeTags: ['b'] } });
    store.redo('two');
    expect(store.history('two')?.present).toEqual(tagged('b'));
  });

  it('are not sent where they were undone before', () => {
    store.change('one', tagged('a'));
    store.undo('one');
    expect(store.stateOf('one')).toBe('saved');
    ring();
    expect(saves).toEqual([]);
  });
});
