/**
 * The whole program on the wires of the virtual bench: board `linux`, a motor with In1, In2 and PWM, its encoder, an
 * MCP3008. Its effects are read from the kernel and the chips, never from the program.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { SensorServiceDefinition } from '../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { armature, startServer, type ServerProcess } from '../../harness/server-process.ts';
import {
  adcCounts,
  edgesTold,
  GIVE_UP_MS,
  level,
  lines,
  plug,
  pull,
  pwmRegisters,
  setAnalog,
  tellEdgesAtOnce,
  unplug,
  until,
} from '../bench.ts';
import { Shaft } from '../shaft.ts';

const PWM_CHANNEL = 3;
const ticksPerRotation = 20;
const moveRpm = 30;
/** Often enough to hit the program while it hangs, and no load for an emulated processor. */
const ASKED_EVERY_MS = 100;
const board = (expiryMs: number) => ({
  chip: 'armature-bench',
  pins: [
    { name: 'speed', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: PWM_CHANNEL },
    { name: 'brake', device_name: 'armature-expansion', line_number: 3, safe: 'high' },
  ],
  digital_interrupts: [
    { name: 'enc_a', pin: 'ENCODER_A' },
    { name: 'enc_b', pin: 'ENCODER_B' },
    { name: 'button', pin: 'BUTTON' },
  ],
  analogs: [
    { name: 'pot', pin: '0', spi_bus: '0', chip_select: '0' },
    { name: 'mean', pin: '5', spi_bus: '0', chip_select: '0', average_over_ms: 200, samples_per_sec: 50 },
  ],
  expiry_ms: expiryMs,
});

/** @param expiryMs long where it is not the subject: emulation may block the event loop for a second */
const machine = (expiryMs: number): string =>
  JSON.stringify({
    network: { bind_address: 'localhost:0', sessions: { heartbeat_window: '15s' } },
    components: [
      { name: 'bench', api: 'core:component:board', model: 'linux', attributes: board(expiryMs) },
      {
        name: 'wheel',
        api: 'core:component:encoder',
        model: 'incremental',
        attributes: { board: 'bench', pins: { a: 'enc_a', b: 'enc_b' } },
      },
      {
        name: 'left',
        api: 'core:component:motor',
        model: 'gpio',
        attributes: {
          board: 'bench',
          pins: { a: 'MOTOR_IN1', b: 'MOTOR_IN2', pwm: 'speed' },
          encoder: 'wheel',
          ticks_per_rotation: ticksPerRotation,
          pwm_freq: 200,
        },
      },
      {
        name: 'soft',
        api: 'core:component:motor',
        model: 'gpio',
        attributes: { board: 'bench', pins: { a: 'EXP0', b: 'EXP1', pwm: 'EXP2' }, max_rpm: 100, pwm_freq: 50 },
      },
      {
        name: 'percent',
        api: 'core:component:sensor',
        model: 'analog',
        attributes: { board: 'bench', analog: 'pot', scale: 0.1 },
      },
    ],
  });

/** Longer than a turn of the event loop takes anywhere. */
const MIN_EXPIRY_MS = 3_000;

/** Freezes the event loop on SIGUSR2, as a bug would. */
const freezer = 'data:text/javascript,process.on("SIGUSR2",()=>{for(;;);})';

let server: ServerProcess;
let client: MachineClient;
let shaft: Shaft;
/** How long it took this computer to drive all outputs. */
let drivenInMs = 0;

async function start(expiryMs: number, program?: readonly string[]): Promise<void> {
  const more = program === undefined ? {} : { program };
  server = await startServer({ config: machine(expiryMs), readyWithinMs: GIVE_UP_MS, ...more });
  client = new MachineClient(server.url, {}, { callLimitMs: GIVE_UP_MS });
  await tellEdgesAtOnce();
}

before(async () => {
  shaft = new Shaft({
    chip: 'bench',
    in1: 'MOTOR_IN1',
    in2: 'MOTOR_IN2',
    pwmFolder: `/sys/class/pwm/pwmchip0/pwm${PWM_CHANNEL}`,
    encoder: [4, 5],
    edgesPerTurn: 2 * ticksPerRotation,
    body: { topSpeed: 1, timeConstantSec: 0.08, friction: 0.05 },
  });
  await start(60_000);
});
after(async () => {
  shaft.close();
  client.close();
  await server.stop();
});

