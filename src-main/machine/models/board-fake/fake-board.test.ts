import { describe, expect, it } from 'vitest';
import { TestBench } from '../bench.fixture.ts';
import type { Board, Tick } from '../../../apis/board/types.ts';
import { ManualClock, type Timer } from '../../../base/clock.ts';
import { FakeBoard } from './fake-board.ts';
import { IncrementalEncoder } from '../encoder-incremental/incremental-encoder.ts';
import { powerFromPins } from './simulated-motor.ts';

const analog = (extra: object = {}) => ({ name: 'level', pin: '2', chip_select: '0', spi_bus: '0', ...extra });

async function readings(board: Board, count: number): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < count; index++) values.push((await board.readAnalog('level')).value);
  return values;
}

/** A computer whose timers never fire. */
class TimerlessClock extends ManualClock {
  #ms = 0;
  override monotonic = (): number => this.#ms;
  override every = (): Timer => ({ cancel: () => undefined });
  pass(ms: number): void {
    this.#ms += ms;
  }
}

describe('fake board, attribute by attribute', () => {
  it('fail_new: true raises an error at start that names the board and the way out', async () => {
    const bench = new TestBench();
    await expect(bench.build('core:component:board', 'fake', 'bench', { fail_new: true })).rejects.toMatchObject({
      code: 'hardware.unavailable',
      message: 'Board "bench" fails at start because "fail_new" is true; set it to false to use the board.',
    });
    await expect(bench.build('core:component:board', 'fake', 'bench', { fail_new: false })).resolves.toBeDefined();
    await expect(bench.build('core:component:board', 'fake', 'bench', {})).resolves.toBeDefined();
  });

  it('analogs: reads count 1, 2, ... 1000, 0, 1', async () => {
    const board = new TestBench().board({ analogs: [analog()] });
    const values = await readings(board, 1_003);
    expect(values.slice(0, 3)).toEqual([1, 2, 3]);
    expect(values.slice(998)).toEqual([999, 1000, 0, 1, 2]);
    expect(await board.readAnalog('level')).toEqual({ value: 3, min: 0, max: 1000, step: 1 });
  });

  it('analogs[].pin: pin "1" reads back what was written, 0 at first; others count on from it', async () => {
    const board = new TestBench().board({ analogs: [analog({ pin: '1' })] });
    expect(await readings(board, 2)).toEqual([0, 0]);
    await board.writeAnalog('1', 77);
    expect(await readings(board, 2)).toEqual([77, 77]);
    const other = new TestBench().board({ analogs: [analog()] });
    await other.writeAnalog('2', 500);
    expect(await readings(other, 2)).toEqual([501, 502]);
    await other.writeAnalog('level', 700);
    expect(await readings(other, 1)).toEqual([701]);
    await expect(other.writeAnalog('9', 1)).rejects.toMatchObject({ code: 'call.not_found' });
  });

  it('reads an analog that has only a name, as the public server does', async () => {
    const board = new TestBench().board({ analogs: [{ name: 'level' }] });
    expect((await board.readAnalog('level')).value).toBe(1);
  });

  it('analogs[].name: an unknown one is an error that names those there are', async () => {
    const board = new TestBench().board({ analogs: [analog()] });
    await expect(board.readAnalog('levle')).rejects.toThrow('Board "bench" has no analog "levle"; it has "level".');
  });

  it('analogs[].samples_per_sec: the value changes that often, whoever reads', async () => {
    const bench = new TestBench();
    const board = bench.board({ analogs: [analog({ samples_per_sec: 10 })] });
    expect(await readings(board, 3)).toEqual([1, 1, 1]);
    bench.clock.advance(100);
    expect(await readings(board, 2)).toEqual([2, 2]);
    bench.clock.advance(1_000);
    expect(await readings(board, 1)).toEqual([12]);
  });

  it('analogs[].average_over_ms: a read is the rolling average of the samples in that time', async () => {
    const bench = new TestBench();
    const board = bench.board({ analogs: [analog({ average_over_ms: 500, samples_per_sec: 10 })] });
    bench.clock.advance(900);
    expect(await readings(board, 1)).toEqual([8]);
    const loop = bench.board({ analogs: [analog({ pin: '1', average_over_ms: 1_000, samples_per_sec: 10 })] }, 'loop');
    await loop.writeAnalog('1', 100);
    bench.clock.advance(1_000);
    expect(await readings(loop, 1)).toEqual([100]);
    await loop.writeAnalog('1', 200);
    bench.clock.advance(400);
    expect(await readings(loop, 1)).toEqual([150]);
    bench.clock.advance(1_000);
    expect(await readings(loop, 1)).toEqual([200]);
  });

  it('digital_interrupts: a tick each 700 ms, in nanoseconds that grow, and Value counts them', async () => {
    const bench = new TestBench();
    const board = bench.board({ digital_interrupts: [{ name: 'button', pin: '35' }] });
    const ticks: Tick[] = [];
    const interrupt = board.digitalInterrupt('button');
    bench.clock.advance(1_500);
    const end = interrupt.onTick((tick) => ticks.push(tick));
    bench.clock.advance(2_100);
    expect(ticks).toHaveLength(3);
    expect(ticks.map((tick) => tick.interrupt)).toEqual(['button', 'button', 'button']);
    expect(ticks[1]?.timeNs).toBe((ticks[0]?.timeNs ?? 0n) + 700_000_000n);
    expect(ticks[0]?.timeNs).toBe(1_700_000_000_000_000_000n + 2_100_000_000n);
    expect(await interrupt.value()).toBe(5);
    expect(await interrupt.level()).toBe(ticks[2]?.isHigh);
    end();
    expect(bench.clock.pending).toBe(0);
    bench.clock.advance(700);
    expect(ticks).toHaveLength(3);
    expect(await interrupt.value()).toBe(6);
  });

  it('the same seed gives the same levels, another gives others', async () => {
    const levels = (seed: number): boolean[] => {
      const bench = new TestBench();
      const board = bench.board({ seed, digital_interrupts: [{ name: 'button', pin: '35' }] });
      const seen: boolean[] = [];
      board.digitalInterrupt('button').onTick((tick) => seen.push(tick.isHigh));
      bench.clock.advance(700 * 64);
      return seen;
    };
    expect(levels(7)).toEqual(levels(7));
    expect(levels(7)).not.toEqual(levels(8));
    expect(new Set(levels(7)).size).toBe(2);
  });

  it('digital_interrupts[].name, [].pin: found by either, unknown is an error', () => {
    const board = new TestBench().board({ digital_interrupts: [{ name: 'button', pin: '35' }] });
    expect(board.digitalInterrupt('button').name).toBe('button');
    expect(board.digitalInterrupt('35').name).toBe('35');
    expect(() => board.digitalInterrupt('knob')).toThrow('has no digital interrupt "knob"');
  });

  it('closing takes every pin to its safe value and tells whoever streams', async () => {
    const board = new TestBench().board();
    await board.gpioPin('11').set(true);
    await board.gpioPin('12').setPwm(0.5);
    expect(board.closed.aborted).toBe(false);
    await board.close();
    expect(board.closed.aborted).toBe(true);
    expect([board.gpioPin('11').output, board.gpioPin('12').output]).toEqual([0, 0]);
  });

  it('pins appear on demand; set ends PWM; duty and frequency are checked', async () => {
    const pin = new TestBench().board().gpioPin('any');
    expect([await pin.get(), await pin.pwm(), await pin.pwmFrequency()]).toEqual([false, 0, 0]);
    await pin.setPwmFrequency(1_000);
    await pin.setPwm(0.4);
    expect([await pin.pwm(), await pin.pwmFrequency(), pin.output]).toEqual([0.4, 1_000, 0.4]);
    await pin.set(true);
    expect([await pin.get(), await pin.pwm(), await pin.pwmFrequency(), pin.output]).toEqual([true, 0, 0, 1]);
    for (const duty of [-0.1, 1.1, Number.NaN]) {
      await expect(pin.setPwm(duty)).rejects.toMatchObject({ code: 'call.bad_argument' });
    }
    await expect(pin.setPwmFrequency(-1)).rejects.toMatchObject({ code: 'call.bad_argument' });
  });
});

