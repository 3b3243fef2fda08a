import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LinuxBoard } from './linux-board.ts';
import { chip0, eventually, failureOf, hardwareIsMissing, pwmChip, SimBench } from './testing/sim-bench.ts';
import { silentLogger } from '../../../base/logger.ts';
import { ComputerHardware } from '../../../hardware/computer-hardware.ts';

/** Blocks the event loop, as a bug would. */
function freeze(ms: number): void {
  const end = Date.now() + ms;
  while (Date.now() < end);
}

describe.skipIf(hardwareIsMissing)('pins of a linux board', () => {
  let bench: SimBench;
  beforeEach(async () => {
    bench = await SimBench.open();
  });
  afterEach(() => bench.close());
  const probe = (offset: number) => bench.sim.probe(chip0, offset);

  it('opens a line when it is used, as the board; reading drives nothing', async () => {
    const board = await bench.linux();
    expect(bench.hardware.gpioLines(chip0)[4]?.isUsed).toBe(false);
    bench.sim.pull(chip0, 4, true);
    expect(await board.gpioPin('4').get()).toBe(true);
    expect(bench.hardware.gpioLines(chip0)[4]).toMatchObject({ consumer: 'armature b', isOutput: false });
    expect(probe(4).isDriven).toBe(false);
    bench.sim.pull(chip0, 4, false);
    expect(await board.gpioPin('4').get()).toBe(false);
    expect(await board.status()).toMatchObject({ pins: {} });
  });

  it('a plain level ends PWM; duty and frequency read back as on the fake board', async () => {
    const pin = (await bench.linux()).gpioPin('4');
    await pin.set(true);
    expect([await pin.get(), probe(4).isHigh, await pin.pwm(), await pin.pwmFrequency()]).toEqual([true, true, 0, 0]);
    await pin.setPwmFrequency(100);
    await pin.setPwm(0.25);
    expect([await pin.pwm(), await pin.pwmFrequency()]).toEqual([0.25, 100]);
    await pin.set(false);
    expect([await pin.get(), await pin.pwm(), await pin.pwmFrequency()]).toEqual([false, 0, 0]);
    const edges = bench.hardware.stats().pwmEdges;
    expect(probe(4)).toMatchObject({ isDriven: true, isHigh: false });
    expect(bench.hardware.stats().pwmEdges).toBe(edges);
  });

  it("a frequency before any duty drives nothing; 0 and 1 hold the line; the default is the board's", async () => {
    const board = await bench.linux({ pwm_frequency_hz: 400 });
    const pin = board.gpioPin('4');
    await pin.setPwmFrequency(200);
    expect(probe(4).isDriven).toBe(false);
    await pin.setPwmFrequency(0);
    expect(await pin.pwmFrequency()).toBe(0);
    await pin.setPwm(0);
    expect(probe(4)).toMatchObject({ isDriven: true, isHigh: false });
    expect(await pin.pwmFrequency()).toBe(400);
    await pin.setPwm(1);
    probe(4);
    freeze(20);
    expect(probe(4).dutyCycle).toBe(1);
    expect(bench.hardware.stats().pwmEdges).toBe(0);
  });

  it('impossible duties and frequencies name the pin, the value and what is allowed', async () => {
    const board = await bench.linux();
    const pin = board.gpioPin('4');
    const { pwmHz } = bench.hardware.limits();
    for (const duty of [-0.01, 1.01, Number.NaN]) {
      expect(await failureOf(() => pin.setPwm(duty))).toBe(
        `call.bad_argument: Pin "4": duty ${duty} is not between 0 and 1.`,
      );
    }
    for (const freqHz of [0.5, pwmHz + 1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(await failureOf(() => pin.setPwmFrequency(freqHz))).toMatch(
        new RegExp(`^call.bad_argument: Pin "4": a PWM frequency of ${freqHz} Hz .* allowed is 1 to ${pwmHz} Hz`),
      );
    }
    expect(probe(4).isDriven).toBe(false);
    await board.gpioPin('5').setPwm(0.5);
    expect(await board.gpioPin('5').pwm()).toBe(0.5);
  });

  it('a chip that turns too slow for its PWM ends it, and the next commands say so, and what is possible', async () => {
    const pin = (await bench.linux()).gpioPin('4');
    await pin.setPwmFrequency(400);
    await pin.setPwm(0.2);
    bench.sim.delayWrites(chip0, 1);
    await eventually(() => bench.hardware.stats().tooSlow > 0);
    expect(await failureOf(() => pin.setPwm(0.2))).toMatch(
      /^hardware.failed: Board "b": the chip became too slow for the PWM of "4", which went to safe levels/,
    );
    expect(probe(4).isHigh).toBe(false);
    await pin.setPwmFrequency(400);
    expect(await failureOf(() => pin.setPwm(0.2))).toMatch(/^hardware.invalid: .*"4".* can be kept .* at most \d+ Hz/);
  });

  it('is one pin under all its names, with what the configuration says of it', async () => {
    const board = await bench.linux({
      pins: [
        { name: 'led', line_number: 7, safe: 'high', active_low: true },
        { name: 'SIM9', bias: 'pull-up' },
      ],
    });
    expect(board.gpioPin('7')).toBe(board.gpioPin('led'));
    expect(board.gpioPin('9')).toBe(board.gpioPin('SIM9'));
    await board.gpioPin('led').set(false);
    expect(probe(7).isHigh).toBe(true);
    await board.gpioPin('led').makeSafe();
    expect([probe(7).isHigh, await board.gpioPin('7').get()]).toEqual([false, true]);
    expect(await board.gpioPin('9').get()).toBe(true);
    await board.gpioPin('9').makeSafe();
    expect(probe(9).isDriven).toBe(false);
  });

  it('PWM of a PWM chip drives the pin where the configuration says so, also its plain levels', async () => {
    const board = await bench.linux({
      pins: [{ name: 'fan', line_number: 3, pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 2 }],
    });
    const pin = board.gpioPin('fan');
    expect(await failureOf(() => pin.get())).toMatch(/^call.failed_precondition: .*"fan".* only once it is driven$/);
    await pin.setPwmFrequency(20_000);
    await pin.setPwm(0.3);
    expect(bench.sim.probePwm(pwmChip, 2)).toMatchObject({ dutyCycle: 0.3, frequencyHz: 20_000 });
    await pin.set(true);
    expect([bench.sim.probePwm(pwmChip, 2).dutyCycle, await pin.get()]).toEqual([1, true]);
    expect(bench.hardware.gpioLines(chip0)[3]?.isUsed).toBe(false);
    await board.close();
    expect(bench.sim.probePwm(pwmChip, 2).dutyCycle).toBe(0);
  });

  it('a change of the duty alone writes nothing else to the PWM chip', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'armature-pwm-'));
    const channel = path.join(root, 'sys/class/pwm/pwmchip0/pwm1');
    mkdirSync(channel, { recursive: true });
    writeFileSync(path.join(channel, '../npwm'), '2\n');
    for (const name of ['period', 'duty_cycle', 'enable']) writeFileSync(path.join(channel, name), '0\n');
    const computer = new ComputerHardware('linux', root);
    const hardware = await computer.open();
    onTestFinished(async () => {
      await computer.close();
      rmSync(root, { recursive: true });
    });
    const fan = { name: 'fan', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 1 };
    const board = new LinuxBoard({
      name: 'b',
      attributes: { pins: [fan] },
      header: undefined,
      hardware,
      clock: bench.clock,
      logger: silentLogger,
    });
    const text = (name: string) => Number.parseInt(readFileSync(path.join(channel, name), 'utf8'), 10);
    await board.gpioPin('fan').setPwmFrequency(1_000);
    await board.gpioPin('fan').setPwm(0.25);
    expect([text('period'), text('duty_cycle'), text('enable')]).toEqual([1_000_000, 250_000, 1]);
    // Any write would then be visible.
    for (const name of ['period', 'enable']) writeFileSync(path.join(channel, name), '7\n');
    await board.gpioPin('fan').setPwm(0.75);
    expect([text('period'), text('duty_cycle'), text('enable')]).toEqual([7, 750_000, 7]);
    await board.close();
  });

  it('without its PWM chip a pin with a line has PWM by software, one without is an error', async () => {
    const board = await bench.linux({
      pins: [
        { name: 'fan', line_number: 3, pwm_chip_sysfs_dir: 'pwmchip7', pwm_id: 0 },
        { name: 'only', pwm_chip_sysfs_dir: 'pwmchip7', pwm_id: 1 },
      ],
    });
    await board.gpioPin('fan').setPwm(0.5);
    expect(probe(3).isDriven).toBe(true);
    expect(bench.log.join('\n')).toMatch(/there is no PWM chip "pwmchip7".* made by software/);
    expect(await failureOf(() => board.gpioPin('only').setPwm(0.5))).toMatch(
      /^hardware.missing: Board "b", pin "only": there is no PWM chip "pwmchip7"; this computer has .*pwmchip0/,
    );
  });

  it('a line in use names its holder, and the others work', async () => {
    const held = bench.hardware.openLine({ chip: chip0, offset: 4, consumer: 'somebody' });
    const board = await bench.linux();
    expect(await failureOf(() => board.gpioPin('4').set(true))).toMatch(
      /^hardware.busy: Board "b", pin "4": .*'somebody'/,
    );
    await board.gpioPin('5').set(true);
    expect(probe(5).isHigh).toBe(true);
    held.close();
    await board.gpioPin('4').set(true);
    expect(probe(4).isHigh).toBe(true);
  });

  it('closing drives everything safe and lets it go; a closed board takes nothing', async () => {
    const board = await bench.linux({ pins: [{ name: 'brake', line_number: 6, safe: 'high' }] });
    await board.gpioPin('4').set(true);
    await board.gpioPin('5').setPwm(0.9);
    await board.gpioPin('brake').set(false);
    const pin = board.gpioPin('4');
    await board.close();
    expect(board.closed.aborted).toBe(true);
    expect([4, 5, 6].map((offset) => [probe(offset).isDriven, probe(offset).isHigh])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect(await failureOf(() => board.gpioPin('4'))).toBe('resource.not_ready: Board "b" is closed.');
    expect(await failureOf(() => pin.set(true))).toMatch(/^resource.not_ready/);
    expect(bench.hardware.gpioLines(chip0).some(({ isUsed }) => isUsed)).toBe(false);
  });

  it('what was made safe while the program hung stays so: who drove it is told, and its next command fails once', async () => {
    const board = await bench.linux({ expiry_ms: 150 });
    const [a, b, other] = ['1', '2', '3'].map((name) => board.gpioPin(name));
    if (a === undefined || b === undefined || other === undefined) throw new Error('no pins');
    const lost: string[] = [];
    a.onLost((reason) => lost.push(reason.code));
    other.onLost(() => lost.push('other'));
    await a.set(true);
    await b.setPwm(0.5);
    await other.set(false);
    while (bench.hardware.stats().expiries < 2) freeze(20);
    // Driving only one of a driver's two pins could turn its motor the other way.
    expect(await failureOf(() => b.setPwm(0.6))).toMatch(
      /^hardware.failed: .* 150 ms, so "1", "2" went to safe levels/,
    );
    expect([lost, probe(1).isHigh, probe(2).isHigh]).toEqual([['hardware.failed'], false, false]);
    expect([await a.get(), await b.pwm()]).toEqual([false, 0]);
    expect(bench.log.filter((line) => line.startsWith('error'))).toHaveLength(1);
    await a.set(true);
    expect(probe(1).isHigh).toBe(true);
    expect(await board.status()).toMatchObject({ pins: { 1: 1, 3: 0 }, expired_outputs: 2 });
  });

  it('sees by itself within a second that something was made safe', async () => {
    const board = await bench.linux({ expiry_ms: 150 });
    const lost: string[] = [];
    board.gpioPin('1').onLost((reason) => lost.push(reason.code));
    await board.gpioPin('1').set(true);
    while (bench.hardware.stats().expiries < 1) freeze(20);
    bench.clock.advance(1_000);
    expect(lost).toEqual(['hardware.failed']);
    expect(bench.clock.pending).toBe(0);
  });
});
