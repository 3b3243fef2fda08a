import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LinuxBoard } from './linux-board.ts';
import { chip0, chip1, eventually, failureOf, pwmChip, SimBench, hardwareIsMissing } from './testing/sim-bench.ts';

describe.skipIf(hardwareIsMissing)('a linux board whose devices come and go', () => {
  let bench: SimBench;
  beforeEach(async () => {
    bench = await SimBench.open();
  });
  afterEach(() => bench.close());

  const far = [
    { name: 'relay', device_name: 'sim-1', line_number: 2 },
    { name: 'input', device_name: 'sim-1', line_number: 3 },
    { name: 'fan', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 1 },
  ];

  it('has no chip of that name: it fails with the chips there are, and is built when it is there', async () => {
    expect(await failureOf(() => bench.linux({ chip: 'cp2112' }))).toBe(
      'hardware.missing: Board "b": there is no GPIO chip "cp2112"; this computer has /dev/gpiochip0 (sim-0), /dev/gpiochip1 (sim-1). Plug it in, or correct its name.',
    );
    bench.sim.unplug(chip1);
    expect(await failureOf(() => bench.linux({ chip: 'sim-1' }))).toMatch(/^hardware.missing/);
    bench.sim.plug(chip1);
    await (await bench.linux({ chip: 'sim-1' })).gpioPin('0').set(true);
    expect(bench.sim.probe(chip1, 0).isHigh).toBe(true);
  });

  it('says in the log which pins of its configuration are not there, and works with the others', async () => {
    bench.sim.unplug(chip1);
    const board = await bench.linux({ pins: far });
    expect(bench.log.map((line) => /pin "(\w+)"/.exec(line)?.[1])).toEqual(['relay', 'input']);
    expect(await failureOf(() => board.gpioPin('relay'))).toMatch(
      /^hardware.missing: Board "b": there is no GPIO chip/,
    );
    await board.gpioPin('4').set(true);
    bench.sim.plug(chip1);
    await board.gpioPin('relay').set(true);
    expect(bench.sim.probe(chip1, 2).isHigh).toBe(true);
  });

  it('that loses a chip says to plug it in, and goes on with the others; back, the chip drives nothing by itself', async () => {
    const board = await bench.linux({ pins: far });
    const relay = board.gpioPin('relay');
    const lost: string[] = [];
    relay.onLost((reason) => lost.push(reason.message));
    await relay.set(true);
    await board.gpioPin('input').get();
    await board.gpioPin('4').setPwm(0.5);
    bench.sim.unplug(chip1);
    // Without any command, the board notices it by itself.
    bench.clock.advance(1_000);
    const gone = 'GPIO chip /dev/gpiochip1 (sim-1) was unplugged; plug it in again.';
    expect(lost).toEqual([`Board "b": ${gone}`]);
    for (const call of [() => relay.set(true), () => relay.setPwm(0.5), () => board.gpioPin('input').get()]) {
      expect(await failureOf(call)).toMatch(
        /^hardware.gone: Board "b", pin "(relay|input)": GPIO chip .* was unplugged/,
      );
    }
    expect([await relay.pwm(), relay.isDriven]).toEqual([0, false]);
    expect(bench.sim.probe(chip0, 4).isDriven).toBe(true);
    expect((await board.status())['failures']).toEqual(['GPIO chip /dev/gpiochip1 (sim-1) was unplugged']);
    bench.sim.plug(chip1);
    bench.clock.advance(1_000);
    expect((await board.status())['failures']).toEqual([]);
    expect(bench.sim.probe(chip1, 2)).toMatchObject({ isDriven: false, isHigh: false });
    await relay.set(true);
    expect(bench.sim.probe(chip1, 2)).toMatchObject({ isDriven: true, isHigh: true });
    expect(bench.log.map((line) => line.replace(/ Board.*sim-1\)/, ''))).toEqual([
      'error was unplugged; plug it in again. What it drove is off until it is commanded again.',
      'info is back; edges in the meantime were not counted',
    ]);
  });

  it('that are unplugged and plugged in between two commands are found gone by the next', async () => {
    const board = await bench.linux({ pins: far });
    const relay = board.gpioPin('relay');
    await relay.set(true);
    bench.sim.unplug(chip1);
    bench.sim.plug(chip1);
    expect(await failureOf(() => relay.set(true))).toMatch(/^hardware.gone/);
    await relay.set(true);
    expect(bench.sim.probe(chip1, 2).isHigh).toBe(true);
  });

  it('that lose a PWM chip never drive its pin by software', async () => {
    const board = await bench.linux({ pins: [{ ...far[2], name: 'fan', line_number: 9 }] });
    const fan = board.gpioPin('fan');
    await fan.setPwm(0.5);
    bench.sim.unplug(pwmChip);
    expect(await failureOf(() => fan.setPwm(0.6))).toMatch(
      /^hardware.gone: Board "b", pin "fan": PWM chip \/sys\/class\/pwm\/pwmchip0 \(4 channels, .*\) was unplugged/,
    );
    expect(await failureOf(() => fan.setPwm(0.6))).toMatch(/^hardware.gone/);
    bench.sim.plug(pwmChip);
    await fan.setPwm(0.6);
    expect(bench.sim.probePwm(pwmChip, 1).dutyCycle).toBeCloseTo(0.6);
    expect(bench.hardware.gpioLines(chip0)[9]?.isUsed).toBe(false);
  });

  it('closes whatever is gone', async () => {
    const board = await bench.linux({ pins: far });
    await board.gpioPin('relay').set(true);
    await board.gpioPin('4').set(true);
    bench.sim.unplug(chip1);
    await board.close();
    expect(bench.sim.probe(chip0, 4)).toMatchObject({ isDriven: false, isHigh: false });
    expect(bench.clock.pending).toBe(0);
  });
});

