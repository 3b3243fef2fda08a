/** Simulated motors on the wires of the simulated computer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chip0, eventually, failureOf, hardwareIsMissing, SimBench } from './testing/sim-bench.ts';
import type { LinuxBoard } from './linux-board.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { ManualClock } from '../../../base/clock.ts';
import type { LinuxBoardAttributes } from './attributes.ts';

const motor = {
  pins: { a: '11', b: '13', pwm: '32' },
  encoder_pins: { a: 'enc_a', b: 'enc_b' },
  ticks_per_rotation: 100,
  max_rpm: 60,
  friction: 0,
};
const interrupts = [
  { name: 'enc_a', pin: '16' },
  { name: 'enc_b', pin: '18' },
];

describe.skipIf(hardwareIsMissing)('simulated motors of a linux board', () => {
  let bench: SimBench;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    bench = await SimBench.open(clock);
  });
  afterEach(() => bench.close());

  const boardWith = (attributes: LinuxBoardAttributes): Promise<LinuxBoard> =>
    bench.build<LinuxBoard>('core:component:board', 'linux', 'b', {
      digital_interrupts: interrupts,
      expiry_ms: 60_000,
      ...attributes,
    });
  const turns = async (board: LinuxBoard) => Number((await board.doCommand({ simulate: { motor: 0 } }))['revolutions']);
  async function drive(board: LinuxBoard, power: number): Promise<void> {
    await board.gpioPin('11').set(power > 0);
    await board.gpioPin('13').set(power < 0);
    await board.gpioPin('32').setPwm(Math.abs(power));
  }

  it('turn as the pins are driven, by the header of a Raspberry Pi, and show each edge', async () => {
    const board = await boardWith({ simulated_motors: [motor] });
    await drive(board, 1);
    clock.advance(3_000);
    const forward = await turns(board);
    expect(forward).toBeGreaterThan(2.8);
    const count = async () =>
      (await board.digitalInterrupt('enc_a').value()) + (await board.digitalInterrupt('enc_b').value());
    await eventually(async () => (await count()) === Math.floor(forward * 200));
    expect(bench.sim.probe(chip0, 17).isHigh).toBe(true);
    await drive(board, -0.5);
    clock.advance(2_000);
    expect(await turns(board)).toBeLessThan(forward - 0.8);
    await drive(board, 0);
    clock.advance(5_000);
    expect(await board.doCommand({ simulate: { motor: 0 } })).toMatchObject({ rpm: 0, jammed: false });
    await board.close();
    expect(clock.pending).toBe(0);
  });

  it('stand still while they are jammed, and when what drives them is gone', async () => {
    const board = await boardWith({ simulated_motors: [motor] });
    await drive(board, 1);
    expect(await board.doCommand({ simulate: { jam: [0, true] } })).toMatchObject({ rpm: 0, jammed: true });
    clock.advance(1_000);
    expect(await turns(board)).toBe(0);
    await board.doCommand({ simulate: { jam: [0, false] } });
    clock.advance(1_000);
    expect(await turns(board)).toBeGreaterThan(0.5);
    bench.sim.unplug(chip0);
    clock.advance(5_000);
    expect(await board.doCommand({ simulate: { motor: 0 } })).toMatchObject({ rpm: 0 });
    await board.close();
  });

  it('that are not there are told with the commands; on another chip plain numbers are lines', async () => {
    const board = await boardWith({ simulated_motors: [motor] });
    const wrong: readonly JsonObject[] = [{ motor: 1 }, { motor: 'left' }, { jam: [0, 'yes'] }];
    for (const command of wrong) {
      expect(await failureOf(() => board.doCommand({ simulate: command }))).toMatch(
        /^call.bad_argument: .*Board "b" knows the commands .*"motor"/,
      );
    }
    await board.close();
    const plain = await boardWith({ chip: 'sim-0', digital_interrupts: [] });
    await plain.gpioPin('11').set(true);
    expect([bench.sim.probe(chip0, 11).isHigh, bench.sim.probe(chip0, 17).isHigh]).toEqual([true, false]);
    await plain.close();
    const none = await boardWith({ header: 'none', digital_interrupts: [] });
    expect(await failureOf(() => none.gpioPin('11').set(true))).toMatch(/^config.invalid: .*which GPIO chip/);
    await none.close();
  });
});
