import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { chipPath, hold, level, lines, plug, pull, unplug } from '../bench.ts';

test('the chips appear with their lines and names', async () => {
  const bench = await lines('bench');
  assert.equal(bench.length, 32);
  assert.deepEqual(
    bench.slice(0, 10).map(({ name }) => name),
    ['MOTOR_IN1', 'MOTOR_IN2', 'MOTOR_PWM', 'MOTOR_EN', 'ENCODER_A', 'ENCODER_B', 'BUTTON', 'LED', 'SERVO', ''],
  );
  assert.ok(bench.every(({ isUsed }) => !isUsed));
  assert.equal((await lines('expansion')).length, 8);
});

test('a line that is pulled reads so, by number and by name', () => {
  pull('bench', 'BUTTON', true);
  assert.equal(level('bench', 6), true);
  assert.equal(level('bench', 5), false);
  pull('bench', 6, false);
  assert.equal(level('bench', 'BUTTON'), false);
  assert.throws(() => level('bench', 'NOTHING'), /no line "NOTHING"/);
});

test('a line that a program drives has its level against the pull, and its holder, until it is let go', async () => {
  pull('bench', 'LED', false);
  const letGo = await hold('bench', 'LED', true);
  assert.equal(level('bench', 'LED'), true);
  const held = (await lines('bench')).find(({ name }) => name === 'LED');
  assert.deepEqual(held, { offset: 7, name: 'LED', isOutput: true, isUsed: true, consumer: 'probe' });
  await assert.rejects(hold('bench', 'LED', false), /cannot be held/);
  await letGo();
  assert.equal((await lines('bench')).find(({ name }) => name === 'LED')?.isUsed, false);
});

test('a chip that is unplugged is gone, and comes back', async () => {
  const before = chipPath('expansion');
  unplug('expansion');
  assert.equal(existsSync(before), false);
  plug('expansion');
  assert.equal((await lines('expansion'))[0]?.name, 'EXP0');
});
