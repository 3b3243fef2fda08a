import { describe, expect, it } from 'vitest';
import { CommandHistory, MAX_COMMANDS } from './command-history.ts';

/** A browser's storage whose values can have at most `capacity` characters. */
function storageOf(capacity = Number.POSITIVE_INFINITY): () => Storage {
  const held = new Map<string, string>();
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > capacity) throw new Error('QuotaExceededError');
      held.set(key, value);
    },
    removeItem: (key: string) => void held.delete(key),
  };
  return () => storage as unknown as Storage;
}

const texts = (history: CommandHistory): string[] => history.entries.map(({ text }) => text);

describe('the history of commands', () => {
  it('keeps the last 50 commands of one resource, newest first, without duplicates', () => {
    const storage = storageOf();
    const history = new CommandHistory(storage, 'core:component:generic/a');
    for (let number = 0; number < MAX_COMMANDS + 5; number++) history.add(`{"n":${number}}`, number);
    history.add('{"n":20}', 100);
    expect(texts(history)).toHaveLength(MAX_COMMANDS);
    expect(texts(history).slice(0, 3)).toEqual(['{"n":20}', '{"n":54}', '{"n":53}']);
    expect(texts(new CommandHistory(storage, 'core:component:generic/a'))).toEqual(texts(history));
    expect(texts(new CommandHistory(storage, 'core:component:generic/b'))).toEqual([]);
  });

  it('steps to older ones and back to what was being written', () => {
    const history = new CommandHistory(storageOf(), 'a');
    history.add('first', 1);
    history.add('second', 2);
    expect(history.step('newer', 'draft')).toBeUndefined();
    expect(history.step('older', 'draft')).toBe('second');
    expect(history.step('older', 'second')).toBe('first');
    expect(history.step('older', 'first')).toBeUndefined();
    expect(history.step('newer', 'first')).toBe('second');
    expect(history.step('newer', 'second')).toBe('draft');
  });

  it('stores the newest that fit where the storage is full, and keeps all until a reload', () => {
    const storage = storageOf(120);
    const history = new CommandHistory(storage, 'a');
    for (let number = 0; number < 4; number++) history.add(`"${'x'.repeat(20)}${number}"`, number);
    expect(history.entries).toHaveLength(4);
    const kept = texts(new CommandHistory(storage, 'a'));
    expect(kept).toEqual(texts(history).slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(4);
  });

  it.each(['{', '{"a":1}', '[1,null,{"text":1}]'])('starts empty where the storage holds %s', (text) => {
    const storage = storageOf();
    storage().setItem('armature.commands.a', text);
    expect(new CommandHistory(storage, 'a').entries).toEqual([]);
  });

  it('can be cleared', () => {
    const storage = storageOf();
    const history = new CommandHistory(storage, 'a');
    history.add('{}', 1);
    history.clear();
    expect(new CommandHistory(storage, 'a').entries).toEqual([]);
  });
});
