import { describe, expect, it, vi } from 'vitest';
import { RecordingKeeper } from './recording-keeper.ts';
import { memoryShelf, type Shelf } from './shelf.ts';

const description = { id: 'one', machine: 'bench', startedAt: 1_000 };

function bench(shelf: Shelf = memoryShelf()) {
  let now = 0;
  const onProblem = vi.fn();
  const keeper = new RecordingKeeper(shelf, description, () => now, onProblem);
  const text = async (): Promise<string> => new Blob([await shelf.read('one'), ...keeper.left]).text();
  return { shelf, keeper, onProblem, text, at: (ms: number) => void (now = ms) };
}

describe('a recording that is kept while it is made', () => {
  it('is kept once a second, whole lines, with its size', async () => {
    const { shelf, keeper, text, at } = bench();
    keeper.write('a\n');
    at(500);
    keeper.write('é\n');
    expect(await text()).toBe('');
    at(1_000);
    keeper.write('c\n');
    await keeper.close(1_234);
    expect(await text()).toBe('a\né\nc\n');
    expect(await shelf.list()).toMatchObject([{ ...description, bytes: 7, isSaved: false }]);
  });

  it('is kept sooner where much has come', async () => {
    const { keeper, text } = bench();
    keeper.write(`${'x'.repeat(70_000)}\n`);
    await Promise.resolve();
    expect(await text()).toHaveLength(70_001);
  });

  it('ends at its limit, once, and loses nothing', async () => {
    const { keeper, onProblem, text } = bench(memoryShelf(10));
    for (let line = 0; line < 3; line++) {
      keeper.write('123456789\n');
      keeper.flush();
    }
    await keeper.close(1);
    expect(onProblem.mock.calls).toEqual([[{ kind: 'full', reason: '' }]]);
    expect(await text()).toBe('123456789\n'.repeat(3));
  });

  it('ends where there is no room, and what came since is in memory', async () => {
    const shelf = memoryShelf();
    let room = 1;
    const { keeper, onProblem, text } = bench({
      ...shelf,
      keep: (...given) => (room-- > 0 ? shelf.keep(...given) : Promise.reject(new Error('quota'))),
    });
    for (const line of ['a\n', 'b\n', 'c\n']) {
      keeper.write(line);
      keeper.flush();
    }
    await keeper.close(1);
    expect(onProblem.mock.calls).toEqual([[{ kind: 'noRoom', reason: 'quota' }]]);
    expect(await text()).toBe('a\nb\nc\n');
    expect(keeper.recording.bytes).toBe(6);
  });
});
