import { readFileSync } from 'node:fs';
import path from 'node:path';

const benchFile = path.join(import.meta.dirname, '../fixtures/bench.json');

interface MachineText {
  components: unknown[];
  network: { bind_address: string };
}

/** A resource that depends on nothing; the three models take turns. */
function independent(index: number): object {
  switch (index % 3) {
    case 0:
      return { name: `echo-${index}`, api: 'core:component:generic', model: 'fake' };
    case 1:
      return { name: `motor-${index}`, api: 'core:component:motor', model: 'fake', attributes: { max_rpm: 100 } };
    default:
      return {
        name: `sensor-${index}`,
        api: 'core:component:sensor',
        model: 'fake',
        attributes: { readings: { temperature: 20 } },
      };
  }
}

/** The bench of e2e/fixtures (7 resources), extended to `total` resources, served on one port. */
export function benchConfig(port: number, total: number): string {
  const machine = JSON.parse(readFileSync(benchFile, 'utf8')) as MachineText;
  machine.network.bind_address = `127.0.0.1:${port}`;
  const missing = Math.max(0, total - machine.components.length);
  machine.components.push(...Array.from({ length: missing }, (_, index) => independent(index)));
  return JSON.stringify(machine, undefined, 2);
}

/** A machine of `total` resources, none of which depends on another. */
export function independentConfig(port: number, total: number): string {
  const components = Array.from({ length: total }, (_, index) => independent(index));
  return JSON.stringify({ components, network: { bind_address: `127.0.0.1:${port}` } }, undefined, 2);
}

/** Resources of one group of {@link groupedConfig}. */
export const GROUP_SIZE = 10;

/**
 * A board and the resources around it, as on a bench: {@link GROUP_SIZE} resources of all kinds, six of which depend on
 * another.
 */
function group(index: number): object[] {
  const board = `bench-${index}`;
  const on = (name: string, subtype: string, model: string, attributes: object): object => ({
    name: `${name}-${index}`,
    api: `core:component:${subtype}`,
    model,
    attributes,
  });
  const axis = (name: string, [a, b, pwm, one, two]: readonly [string, string, string, string, string]) => ({
    interrupts: [one, two].map((pin, channel) => ({ name: `${name}-${'ab'[channel]}`, pin })),
    simulated: { pins: { a, b, pwm }, encoder_pins: { a: one, b: two }, ticks_per_rotation: 200, max_rpm: 120 },
    resources: [
      on(`${name}-encoder`, 'encoder', 'incremental', { board, pins: { a: `${name}-a`, b: `${name}-b` } }),
      on(`${name}-motor`, 'motor', 'gpio', {
        board,
        pins: { a, b, pwm },
        encoder: `${name}-encoder-${index}`,
        ticks_per_rotation: 200,
        max_rpm: 120,
      }),
    ],
  });
  const [x, y] = [axis('x', ['11', '13', '12', '21', '22']), axis('y', ['31', '33', '32', '23', '24'])];
  return [
    on('bench', 'board', 'fake', {
      fail_new: false,
      analogs: [{ name: 'pot', pin: '0', chip_select: '0', spi_bus: '0', samples_per_sec: 50 }],
      digital_interrupts: [...x.interrupts, ...y.interrupts],
      simulated_motors: [x.simulated, y.simulated],
    }),
    ...x.resources,
    ...y.resources,
    on('turntable', 'encoder', 'fake', { ticks_per_sec: 20, ticks_per_rotation: 100 }),
    on('fan', 'motor', 'fake', { max_rpm: 100 }),
    on('climate', 'sensor', 'fake', { readings: { celsius: { wave: 'sine', min: 20, max: 24 }, humidity: 40 } }),
    { ...on('door', 'sensor', 'fake', { readings: { is_open: false } }), depends_on: [board] },
    { ...on('script', 'generic', 'fake', {}), depends_on: [`climate-${index}`] },
  ];
}

/** A machine of this many benches of {@link GROUP_SIZE} resources, on any free port. */
export function groupedConfig(groups: number): string {
  const components = Array.from({ length: groups }, (_, index) => group(index + 1)).flat();
  return JSON.stringify({ network: { bind_address: 'localhost:0' }, components }, undefined, 2);
}

/** Boards with four analogs each whose value changes 50 times a second: the page plots them by default. */
export function analogsConfig(boards: number): string {
  const analog = (name: string, index: number): object => ({
    name,
    pin: String(index + 2),
    chip_select: '0',
    spi_bus: '0',
    samples_per_sec: 50,
  });
  const components = Array.from({ length: boards }, (_, index) => ({
    name: `bench-${index + 1}`,
    api: 'core:component:board',
    model: 'fake',
    attributes: { fail_new: false, analogs: ['first', 'second', 'third', 'fourth'].map(analog) },
  }));
  return JSON.stringify({ network: { bind_address: 'localhost:0' }, components }, undefined, 2);
}

/** Encoded motors, each on a separate fake board with a simulated motor at its pins. */
export function motorsConfig(port: number, names: readonly string[]): string {
  const ticks = 200;
  const pinsOf = (name: string): object => ({ a: `${name}-1`, b: `${name}-2`, pwm: `${name}-3` });
  const channelsOf = (name: string): object => ({ a: `${name}-4`, b: `${name}-5` });
  const simulated = names.map((name) => ({
    pins: pinsOf(name),
    encoder_pins: channelsOf(name),
    ticks_per_rotation: ticks,
    max_rpm: 120,
  }));
  const components = names.flatMap((name) => [
    {
      name: `${name}-encoder`,
      api: 'core:component:encoder',
      model: 'incremental',
      attributes: { board: 'bench', pins: channelsOf(name) },
    },
    {
      name,
      api: 'core:component:motor',
      model: 'gpio',
      attributes: { board: 'bench', pins: pinsOf(name), encoder: `${name}-encoder`, ticks_per_rotation: ticks },
    },
  ]);
  const board = {
    name: 'bench',
    api: 'core:component:board',
    model: 'fake',
    attributes: { simulated_motors: simulated },
  };
  return JSON.stringify({ components: [board, ...components], network: { bind_address: `127.0.0.1:${port}` } });
}
