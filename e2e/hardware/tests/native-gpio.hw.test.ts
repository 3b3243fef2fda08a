import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHardware, type EdgeBatch } from '../../../native/index.js';
import { chipPath, hold, level, lines, plug, pull, unplug, until } from '../bench.ts';

const hardware = openHardware({ backend: 'linux' });
after(() => hardware.close());

const infoOf = async (name: string): Promise<unknown> => (await lines('bench')).find((line) => line.name === name);

test('chips and lines are listed as the kernel has them', async () => {
  const chip = hardware.gpioChips().find(({ label }) => label === 'armature-bench');
  assert.equal(chip?.path, chipPath('bench'));
  assert.equal(chip?.lines, 32);
  const names = hardware.gpioLines(chip.path).map(({ name }) => name);
  assert.deepEqual(
    names,
    (await lines('bench')).map(({ name }) => name),
  );
});

test('an output drives the wire, says who holds it, and is low and free once closed', async () => {
  const line = hardware.openLine({ chip: chipPath('bench'), offset: 7, consumer: 'armature led' });
  line.write(true);
  assert.equal(level('bench', 'LED'), true);
  const held = { offset: 7, name: 'LED', isOutput: true, isUsed: true, consumer: 'armature led' };
  assert.deepEqual(await infoOf('LED'), held);
  line.write(false);
  assert.equal(level('bench', 'LED'), false);
  line.write(true);
  line.close();
  assert.equal(level('bench', 'LED'), false);
  assert.deepEqual(await infoOf('LED'), { ...held, isUsed: false, consumer: '', isOutput: true });
});

test('an input reads the pull; active-low turns it around', () => {
  const chip = chipPath('bench');
  const plain = hardware.openLine({ chip, offset: 20 });
  const inverted = hardware.openLine({ chip, offset: 21, isActiveLow: true });
  for (const isHigh of [true, false]) {
    pull('bench', 20, isHigh);
    pull('bench', 21, isHigh);
    assert.equal(plain.read(), isHigh);
    assert.equal(inverted.read(), !isHigh);
  }
  plain.close();
  inverted.close();
});

test('a line that another program holds is refused with its name; the rest works on', async () => {
  const letGo = await hold('bench', 22, true);
  assert.throws(() => hardware.openLine({ chip: chipPath('bench'), offset: 22 }), {
    code: 'hardware.busy',
    message: /probe/,
  });
  assert.equal(level('bench', 22), true);
  await letGo();
  const line = hardware.openLine({ chip: chipPath('bench'), offset: 22 });
  line.write(true);
  assert.equal(level('bench', 22), true);
  line.close();
});

test('every edge arrives once, in order, with the level and the time of the kernel', async () => {
  const batches: EdgeBatch[] = [];
  pull('bench', 'BUTTON', false);
  const edges = [{ offset: 6, edges: 'both' as const }];
  const watch = hardware.watchEdges({ chip: chipPath('bench'), lines: edges }, (batch) => void batches.push(batch));
  const EDGES = 40;
  const received = (): number => batches.reduce((sum, batch) => sum + batch.levels.length, 0);
  for (let edge = 0; edge < EDGES; edge++) {
    pull('bench', 'BUTTON', edge % 2 === 0);
    // One at a time: gpio-sim merges edges that come faster than its thread runs.
    await until(`edge ${edge + 1}`, () => received() > edge);
  }
  const levels = batches.flatMap((batch) => [...batch.levels]);
  const numbers = batches.flatMap((batch) => [...batch.numbers]);
  const times = batches.flatMap((batch) => [...batch.timesNs]);
  assert.deepEqual(
    levels,
    Array.from({ length: EDGES }, (_, edge) => (edge % 2 === 0 ? 1 : 0)),
  );
  assert.deepEqual(
    numbers,
    Array.from({ length: EDGES }, (_, edge) => edge + 1),
  );
  assert.ok(times.every((time, index) => index === 0 || time >= times[index - 1]!));
  assert.deepEqual(watch.counts(6), { rising: EDGES / 2, falling: EDGES / 2, lost: 0 });
  watch.close();
});

test('a line whose chip is unplugged says so; others work on, and the chip works again once it is back', () => {
  const other = hardware.openLine({ chip: chipPath('bench'), offset: 23 });
  const line = hardware.openLine({ chip: chipPath('expansion'), offset: 0 });
  const idBefore = hardware.gpioChips().find(({ label }) => label === 'armature-expansion')?.id;
  line.write(true);
  unplug('expansion');
  assert.throws(() => line.write(false), { code: 'hardware.gone' });
  other.write(true);
  assert.equal(level('bench', 23), true);
  line.close();
  plug('expansion');
  const back = hardware.gpioChips().find(({ label }) => label === 'armature-expansion');
  assert.equal(back?.id, idBefore);
  const again = hardware.openLine({ chip: back?.path ?? '', offset: 0 });
  again.write(true);
  assert.equal(level('expansion', 0), true);
  again.close();
  other.close();
});

test('a watch whose chip is unplugged says so once', async () => {
  const told: unknown[] = [];
  const edges = [{ offset: 5, edges: 'both' as const }];
  const watch = hardware.watchEdges(
    { chip: chipPath('expansion'), lines: edges },
    () => undefined,
    (error) => void told.push((error as Error & { code: string }).code),
  );
  unplug('expansion');
  await until('it is told', () => told.length > 0);
  assert.deepEqual(told, ['hardware.gone']);
  watch.close();
  plug('expansion');
});
