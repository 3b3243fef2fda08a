import { expect, it, vi } from 'vitest';
import { ChangeBatches, type Changes } from './change-batches.ts';

it('tells of all changes of one turn as one, and a listener that fails keeps them from no other', async () => {
  const onFailure = vi.fn();
  const batches = new ChangeBatches<number>(onFailure);
  const told: Changes<number>[] = [];
  const mistake = new Error('a mistake');
  batches.subscribe(() => {
    throw mistake;
  });
  const unsubscribe = batches.subscribe((changes) => told.push(changes));
  batches.upsert('left', 1);
  batches.upsert('left', 2);
  batches.upsert('right', 3);
  batches.remove('right');
  await Promise.resolve();
  expect(told).toEqual([{ upserted: [2], removed: ['right'] }]);
  expect(onFailure.mock.calls).toEqual([[mistake]]);
  unsubscribe();
  batches.upsert('right', 4);
  batches.flush();
  await Promise.resolve();
  expect(told).toHaveLength(1);
  expect(onFailure).toHaveBeenCalledTimes(2);
});