const motorLines = async (): Promise<boolean[]> => [
  level('bench', 'MOTOR_IN1'),
  level('bench', 'MOTOR_IN2'),
  (await pwmRegisters(PWM_CHANNEL)).dutyCycle > 0,
];
/** Both motors off and the brake on. */
async function isSafe(): Promise<boolean> {
  const soft = [0, 1, 2].some((line) => level('expansion', line));
  return !(await motorLines()).includes(true) && !soft && level('expansion', 3);
}
/** Drives everything that can be unsafe. @returns how long that took, ms */
async function driveAll(): Promise<number> {
  const beganAt = performance.now();
  await client.setPower('left', 0.5);
  await client.setPower('soft', 1);
  await client.setGpio('brake', false);
  assert.deepEqual(await motorLines(), [true, false, true]);
  assert.deepEqual(
    [0, 1, 2, 3].map((line) => level('expansion', line)),
    [true, false, true, false],
  );
  return performance.now() - beganAt;
}
/**
 * How far the shaft may turn while the program does not run, revolutions: at the speed of the move, for as long as the
 * longest call meanwhile took.
 * @param move a GoFor
 */
async function unseenTurns(move: () => Promise<void>): Promise<number> {
  let isMoving = true;
  let longestMs = 0;
  const end = (): void => void (isMoving = false);
  const moved = move().finally(end);
  // Reported below, after the last response.
  moved.catch(() => undefined);
  while (isMoving) {
    const askedAt = performance.now();
    await Promise.all([client.isMoving('left'), delay(ASKED_EVERY_MS)]);
    longestMs = Math.max(longestMs, performance.now() - askedAt);
  }
  await moved;
  return (longestMs * moveRpm) / 60_000;
}
async function goFor(revolutions: number): Promise<void> {
  const request = { name: 'left', rpm: moveRpm, revolutions };
  await client.grpc.call(MotorServiceDefinition, 'goFor', request);
}
/** Edges of the encoder's channels, as counted by the board. */
async function encoderEdges(): Promise<number> {
  const counts = ['enc_a', 'enc_b'].map(async (digitalInterruptName) => {
    const request = { boardName: 'bench', digitalInterruptName };
    return Number((await client.grpc.call(BoardServiceDefinition, 'getDigitalInterruptValue', request)).value);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
async function stopAll(): Promise<void> {
  await client.stopAll();
  await client.setGpio('brake', true);
  assert.equal(await isSafe(), true);
}

test('the kernel says that the board holds its lines, and only those', async () => {
  const held = (await lines('bench')).filter(({ isUsed }) => isUsed);
  assert.deepEqual(
    held.map(({ name, consumer, isOutput }) => `${name} ${consumer} ${isOutput ? 'out' : 'in'}`).sort(),
    [
      'BUTTON armature bench in',
      'ENCODER_A armature bench in',
      'ENCODER_B armature bench in',
      'MOTOR_IN1 armature bench out',
      'MOTOR_IN2 armature bench out',
    ],
  );
});

test('power is on the lines of the bridge and in the registers of the PWM chip, and off when it stops', async () => {
  await client.setPower('left', 0.5);
  assert.deepEqual([level('bench', 'MOTOR_IN1'), level('bench', 'MOTOR_IN2')], [true, false]);
  const { dutyCycle, frequencyHz } = await pwmRegisters(PWM_CHANNEL);
  assert.ok(Math.abs(dutyCycle - 0.5) < 0.01, `duty cycle ${dutyCycle}`);
  assert.ok(Math.abs(frequencyHz - 200) < 10, `${frequencyHz} Hz`);
  await client.setPower('left', -0.25);
  assert.deepEqual([level('bench', 'MOTOR_IN1'), level('bench', 'MOTOR_IN2')], [false, true]);
  assert.ok(Math.abs((await pwmRegisters(PWM_CHANNEL)).dutyCycle - 0.25) < 0.01);
  await client.stop('left');
  assert.deepEqual(await motorLines(), [false, false, false]);
});

test('PWM by software reaches the wire in both levels, and stays at one at full power and at none', async () => {
  await client.setPower('soft', 0.5);
  for (const isHigh of [true, false, true]) await until(`level ${isHigh}`, () => level('expansion', 2) === isHigh);
  await client.setPower('soft', 1);
  assert.deepEqual([level('expansion', 0), level('expansion', 2)], [true, true]);
  await client.stop('soft');
  assert.deepEqual([level('expansion', 0), level('expansion', 1), level('expansion', 2)], [false, false, false]);
});

test('GoFor goes as far as the shaft turns', async () => {
  await until('the shaft rests', () => !shaft.isTurning);
  const [from, shown] = [shaft.turns, await client.position('left')];
  // The allowed error of a motor's position, plus half an edge at each end.
  const goalTurns = 2 / ticksPerRotation + 1 / ticksPerRotation;
  for (const [revolutions, goal] of [
    [3, 3],
    [-2, 1],
  ] as const) {
    const unseen = await unseenTurns(() => goFor(revolutions));
    assert.deepEqual(await motorLines(), [false, false, false]);
    await until('the shaft rests', () => !shaft.isTurning);
    const [turned, measured] = [shaft.turns - from, (await client.position('left')) - shown];
    const within = goalTurns + unseen;
    assert.ok(Math.abs(turned - goal) <= within, `it turned ${turned}, not ${goal} within ${within}`);
    assert.ok(Math.abs(measured - turned) <= 1 / ticksPerRotation, `it turned ${turned}, and says ${measured}`);
  }
  assert.equal(edgesTold('armature bench', [4, 5]), await encoderEdges());
});

test('analogs are what is at the channels of the MCP3008', async () => {
  const read = async (analogReaderName: string): Promise<{ value: number; maxRange: number }> =>
    client.grpc.call(BoardServiceDefinition, 'readAnalogReader', { boardName: 'bench', analogReaderName });
  setAnalog(0, 512);
  setAnalog(5, 700);
  const before = adcCounts().conversions;
  await until('the value of the pot', async () => (await read('pot')).value === 512);
  assert.equal((await read('pot')).maxRange, 1023);
  await until('the mean', async () => (await read('mean')).value === 700);
  const { readings } = await client.grpc.call(SensorServiceDefinition, 'getReadings', { name: 'percent' });
  assert.deepEqual(readings, { raw: 512, value: 51.2 });
  await until('more conversions', () => adcCounts().conversions > before + 10);
});

test('an interrupt counts each edge, and says its level', async () => {
  const request = { boardName: 'bench', digitalInterruptName: 'button' };
  const count = async (): Promise<number> =>
    Number((await client.grpc.call(BoardServiceDefinition, 'getDigitalInterruptValue', request)).value);
  const first = await count();
  for (let edge = 1; edge <= 6; edge++) {
    pull('bench', 'BUTTON', edge % 2 === 1);
    await until(`edge ${edge}`, async () => (await count()) === first + edge);
    assert.equal(edgesTold('armature bench', [6]), first + edge);
    assert.equal(await client.gpio('button'), edge % 2 === 1);
  }
});

test('a chip that is unplugged takes its motor with it, the other goes on; back, it is off until it is commanded', async () => {
  await client.setPower('left', 0.3);
  await client.setPower('soft', 1);
  unplug('expansion');
  await until('the motor knows', async () => !(await client.isMoving('soft')));
  await assert.rejects(client.setPower('soft', 0.5), /was unplugged; plug it in again/);
  assert.deepEqual(await motorLines(), [true, false, true]);
  plug('expansion');
  await until('it can be driven again', async () => {
    await client.setPower('soft', 0).catch(() => undefined);
    return client.setPower('soft', 1).then(
      () => true,
      () => false,
    );
  });
  assert.equal(level('expansion', 0), true);
  await stopAll();
});

test('a client that is killed loses its session: what it moved stops, the rest goes on', async () => {
  await client.setPower('soft', 1);
  const script = path.join(import.meta.dirname, '../../integration/driving-client.ts');
  const child = spawn(process.execPath, [script, server.url, 'left', 'setPower', 'session'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const first = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as readonly unknown[];
  assert.equal(String(first[0]), 'driving\n');
  assert.deepEqual(await motorLines(), [true, false, true]);
  child.kill('SIGKILL');
  await until('the motor is off', async () => !(await motorLines()).includes(true));
  assert.equal(level('expansion', 0), true);
  await stopAll();
});

test('a server that is killed leaves every output safe, and every line free', async () => {
  drivenInMs = await driveAll();
  client.close();
  await server.crash();
  await until('every output is safe', isSafe);
  await until('every line is free', async () => (await lines('bench')).every(({ isUsed }) => !isUsed));
  await start(60_000);
  assert.equal(await isSafe(), true);
});

test('a server whose event loop is frozen has its outputs made safe while it lives', async () => {
  client.close();
  await server.stop();
  // Several times as long as this computer needs to start the motors one after the other.
  const expiryMs = Math.min(60_000, Math.max(MIN_EXPIRY_MS, Math.ceil(5 * drivenInMs)));
  await start(expiryMs, ['--import', freezer, ...armature, 'server']);
  await driveAll();
  server.process.kill('SIGUSR2');
  await until('every output is safe', isSafe);
  assert.equal(server.process.exitCode, null);
  client.close();
  await server.kill('SIGKILL');
  assert.equal(await isSafe(), true);
  await start(60_000);
});