describe('simulated motor', () => {
  const outputs = (values: Readonly<Record<string, number>>) => (pin: string) => values[pin] ?? 0;

  it('reads every driver style, either pin with PWM, and both enable pins', () => {
    const cases: [object, Record<string, number>, number][] = [
      [{ a: 'a', b: 'b' }, { a: 1, b: 0.75 }, 0.25],
      [{ a: 'a', b: 'b' }, { a: 0.25, b: 0 }, 0.25],
      [{ a: 'a', b: 'b' }, { a: 0.4, b: 1 }, -0.6],
      [{ a: 'a', b: 'b' }, { a: 1, b: 1 }, 0],
      [{ a: 'a', b: 'b', pwm: 'p' }, { a: 1, p: 0.3 }, 0.3],
      [{ a: 'a', b: 'b', pwm: 'p' }, { b: 1, p: 0.3 }, -0.3],
      [{ a: 'a', b: 'b', pwm: 'p' }, { a: 1, b: 1, p: 0.3 }, 0],
      [{ dir: 'd', pwm: 'p' }, { d: 1, p: 0.6 }, 0.6],
      [{ dir: 'd', pwm: 'p' }, { d: 0, p: 0.6 }, -0.6],
      [{ dir: 'd', pwm: 'p', en_high: 'e' }, { d: 1, p: 0.6 }, 0],
      [{ dir: 'd', pwm: 'p', en_high: 'e' }, { d: 1, p: 0.6, e: 1 }, 0.6],
      [{ dir: 'd', pwm: 'p', en_low: 'e' }, { d: 1, p: 0.6, e: 1 }, 0],
      [{ dir: 'd', pwm: 'p', en_low: 'e' }, { d: 1, p: 0.6 }, 0.6],
    ];
    for (const [pins, values, power] of cases) {
      expect(powerFromPins(pins, outputs(values)), JSON.stringify([pins, values])).toBeCloseTo(power, 9);
    }
  });

  it('has friction unless it is told to have none: little power does not turn it', async () => {
    const turned = async (extra: object): Promise<number> => {
      const bench = new TestBench();
      const board = bench.board({ simulated_motors: [{ pins: { a: 'a', b: 'b', pwm: 'p' }, ...extra }] });
      await board.gpioPin('a').set(true);
      await board.gpioPin('p').setPwm(0.05);
      bench.clock.advance(1_000);
      return board.simulatedMotors[0]?.revolutions ?? Number.NaN;
    };
    expect(await turned({})).toBe(0);
    expect(await turned({ friction: 0 })).toBeGreaterThan(0);
  });

  it('closes 63 % of the gap in a time constant, makes edges, and costs nothing at rest', async () => {
    const bench = new TestBench();
    const board = bench.board({
      simulated_motors: [
        {
          pins: { a: 'a', b: 'b' },
          encoder_pins: { a: 'ea', b: 'eb' },
          ticks_per_rotation: 100,
          max_rpm: 60,
          time_constant_ms: 200,
          friction: 0,
        },
      ],
    });
    const motor = board.simulatedMotors[0];
    let lastNs = 0n;
    board.digitalInterrupt('ea').onTick((tick) => {
      expect(tick.timeNs).toBeGreaterThan(lastNs);
      lastNs = tick.timeNs;
    });
    expect(bench.clock.pending).toBe(0);
    await board.gpioPin('a').set(true);
    bench.clock.advance(200);
    expect(motor?.rpm).toBeCloseTo(60 * (1 - Math.exp(-1)), 3);
    bench.clock.advance(10_000);
    expect(motor?.rpm).toBeCloseTo(60, 3);
    const edges = (await board.digitalInterrupt('ea').value()) + (await board.digitalInterrupt('eb').value());
    expect(edges).toBe(Math.floor((motor?.revolutions ?? 0) * 200));
    expect(lastNs).toBeGreaterThan(0n);
    await board.gpioPin('a').set(false);
    bench.clock.advance(5_000);
    expect(motor?.rpm).toBe(0);
    expect(bench.clock.pending).toBe(0);
  });

  it('an interrupt that is listed on an encoder pin gives the same edges under its own name', async () => {
    const bench = new TestBench();
    const board = bench.board({
      digital_interrupts: [{ name: 'enc-a', pin: 'ea' }],
      simulated_motors: [{ pins: { a: 'a', b: 'b' }, encoder_pins: { a: 'ea', b: 'eb' } }],
    });
    const names = new Set<string>();
    board.digitalInterrupt('enc-a').onTick((tick) => names.add(tick.interrupt));
    await board.gpioPin('a').set(true);
    bench.clock.advance(500);
    expect([...names]).toEqual(['enc-a']);
    expect(await board.digitalInterrupt('enc-a').value()).toBe(await board.digitalInterrupt('ea').value());
  });

  it('an encoder pin may be given by the name of its interrupt', async () => {
    const bench = new TestBench();
    const board = bench.board({
      digital_interrupts: [{ name: 'enc-a', pin: 'ea' }],
      simulated_motors: [{ pins: { a: 'a', b: 'b' }, encoder_pins: { a: 'enc-a', b: 'eb' } }],
    });
    await board.gpioPin('a').set(true);
    bench.clock.advance(500);
    expect(await board.digitalInterrupt('enc-a').value()).toBeGreaterThan(10);
    expect(await board.digitalInterrupt('ea').value()).toBe(await board.digitalInterrupt('enc-a').value());
  });

  it('DoCommand jams and frees a motor and tells its state', async () => {
    const bench = new TestBench();
    const board = bench.board({ simulated_motors: [{ pins: { a: 'a', b: 'b' } }] });
    await board.gpioPin('a').set(true);
    expect(await board.doCommand({ simulated_motor: 0, jammed: true })).toMatchObject({ rpm: 0, jammed: true });
    bench.clock.advance(1_000);
    expect(await board.doCommand({ simulated_motor: 0, jammed: false })).toMatchObject({ revolutions: 0 });
    bench.clock.advance(1_000);
    expect((await board.doCommand({ simulated_motor: 0 }))['rpm']).toBeGreaterThan(90);
    await expect(board.doCommand({ simulated_motor: 3 })).rejects.toMatchObject({ code: 'call.bad_argument' });
  });
});

