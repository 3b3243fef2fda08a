import type { FakeBoardAttributes } from '../board-fake/schema.ts';
import type { LinuxBoardAttributes } from '../board-linux/attributes.ts';
import type { IncrementalEncoderAttributes } from '../encoder-incremental/schema.ts';
import type { SingleEncoderAttributes } from '../encoder-single/schema.ts';
import type { GpioMotorAttributes } from '../motor-gpio/schema.ts';
import type { AnalogSensorAttributes } from '../sensor-analog/schema.ts';
import type { AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { SimulatedMotorAttributes } from '../../../../proto/config/models/simulated-motor.ts';

/*
 * Checks the names that a resource uses from its board against the board's attributes. A schema sees only one resource;
 * these rules see two. Only known facts are checked: a fake board has what its attributes list, a board of the computer
 * has any line, and about a board of a module nothing is known.
 */

/** A resource as the rules need it: API and model in our spelling, and attributes that match the model's schema. */
export interface WiredResource {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes: unknown;
}

/** What would complete the wiring: an entry for one of the lists in the board's attributes. */
export interface WiringFix {
  readonly board: string;
  readonly list: 'digital_interrupts' | 'simulated_motors';
  readonly item: Readonly<Record<string, unknown>>;
  /** Name of the added entry, for a button. */
  readonly label: string;
}

export interface WiringProblem extends AttributeProblem {
  /** True if the resource cannot be built; otherwise it is built, but may do less than its author expects. */
  readonly keepsFromReady: boolean;
  readonly fix?: WiringFix;
}

/** Finds the resource that a name refers to; undefined if there is none, or more than one. */
export type ResourceLookup = (name: string, api: string) => WiredResource | undefined;

const fakeBoard = 'core:builtin:fake';
const linuxBoard = 'core:builtin:linux';

/** Names that a resource uses and its board does not have. Pointers are relative to `attributes`. */
export function wiringProblems(resource: WiredResource, find: ResourceLookup): WiringProblem[] {
  const { api, model } = resource;
  const attributes = resource.attributes as { readonly board?: unknown };
  if (typeof attributes.board !== 'string') return [];
  const board = find(attributes.board, 'core:component:board');
  if (board === undefined) return [];
  if (api === 'core:component:encoder' && board.model === fakeBoard) {
    if (model !== 'core:builtin:incremental' && model !== 'core:builtin:single') return [];
    const { pins } = resource.attributes as IncrementalEncoderAttributes | SingleEncoderAttributes;
    return Object.entries(pins).flatMap(([key, pin]) => interruptProblem(board, `/pins/${key}`, pin));
  }
  if (api === 'core:component:sensor' && model === 'core:builtin:analog') {
    return analogProblem(board, (resource.attributes as AnalogSensorAttributes).analog);
  }
  if (api === 'core:component:motor' && model === 'core:builtin:gpio' && board.model === fakeBoard) {
    return simulationProblem(resource.attributes as GpioMotorAttributes, board, find);
  }
  return [];
}

function interruptProblem(board: WiredResource, pointer: string, pin: string): WiringProblem[] {
  const known = knownInterrupts(board.attributes as FakeBoardAttributes);
  if (known.includes(pin)) return [];
  return [
    {
      pointer,
      severity: 'warning',
      code: 'attribute.no_interrupt',
      message: `Board "${board.name}" has no digital interrupt "${pin}"; ${listed(known)}.`,
      keepsFromReady: true,
      fix: { board: board.name, list: 'digital_interrupts', item: { name: pin, pin }, label: pin },
    },
  ];
}

/** By name and by pin, as the board finds them; the pins of a simulated encoder are interrupts automatically. */
function knownInterrupts({ digital_interrupts: named = [], simulated_motors: motors = [] }: FakeBoardAttributes) {
  const ofMotors = motors.flatMap(({ encoder_pins: pins }) => (pins === undefined ? [] : [pins.a, pins.b]));
  return [...new Set([...named.flatMap(({ name, pin }) => [name, pin]), ...ofMotors])];
}

function analogProblem(board: WiredResource, analog: string): WiringProblem[] {
  if (board.model !== fakeBoard && board.model !== linuxBoard) return [];
  const { analogs = [] } = board.attributes as FakeBoardAttributes | LinuxBoardAttributes;
  const known = analogs.map(({ name }) => name);
  if (known.includes(analog)) return [];
  return [
    {
      pointer: '/analog',
      severity: 'warning',
      code: 'attribute.no_analog',
      message: `Board "${board.name}" has no analog "${analog}"; ${listed(known)}.`,
      keepsFromReady: false,
    },
  ];
}

/**
 * A motor with an encoder waits for its shaft to turn, and on a fake board only a simulated motor turns a shaft. A
 * motor without an encoder estimates its position and needs no simulation.
 */
function simulationProblem(motor: GpioMotorAttributes, board: WiredResource, find: ResourceLookup): WiringProblem[] {
  const { simulated_motors: simulated = [] } = board.attributes as FakeBoardAttributes;
  if (motor.encoder === undefined || motor.encoder === '') return [];
  if (simulated.some(({ pins }) => isSameDriver(pins, motor.pins))) return [];
  const encoder = find(motor.encoder, 'core:component:encoder');
  // An encoder that turns by itself, or that is on another board, needs nothing here.
  if (encoder === undefined || encoder.model !== 'core:builtin:incremental') return [];
  const { board: encoderBoard, pins } = encoder.attributes as IncrementalEncoderAttributes;
  if (find(encoderBoard, 'core:component:board') !== board) return [];
  return [
    {
      pointer: '/pins',
      severity: 'warning',
      code: 'attribute.not_simulated',
      message: `Nothing turns: fake board "${board.name}" simulates no motor on these pins.`,
      keepsFromReady: false,
      fix: {
        board: board.name,
        list: 'simulated_motors',
        item: { ...simulatedMotor(motor, pinsOf(board.attributes as FakeBoardAttributes, pins)) },
        label: board.name,
      },
    },
  ];
}

function simulatedMotor(motor: GpioMotorAttributes, encoder: { a: string; b: string }): SimulatedMotorAttributes {
  const pins = Object.fromEntries(Object.entries(motor.pins).filter(([, pin]) => pin !== ''));
  const { ticks_per_rotation: ticks } = motor;
  return { pins, encoder_pins: encoder, ...(ticks === undefined || ticks === 0 ? {} : { ticks_per_rotation: ticks }) };
}

/** Interrupts may be referred to by name; the simulated encoder is on their pins. */
function pinsOf(board: FakeBoardAttributes, { a, b }: { readonly a: string; readonly b: string }) {
  const pinOf = (name: string): string => board.digital_interrupts?.find((one) => one.name === name)?.pin ?? name;
  return { a: pinOf(a), b: pinOf(b) };
}

function isSameDriver(one: SimulatedMotorAttributes['pins'], other: GpioMotorAttributes['pins']): boolean {
  return (['a', 'b', 'dir', 'pwm'] as const).every((key) => (one[key] ?? '') === (other[key] ?? ''));
}

function listed(known: readonly string[]): string {
  return known.length === 0 ? 'it has none' : `it has ${known.map((name) => `"${name}"`).join(', ')}`;
}