describe.skipIf(hardwareIsMissing)('DoCommand of a linux board on a simulated computer', () => {
  let bench: SimBench;
  let board: LinuxBoard;
  beforeEach(async () => {
    bench = await SimBench.open();
    board = await bench.linux({
      pins: [{ name: 'fan', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 1 }],
      analogs: [{ name: 'pot', pin: '2', spi_bus: '0', chip_select: '0' }],
    });
  });
  afterEach(() => bench.close());

  it('is the other end of its wires', async () => {
    await board.doCommand({ simulate: { pull: ['5', true] } });
    expect(await board.gpioPin('5').get()).toBe(true);
    await board.gpioPin('6').set(true);
    expect(await board.doCommand({ simulate: { probe: '6' } })).toMatchObject({ is_driven: true, is_high: true });
    await board.gpioPin('fan').setPwm(0.25);
    expect(await board.doCommand({ simulate: { probe: 'fan' } })).toEqual({ duty: 0.25, freq_hz: 800 });
    await board.doCommand({ simulate: { analog: ['pot', 300] } });
    await bench.pass(5);
    await eventually(async () => {
      const reading = board.readAnalog('pot');
      await bench.passUntil(reading);
      return (await reading).value === 300;
    });
    await board.doCommand({ simulate: { unplug: chip0 } });
    expect(await failureOf(() => board.gpioPin('6').set(false))).toMatch(/^hardware.gone/);
    await board.doCommand({ simulate: { plug: chip0 } });
    await board.gpioPin('6').set(false);
  });

  it('knows nothing else, and nothing at all on a real computer', async () => {
    for (const command of [{}, { simulate: {} }, { simulate: { pull: ['5'] } }, { simulate: { analog: ['x', 1] } }]) {
      expect(await failureOf(() => board.doCommand(command as never))).toMatch(
        /^call.bad_argument: Board "b".* knows the commands \{"simulate": \{"pull"/,
      );
    }
  });
});