describe('fake board, pins', () => {
  it('have names of their own, for calls and motors alike', async () => {
    const board = new TestBench().board({ pins: [{ name: 'lamp', pin: '7' }] });
    await board.gpioPin('lamp').set(true);
    expect(await board.gpioPin('7').get()).toBe(true);
  });

  it('are held where they ask for it, by any of their names, and while a motor owns them', async () => {
    const bench = new TestBench();
    const board = bench.board({
      pins: [
        { name: 'lamp', pin: '7', hold: 'session' },
        { name: '8', hold: 'always' },
      ],
      analogs: [analog({ name: 'valve', pin: '7' })],
    });
    const held = () => ['lamp', '7', 'valve', '8', '9'].map((pin) => board.holdsPin(pin));
    expect(held()).toEqual([true, true, true, false, false]);
    const [first, second] = [board.gpioPin('8').own(), board.gpioPin('8').own()];
    first();
    first();
    expect(held()).toEqual([true, true, true, true, false]);
    second();
    expect(board.holdsPin('8')).toBe(false);
  });
});

it('an encoder at a simulated motor tells where it is now, though no timer of the board has run since', async () => {
  const clock = new TimerlessClock();
  const motor = {
    pins: { pwm: '1', dir: '2' },
    encoder_pins: { a: '3', b: '4' },
    ticks_per_rotation: 200,
    max_rpm: 60,
  };
  const board = new FakeBoard('bench', { simulated_motors: [motor] }, clock);
  const [a, b] = [board.digitalInterrupt('3'), board.digitalInterrupt('4')];
  const encoder = new IncrementalEncoder({ name: 'enc', a, b, clock });
  await encoder.start();
  await board.gpioPin('2').set(true);
  await board.gpioPin('1').setPwm(1);
  let last = 0;
  for (let look = 0; look < 5; look++) {
    clock.pass(300);
    const { value } = await encoder.position('ticks');
    expect(value).toBeGreaterThan(last + 5);
    expect(value).toBe(Math.floor(200 * (board.simulatedMotors[0]?.revolutions ?? 0)));
    last = value;
  }
});
