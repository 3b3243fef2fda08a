import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chip0, chip1, eventually, failureOf, SimBench, hardwareIsMissing } from './testing/sim-bench.ts';
import type { Tick } from '../../../apis/board/types.ts';

describe.skipIf(hardwareIsMissing)('digital interrupts of a linux board', () => {
  let bench: SimBench;
  beforeEach(async () => {
    bench = await SimBench.open();
  });
  afterEach(() => bench.close());

  function pulse(offset: number, times: number, chip = chip0): void {
    for (let count = 0; count < times; count++) {
      bench.sim.pull(chip, offset, true);
      bench.sim.pull(chip, offset, false);
    }
  }

  it("count every edge, tick with the level after it and the kernel's time, and say the level", async () => {
    const board = await bench.linux({ digital_interrupts: [{ name: 'a', pin: '3' }] });
    const a = board.digitalInterrupt('a');
    const ticks: Tick[] = [];
    a.onTick((tick) => ticks.push(tick));
    bench.sim.pull(chip0, 3, true);
    expect(await a.level()).toBe(true);
    pulse(3, 2);
    await eventually(() => ticks.length === 4);
    expect(await a.value()).toBe(4);
    expect(ticks.map(({ isHigh, interrupt }) => `${interrupt} ${isHigh}`)).toEqual([
      'a true',
      'a false',
      'a true',
      'a false',
    ]);
    const times = ticks.map(({ timeNs }) => timeNs);
    expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0n))).toBe(true);
    // The clock of the bench stands still: what the board took as now when it was built, and a little.
    const sinceBuilt = (times[0] ?? 0n) - BigInt(bench.clock.now()) * 1_000_000n;
    expect(sinceBuilt > 0n && sinceBuilt < 60_000_000_000n).toBe(true);
  });

  it('of one chip are one watch, found by name and by pin, read as pins and not driven', async () => {
    const board = await bench.linux({
      pins: [{ name: 'enc_b', line_number: 5, bias: 'pull-up' }],
      digital_interrupts: [
        { name: 'a', pin: '3' },
        { name: 'b', pin: 'enc_b' },
      ],
    });
    expect(bench.hardware.gpioLines(chip0).filter(({ isUsed }) => isUsed)).toMatchObject([
      { offset: 3, consumer: 'armature b' },
      { offset: 5, bias: 'pull-up' },
    ]);
    const byPin = board.digitalInterrupt('3');
    const names: string[] = [];
    byPin.onTick(({ interrupt }) => names.push(interrupt));
    pulse(3, 1);
    await eventually(() => names.length === 2);
    expect([names[0], await byPin.value(), await board.digitalInterrupt('a').value()]).toEqual(['3', 2, 2]);
    expect(await board.gpioPin('enc_b').get()).toBe(true);
    bench.sim.pull(chip0, 3, true);
    expect(await board.gpioPin('a').get()).toBe(true);
    expect(await failureOf(() => board.gpioPin('3').set(true))).toMatch(
      /^call.failed_precondition: Pin "(a|3)" is digital interrupt "a" and cannot be driven/,
    );
    expect(bench.sim.probe(chip0, 3).isDriven).toBe(false);
  });

  it('tell what has come by now to who asks for it, before the event loop has turned', async () => {
    const board = await bench.linux({ digital_interrupts: [{ name: 'a', pin: '3' }] });
    const a = board.digitalInterrupt('a');
    let ticks = 0;
    a.onTick(() => ticks++);
    pulse(3, 2);
    expect(ticks).toBe(0);
    a.catchUp?.();
    expect(ticks).toBe(4);
  });

  it('take their edges, bias and level from the configuration', async () => {
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'rising', pin: '1', edges: 'rising' },
        { name: 'low', pin: '2', active_low: true },
        { name: 'slow', pin: '3', debounce_us: 5_000 },
      ],
    });
    pulse(1, 3);
    bench.sim.pull(chip0, 2, true);
    pulse(3, 10);
    bench.sim.pull(chip0, 3, true);
    const [rising, low, slow] = ['rising', 'low', 'slow'].map((name) => board.digitalInterrupt(name));
    await eventually(async () => (await slow?.value()) === 1);
    expect([await rising?.value(), await low?.level()]).toEqual([3, false]);
  });

  it('are made of a pin that is asked for, unless it is driven', async () => {
    const board = await bench.linux();
    await board.gpioPin('7').get();
    expect(await board.digitalInterrupt('7').value()).toBe(0);
    pulse(7, 2);
    await eventually(async () => (await board.digitalInterrupt('7').value()) === 4);
    await board.gpioPin('8').set(false);
    expect(await failureOf(() => board.digitalInterrupt('8'))).toMatch(
      /^call.failed_precondition: Board "b".* pin "8" is driven, so its edges cannot be watched/,
    );
    expect(await failureOf(() => board.digitalInterrupt('knob'))).toMatch(
      /^call.not_found: Board "b": there is no pin/,
    );
    expect(Object.keys((await board.status())['digital_interrupts'] as object)).toEqual(['7']);
  });

  it('that another program holds name it and keep the others from nothing; they come when it lets go', async () => {
    const held = bench.hardware.openLine({ chip: chip0, offset: 4, consumer: 'gpiomon' });
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'a', pin: '3' },
        { name: 'held', pin: '4' },
      ],
    });
    pulse(3, 1);
    await eventually(async () => (await board.digitalInterrupt('a').value()) === 2);
    const busy = /^hardware.busy: Board "b", digital interrupt "held": .*'gpiomon'/;
    expect(await failureOf(() => board.digitalInterrupt('held').value())).toMatch(busy);
    expect(board.digitalInterrupt('held').failure?.code).toBe('hardware.busy');
    expect(bench.log.filter((line) => line.includes('gpiomon'))).toHaveLength(1);
    bench.clock.advance(3_000);
    expect(bench.log.filter((line) => line.includes('gpiomon'))).toHaveLength(1);
    held.close();
    bench.clock.advance(1_000);
    pulse(4, 1);
    await eventually(async () => (await board.digitalInterrupt('held').value()) === 2);
    expect(board.digitalInterrupt('held').failure).toBeUndefined();
    expect(bench.clock.pending).toBe(0);
  });

  it('of a flood lose none for who counts, and say what was lost; others are not held up', async () => {
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'flood', pin: '3' },
        { name: 'calm', pin: '4' },
      ],
    });
    let told = 0;
    let missed = 0;
    const calm: boolean[] = [];
    board.digitalInterrupt('flood').onTick((tick) => {
      told++;
      missed += tick.missed ?? 0;
    });
    board.digitalInterrupt('calm').onTick(({ isHigh }) => calm.push(isHigh));
    bench.sim.pull(chip0, 4, true);
    await eventually(() => calm.length === 1);
    // The event loop reads no edges meanwhile, and the kernel keeps 1,024.
    const pulses = 100_000;
    pulse(3, pulses);
    const lost = async () => (await board.status())['lost_edges'] as Record<string, number>;
    // Every edge is counted, reported or lost. When both add up, the reader has taken all of them.
    await eventually(async () => told + ((await lost())['flood'] ?? 0) === 2 * pulses);
    bench.sim.pull(chip0, 4, false);
    await eventually(() => calm.length === 2);
    expect(await board.digitalInterrupt('flood').value()).toBe(2 * pulses);
    expect((await lost())['flood']).toBeGreaterThan(0);
    expect((await lost())['calm']).toBe(0);
    // Each tick tells listeners how many edges are missing before it.
    expect(missed).toBe((await lost())['flood']);
    expect(bench.log.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringMatching(/^warn Board "b": \d+ edges came faster than they could be told/),
    ]);
  });

  it('that nobody listened to for a while tell what is missing since then only', async () => {
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'flood', pin: '3' },
        { name: 'calm', pin: '4' },
      ],
    });
    let isOver = false;
    board.digitalInterrupt('calm').onTick(() => (isOver = true));
    pulse(3, 50_000);
    bench.sim.pull(chip0, 4, true);
    await eventually(() => isOver);
    const ticks: Tick[] = [];
    board.digitalInterrupt('flood').onTick((tick) => ticks.push(tick));
    pulse(3, 1);
    await eventually(() => ticks.length === 2);
    expect(((await board.status())['lost_edges'] as Record<string, number>)['flood']).toBeGreaterThan(0);
    expect(ticks.map(({ missed }) => missed)).toEqual([undefined, undefined]);
  });

  it('of a chip that was unplugged fail, and go on with their counts when it is back; others go on', async () => {
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'here', pin: '3' },
        { name: 'there', pin: 'far' },
      ],
      pins: [{ name: 'far', device_name: 'sim-1', line_number: 2 }],
    });
    const there = board.digitalInterrupt('there');
    const ticks: Tick[] = [];
    there.onTick((tick) => ticks.push(tick));
    pulse(2, 1, chip1);
    await eventually(() => ticks.length === 2);
    bench.sim.unplug(chip1);
    await eventually(() => there.failure !== undefined);
    expect(await failureOf(() => there.value())).toMatch(
      /^hardware.gone: Board "b", digital interrupt "there": GPIO chip \/dev\/gpiochip1 \(sim-1\) was unplugged; plug it in/,
    );
    pulse(3, 1);
    await eventually(async () => (await board.digitalInterrupt('here').value()) === 2);
    bench.clock.advance(2_000);
    expect(there.failure?.code).toBe('hardware.gone');
    bench.sim.plug(chip1);
    bench.clock.advance(1_000);
    expect(there.failure).toBeUndefined();
    pulse(2, 1, chip1);
    await eventually(() => ticks.length === 4);
    expect(await there.value()).toBe(4);
    expect(
      bench.log.filter((line) => /unplugged|is back|watched again/.test(line)).map((line) => line.slice(0, 5)),
    ).toEqual(['error', 'info ', 'info ']);
    expect(bench.clock.pending).toBe(0);
  });
});
