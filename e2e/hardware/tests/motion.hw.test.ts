/**
 * GoFor of the whole program in real time, on twelve kinds of motor at the other end of the virtual bench's wires. The
 * grid of `npm run bench -- motion` has many more on a simulated clock; here timers, wires and chips are those of a
 * computer.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MachineClient } from '../../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { GIVE_UP_MS, tellEdgesAtOnce, until } from '../bench.ts';
import { Shaft } from '../shaft.ts';

const PWM_CHANNEL = 3;
const topSpeed = 1;
/** Half of what the motor with the most friction can reach. */
const rpm = 20;
const machine = (ticksPerRotation: number): string =>
  JSON.stringify({
    network: { bind_address: 'localhost:0', sessions: { heartbeat_window: '15s' } },
    components: [
      {
        name: 'bench',
        api: 'core:component:board',
        model: 'linux',
        attributes: {
          chip: 'armature-bench',
          pins: [{ name: 'speed', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: PWM_CHANNEL }],
          digital_interrupts: [
            { name: 'enc_a', pin: 'ENCODER_A' },
            { name: 'enc_b', pin: 'ENCODER_B' },
          ],
          expiry_ms: 60_000,
        },
      },
      {
        name: 'wheel',
        api: 'core:component:encoder',
        model: 'incremental',
        attributes: { board: 'bench', pins: { a: 'enc_a', b: 'enc_b' } },
      },
      {
        name: 'axis',
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
    ],
  });

let server: ServerProcess | undefined;
let client: MachineClient | undefined;

async function stop(): Promise<void> {
  client?.close();
  await server?.stop();
  server = undefined;
}
after(stop);

for (const ticksPerRotation of [12, 40]) {
  for (const friction of [0.03, 0.25]) {
    for (const timeConstantSec of [0.08, 0.3, 0.8]) {
      test(`${ticksPerRotation} ticks, friction ${friction}, ${timeConstantSec} s: it is where it should be, there and back`, async () => {
        await stop();
        const shaft = new Shaft({
          chip: 'bench',
          in1: 'MOTOR_IN1',
          in2: 'MOTOR_IN2',
          pwmFolder: `/sys/class/pwm/pwmchip0/pwm${PWM_CHANNEL}`,
          encoder: [4, 5],
          edgesPerTurn: 2 * ticksPerRotation,
          body: { topSpeed, timeConstantSec, friction, staticFriction: 1.3 * friction },
        });
        try {
          await goThereAndBack(shaft, ticksPerRotation);
        } finally {
          shaft.close();
        }
      });
    }
  }
}

async function goThereAndBack(shaft: Shaft, ticksPerRotation: number): Promise<void> {
  server = await startServer({ config: machine(ticksPerRotation), readyWithinMs: GIVE_UP_MS });
  client = new MachineClient(server.url, {}, { callLimitMs: GIVE_UP_MS });
  await tellEdgesAtOnce();
  // Two ticks, which is the motor's own tolerance, and half an edge at each end.
  const within = 2.5 / ticksPerRotation;
  let goal = 0;
  for (const way of [1, -1.5, 1]) {
    goal += way;
    await client.goFor('axis', rpm, way);
    await until('the shaft rests', () => !shaft.isTurning);
    const [turned, measured] = [shaft.turns, await client.position('axis')];
    assert.ok(Math.abs(turned - goal) <= within, `it turned ${turned}, not ${goal} within ${within}`);
    assert.ok(Math.abs(measured - turned) <= 1 / ticksPerRotation, `it turned ${turned}, and says ${measured}`);
  }
}
