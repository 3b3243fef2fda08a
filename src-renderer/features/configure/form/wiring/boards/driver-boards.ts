import type { PinStyle } from '../../../../../../proto/config/models/motor-pins.ts';
import type { WireKey } from '../driver-style.ts';

/** A common driver board for one motor, or an electronic speed controller. */
export type DriverBoard = 'l298n' | 'tb6612fng' | 'bts7960' | 'drv8871' | 'esc';

/** What a terminal is wired to that is no pin of a field. */
export type TieSource = '3v3' | '5v' | 'gnd' | 'jumper' | 'servo' | 'open';

/** Left out where a pin feeds the terminal. */
interface BoardTie {
  readonly source: TieSource;
  readonly terminal: string;
  /** Only in these styles; in all if absent. */
  readonly styles?: readonly PinStyle[];
}

/** Where the driver's other side goes: the motor, or its supply. */
export interface PowerTerminal {
  readonly terminal: string;
  readonly to: 'motor' | 'plus' | 'minus';
}

export interface DriverBoardFacts {
  /** Terminals of the side of the computer, named as printed on the board, in the order of the picture. */
  readonly inputs: readonly string[];
  readonly power: readonly PowerTerminal[];
  /** In the styles that it can be wired in: the terminals of each pin. */
  readonly styles: Readonly<Partial<Record<PinStyle, Readonly<Partial<Record<WireKey, readonly string[]>>>>>>;
  /** The style to use; undefined if it cannot be a motor of this model. */
  readonly best: PinStyle | undefined;
  readonly ties: readonly BoardTie[];
}

const ground: BoardTie = { source: 'gnd', terminal: 'GND' };

/**
 * How common driver boards are wired. Only the terminals of their first motor are here.
 *
 * - L298N (ST, "Dual full-bridge driver", and the red board with a 78M05): inputs are high from 2.3 V; the supply is up
 *   to 46 V, on the board up to 35 V, and up to 12 V while the jumper of its 5 V regulator is on. A jumper holds ENA high.
 * - TB6612FNG (Toshiba, "Driver IC for dual DC motor"): VM 2.5 to 13.5 V, VCC 2.7 to 5.5 V, inputs are high from
 *   0.7 × VCC; inputs, PWMA and STBY have pull-downs, so that none may be left open. PWMA high and both inputs low is
 *   "stop", both high is "short brake".
 * - BTS7960 (Infineon, BTS7960B, two half bridges on the board IBT-2): supply 5.5 to 27.5 V, PWM up to 25 kHz. INH (R_EN,
 *   L_EN) low switches a half bridge off; while it is high, IN low connects its side to ground. The board passes its
 *   inputs through a 74HC244, which is promised to read as high only what is above 0.7 × VCC.
 * - DRV8871 (TI, SLVSCY9): VM 6.5 to 45 V, IN1 and IN2 high from 1.5 V, with pull-downs; no enable input.
 * - ESC: a pulse of 1 to 2 ms about 50 times a second, as a radio receiver sends it to a servo; its manual says which
 *   width is which speed. Its red wire is an output of 5 V (BEC).
 */
export const driverBoards: Readonly<Record<DriverBoard, DriverBoardFacts>> = {
  l298n: {
    inputs: ['ENA', 'IN1', 'IN2', 'GND'],
    power: [
      { terminal: 'OUT1', to: 'motor' },
      { terminal: 'OUT2', to: 'motor' },
      { terminal: '+12V', to: 'plus' },
      { terminal: 'GND', to: 'minus' },
    ],
    styles: {
      'in1-in2-pwm': { a: ['IN1'], b: ['IN2'], pwm: ['ENA'] },
      'in1-in2': { a: ['IN1'], b: ['IN2'], en_high: ['ENA'] },
    },
    best: 'in1-in2-pwm',
    ties: [{ source: 'jumper', terminal: 'ENA', styles: ['in1-in2'] }, ground],
  },
  tb6612fng: {
    inputs: ['PWMA', 'AIN2', 'AIN1', 'STBY', 'VCC', 'GND'],
    power: [
      { terminal: 'AO1', to: 'motor' },
      { terminal: 'AO2', to: 'motor' },
      { terminal: 'VM', to: 'plus' },
      { terminal: 'GND', to: 'minus' },
    ],
    styles: {
      'in1-in2-pwm': { a: ['AIN1'], b: ['AIN2'], pwm: ['PWMA'], en_high: ['STBY'] },
      'in1-in2': { a: ['AIN1'], b: ['AIN2'], en_high: ['STBY'] },
    },
    best: 'in1-in2-pwm',
    ties: [
      { source: '3v3', terminal: 'PWMA', styles: ['in1-in2'] },
      { source: '3v3', terminal: 'STBY' },
      { source: '3v3', terminal: 'VCC' },
      ground,
    ],
  },
  bts7960: {
    inputs: ['RPWM', 'LPWM', 'R_EN', 'L_EN', 'VCC', 'GND'],
    power: [
      { terminal: 'M+', to: 'motor' },
      { terminal: 'M-', to: 'motor' },
      { terminal: 'B+', to: 'plus' },
      { terminal: 'B-', to: 'minus' },
    ],
    styles: { 'in1-in2': { a: ['RPWM'], b: ['LPWM'], en_high: ['R_EN', 'L_EN'] } },
    best: 'in1-in2',
    ties: [
      { source: '5v', terminal: 'R_EN' },
      { source: '5v', terminal: 'L_EN' },
      { source: '5v', terminal: 'VCC' },
      ground,
    ],
  },
  drv8871: {
    inputs: ['IN1', 'IN2', 'GND'],
    power: [
      { terminal: 'OUT1', to: 'motor' },
      { terminal: 'OUT2', to: 'motor' },
      { terminal: 'VM', to: 'plus' },
      { terminal: 'GND', to: 'minus' },
    ],
    styles: { 'in1-in2': { a: ['IN1'], b: ['IN2'] } },
    best: 'in1-in2',
    ties: [ground],
  },
  esc: {
    inputs: ['Signal', 'GND', '+5V'],
    power: [
      { terminal: 'Motor', to: 'motor' },
      { terminal: 'Bat +', to: 'plus' },
      { terminal: 'Bat -', to: 'minus' },
    ],
    styles: {},
    best: undefined,
    ties: [{ source: 'servo', terminal: 'Signal' }, ground, { source: 'open', terminal: '+5V' }],
  },
};

/** All of them, in the order in which they are offered. */
export const driverBoardNames = Object.keys(driverBoards) as readonly DriverBoard[];
