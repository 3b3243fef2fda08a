import { keyPairNames, keyPairs, type KeyPair } from '../input/key-pairs.ts';

/** An axis of the gamepad. */
export interface AxisChoice {
  /** Its place in the gamepad's list. */
  readonly axis: number;
  /** Whether its negative way is forward. */
  readonly isReversed: boolean;
}

/** What moves one motor or servo. */
export type Source =
  { readonly kind: 'keys'; readonly pair: KeyPair } | ({ readonly kind: 'axis' } & Readonly<AxisChoice>);

/** A motor that is driven. */
export interface DrivenMotorChoice {
  /** Full name; '' while none is chosen. */
  readonly name: string;
  readonly isInverted: boolean;
}

/** A motor that is driven by a source of its own. */
export interface SingleChoice extends DrivenMotorChoice {
  readonly source: Source;
}

export interface ServoChoice extends SingleChoice {
  /** At full deflection, degrees per second. */
  readonly rateDegPerS: number;
}

/** What drives what, on one machine. */
export interface DriveChoices {
  readonly layout: 'wheels' | 'single';
  readonly left: DrivenMotorChoice;
  readonly right: DrivenMotorChoice;
  readonly throttle: AxisChoice;
  readonly steering: AxisChoice;
  readonly motors: readonly SingleChoice[];
  readonly servos: readonly ServoChoice[];
  /** Largest power, percent. */
  readonly limitPercent: number;
  /** Of the way of a stick, percent. */
  readonly deadZonePercent: number;
  /** The button of the gamepad that is held to drive. */
  readonly holdButton: number;
}

export const MAX_SINGLES = 4;
export const MAX_SERVOS = 4;
export const limitRange = { min: 1, max: 100 } as const;
/** Not 0: a stick that is let go must count as in the middle. */
export const deadZoneRange = { min: 5, max: 50 } as const;
export const rateRange = { min: 1, max: 180 } as const;

const nobody: DrivenMotorChoice = { name: '', isInverted: false };

/** The first choices. The left stick and the left bumper of a gamepad that the browser knows; up is negative there. */
export const firstChoices: DriveChoices = {
  layout: 'wheels',
  left: nobody,
  right: nobody,
  throttle: { axis: 1, isReversed: true },
  steering: { axis: 0, isReversed: false },
  motors: [],
  servos: [],
  limitPercent: 30,
  deadZonePercent: 10,
  holdButton: 4,
};

export const firstSingle: SingleChoice = { ...nobody, source: { kind: 'keys', pair: 'ws' } };
export const firstServo: ServoChoice = { ...nobody, source: { kind: 'keys', pair: 'eq' }, rateDegPerS: 45 };

const wheelPairs: readonly KeyPair[] = ['ws', 'da', 'upDown', 'rightLeft'];

/** Keys that move nothing yet, for a new motor or servo; the last ones where all do. */
export function freeKeys({ layout, motors, servos }: DriveChoices): Source {
  const rows = layout === 'wheels' ? servos : [...motors, ...servos];
  const used = rows.flatMap(({ source }) => (source.kind === 'keys' ? [source.pair] : []));
  const taken = new Set(layout === 'wheels' ? [...wheelPairs, ...used] : used);
  return { kind: 'keys', pair: keyPairNames.find((pair) => !taken.has(pair)) ?? 'rf' };
}

/**
 * Reads kept choices. What is missing or invalid is as at first, each by itself: a browser may hold anything under our
 * key, and what another version wrote.
 */
export function choicesFrom(text: string | null): DriveChoices {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '{}');
  } catch {
    return firstChoices;
  }
  const from = fieldsOf(kept);
  return {
    layout: from['layout'] === 'single' ? 'single' : 'wheels',
    left: motorFrom(from['left']),
    right: motorFrom(from['right']),
    throttle: axisFrom(from['throttle']) ?? firstChoices.throttle,
    steering: axisFrom(from['steering']) ?? firstChoices.steering,
    motors: listFrom(from['motors'], MAX_SINGLES, singleFrom),
    servos: listFrom(from['servos'], MAX_SERVOS, (each) => ({
      ...singleFrom(each),
      rateDegPerS: numberFrom(fieldsOf(each)['rateDegPerS'], rateRange, firstServo.rateDegPerS),
    })),
    limitPercent: numberFrom(from['limitPercent'], limitRange, firstChoices.limitPercent),
    deadZonePercent: numberFrom(from['deadZonePercent'], deadZoneRange, firstChoices.deadZonePercent),
    holdButton: placeFrom(from['holdButton']) ?? firstChoices.holdButton,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listFrom<Item>(value: unknown, most: number, read: (each: unknown) => Item): readonly Item[] {
  return Array.isArray(value) ? value.slice(0, most).map((each: unknown) => read(each)) : [];
}

function motorFrom(value: unknown): DrivenMotorChoice {
  const { name, isInverted } = fieldsOf(value);
  return { name: typeof name === 'string' ? name : '', isInverted: isInverted === true };
}

function singleFrom(value: unknown): SingleChoice {
  return { ...motorFrom(value), source: sourceFrom(fieldsOf(value)['source']) };
}

function sourceFrom(value: unknown): Source {
  const { kind, pair } = fieldsOf(value);
  const axis = axisFrom(value);
  if (kind === 'axis' && axis !== undefined) return { kind, ...axis };
  return typeof pair === 'string' && Object.hasOwn(keyPairs, pair)
    ? { kind: 'keys', pair: pair as KeyPair }
    : firstSingle.source;
}

function axisFrom(value: unknown): AxisChoice | undefined {
  const { axis, isReversed } = fieldsOf(value);
  const place = placeFrom(axis);
  return place === undefined ? undefined : { axis: place, isReversed: isReversed === true };
}

function placeFrom(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 100 ? value : undefined;
}

function numberFrom(value: unknown, { min, max }: { min: number; max: number }, otherwise: number): number {
  return typeof value === 'number' && value >= min && value <= max ? value : otherwise;
}
